package sim

import (
	"context"
	"errors"
	"testing"
)

// A fault at the point where a request leaves may end what the caller waits for. The caller learns of it then, also if
// it would wait forever.
func TestACallEndsIfAFaultEndsItAsItsRequestLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		fault func(w *World, k *Worker, cancel context.CancelCauseFunc)
		want  []string
	}{
		"the server crashes":    {func(w *World, _ *Worker, _ context.CancelCauseFunc) { w.nodes["server"].Crash() }, []string{"2.01ms connection reset by peer"}},
		"the context ends":      {func(_ *World, _ *Worker, cancel context.CancelCauseFunc) { cancel(errors.New("no time")) }, []string{"2.01ms no time", "3.01ms server has x"}},
		"the connection breaks": {func(_ *World, k *Worker, _ context.CancelCauseFunc) { k.process.conns[0].Reset() }, []string{"2.01ms connection reset by peer"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, k, log := small(t, nil)
			k.Go("main", func() {
				ctx, cancel := k.WithCancel(context.Background())
				c, _ := k.process.Dial(ctx, "server", 0)
				k.OnPoint("read.sent", 1, func() { test.fault(w, k, cancel) })
				_, err := c.Call(ctx, "read", "x", 0)
				log.add("%v", err)
			})
			run(t, w)
			log.want(t, test.want...)
		})
	}
}
