package sim

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A worker that exits ends its process with all its tasks. The caller that asked for it
// is told, of the program that is started in its place too.
func TestExitEndsTheProcess(t *testing.T) {
	w, k, log := small(t, nil)
	ctx := context.Background()
	body := func(k *Worker) {
		// It runs as the world is taken down, when nobody listens.
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
		if k.life < 2 {
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

// Exit is a task's own: elsewhere nobody is there to stop.
func TestExitNeedsATask(t *testing.T) {
	_, k, _ := small(t, nil)
	defer func() {
		if recover() == nil {
			t.Error("Exit outside of a task went through")
		}
	}()
	k.Exit(nil)
}
