package sim

import (
	"context"
	"testing"
	"time"
)

// A task that waits for the end of a connection goes on when that is reset or closed, or when its context ends. While its
// process is paused it does not learn of a reset; after it wakes at 30 ms, its messages are handled 0.1 ms later.
func TestATaskWaitsForTheEndOfAConnection(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name    string
		disturb func(w *World, k *Worker, c *Conn, cancel context.CancelCauseFunc)
		want    string
	}{
		{"a reset", func(w *World, _ *Worker, c *Conn, _ context.CancelCauseFunc) { w.At(20*ms, c.Reset) }, "20ms connection reset by peer"},
		{"a close", func(w *World, _ *Worker, c *Conn, _ context.CancelCauseFunc) { w.At(20*ms, c.Close) }, "20ms use of closed network connection"},
		{"the context ends", func(w *World, _ *Worker, _ *Conn, cancel context.CancelCauseFunc) {
			w.At(20*ms, func() { cancel(context.DeadlineExceeded) })
		}, "20ms context deadline exceeded"},
		{"it has ended", func(_ *World, _ *Worker, c *Conn, _ context.CancelCauseFunc) { c.Close() }, "2.01ms use of closed network connection"},
		{"a reset in a pause", func(w *World, k *Worker, c *Conn, _ context.CancelCauseFunc) {
			w.At(10*ms, func() { k.process.Pause(20 * ms) })
			w.At(20*ms, c.Reset)
		}, "30.1ms connection reset by peer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			k.Go("main", func() {
				ctx, cancel := k.WithCancel(context.Background())
				c, err := k.process.Dial(ctx, "server", 0)
				if err != nil {
					t.Error(err)
					return
				}
				test.disturb(w, k, c, cancel)
				log.add("%v", c.Ended(ctx))
			})
			run(t, w)
			log.want(t, test.want)
		})
	}
}
