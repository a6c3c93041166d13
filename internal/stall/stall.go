// Package stall notices work that hangs in real time, or goes on when it should
// end. It is the one place beside the commands that looks at the machine's
// clock, and nothing that it sees can change a run: it only says that one will
// not end.
package stall

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Watch calls stuck once if beat keeps one value for limit of real time. The
// returned function ends the watch.
func Watch(beat *atomic.Uint64, limit time.Duration, stuck func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(limit)
		defer ticker.Stop()
		last := beat.Load()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				now := beat.Load()
				if now == last {
					stuck()
					return
				}
				last = now
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { close(done) }) }
}

// Grace calls f when ctx has been over for a while of real time, unless stop
// was called before ctx was over.
func Grace(ctx context.Context, while time.Duration, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		time.Sleep(while)
		f()
	})
}

// Stacks returns the stacks of the goroutines that contain the text in and
// the text without does not.
func Stacks(in, without string) string {
	buffer := make([]byte, 1<<22)
	buffer = buffer[:runtime.Stack(buffer, true)]
	var found [][]byte
	for stack := range bytes.SplitSeq(buffer, []byte("\n\n")) {
		if bytes.Contains(stack, []byte(in)) && !bytes.Contains(stack, []byte(without)) {
			found = append(found, stack)
		}
	}
	return string(bytes.Join(found, []byte("\n\n")))
}
