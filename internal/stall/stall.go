// Package stall detects work that hangs in real time, or goes on when it should end. It and the
// commands are the only code that uses the machine's clock. It cannot change a run; it only reports
// that one will not end.
package stall

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Watch calls stuck each time that the value of beat does not change for limit of real time, until
// stuck returns true. The returned function ends the watch.
func Watch(beat *atomic.Uint64, limit time.Duration, stuck func() bool) (stop func()) {
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
				if now == last && stuck() {
					return
				}
				last = now
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { close(done) }) }
}

// Grace calls f a while (of real time) after ctx has ended, unless stop is called before ctx ends.
func Grace(ctx context.Context, while time.Duration, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		time.Sleep(while)
		f()
	})
}

// Stacks returns the stacks of the goroutines that contain the text in and do not contain the text
// without.
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
