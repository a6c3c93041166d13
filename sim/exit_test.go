package sim

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A worker that exits ends its process with all its tasks. OnExit is called, also for the process
// that is started in its place.
func TestExitEndsTheProcess(t *testing.T) {
	w, k, log := small(t, nil)
	ctx := context.Background()
	body := func(k *Worker) {
		// It runs while the world is closed, and must have no effect.
		defer k.Exit(errors.New("again"))
		k.Go("watcher", func() {
			_ = k.Sleep(ctx, time.Minute)
			log.add("never")
		})
		_ = k.Sleep(ctx, time.Second)
		k.Exit(errors.New("lease lost"))
		log.add("never")
	}
	k.process.OnExit(func(worker string, err error) {
		log.add("%s ended: %v, crashed %v", worker, err, k.process.Crashed())
		if k.restarts < 2 {
			k = k.Restart()
			w.At(w.Time()+time.Second, func() { k.Go("main", func() { body(k) }) })
		}
	})
	k.Go("main", func() { body(k) })
	run(t, w)
	w.Close()
	log.want(t,
		"1s worker-1 ended: lease lost, crashed true",
		"3s worker-1 ended: lease lost, crashed true",
		"5s worker-1 ended: lease lost, crashed true",
	)
}

// Exit may only be called by a task.
func TestExitNeedsATask(t *testing.T) {
	_, k, _ := small(t, nil)
	defer func() {
		if recover() == nil {
			t.Error("Exit outside of a task went through")
		}
	}()
	k.Exit(nil)
}
