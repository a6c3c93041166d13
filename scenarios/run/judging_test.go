package run

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lockquake/scenarios"
)

// A run of millions of events is judged for longer than it may stay at one event.
func TestAJudgementIsNoHang(t *testing.T) {
	for _, judging := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s, err := scenarios.Parse("judged.yaml", []byte("name: judged\nduration: 1s\nworkload: {kind: counter}\nstrategies: [redis]\n"))
			if err != nil {
				t.Fatal(err)
			}
			err = NewPool(s, nil, 1, 0).All(t.Context(), 1, func(int64) Task {
				return Task{s, s.Strategies[0], 1, func(r *Runner) error {
					r.judging.Store(judging)
					time.Sleep(3 * DefaultStall)
					return nil
				}}
			})
			if hang := new(HangError); errors.As(err, &hang) == judging {
				t.Errorf("judging: %v; the pool ends with %v", judging, err)
			}
			time.Sleep(3 * DefaultStall) // until the job that was given up has ended
		})
	}
}

// The watch may look as soon as a long judgement is over, while the caller still keeps the run.
func TestTheEndOfAJudgementShowsThatTheRunGoesOn(t *testing.T) {
	s, err := scenarios.Parse("judged.yaml", []byte("name: judged\nduration: 100ms\nworkload: {kind: counter}\nstrategies: [redis]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var beat atomic.Uint64
	r := &Runner{Scenario: s, beat: &beat}
	trial, err := r.Once(s.Strategies[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if trial.Events >= 1024 {
		t.Fatalf("%d events, so that the world itself has shown it", trial.Events)
	}
	if beat.Load() == 0 {
		t.Error("it has not shown it")
	}
}
