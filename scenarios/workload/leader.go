package workload

import (
	"context"
	"strconv"
	"time"

	"lockquake/lock"
)

// leaderInfo returns the workload leader.
func leaderInfo() Info {
	return Info{
		Name: "leader", Initial: "0", Do: leader,
		Doc: "each worker asks for the lock at every tick of the period, and leads if it gets it; the leader increments the item once in each interval, and steps down after its term or when it is told of a loss: two leaders lose increments",
		Params: []Param{
			periodParam(),
			{Name: "interval", Time: &Time{func(s Settings) time.Duration { return s.Interval }, time.Millisecond}},
			{Name: "term", Time: &Time{func(s Settings) time.Duration { return s.Term }, 0}},
		},
	}
}

// leader waits for the next tick of the worker's wall clock, asks for the lock, and works as the leader
// with it.
func leader(ctx context.Context, w *Work) error {
	if _, err := w.nextTick(ctx); err != nil || w.Over() {
		return err
	}
	return w.Locked(ctx, w.Item, w.Unit, w.term)
}

// term is the time of a leader. It works until its term is over. Its context ends when it is told of a
// loss, and with it the term.
func (w *Work) term(ctx context.Context, s lock.Section) error {
	elected := w.Env.Mono()
	for {
		if err := w.lead(ctx, s); err != nil {
			return err
		}
		if err := w.Env.Sleep(ctx, w.Settings.Interval); err != nil {
			return err
		}
		if w.Over() || w.Env.Mono()-elected >= w.Settings.Term {
			return nil
		}
		w.Proceed()
	}
}

// lead does the work of a leader once: it increments the item.
func (w *Work) lead(ctx context.Context, s lock.Section) error {
	n, err := readNumber(ctx, s, w.Item)
	if err != nil {
		return err
	}
	if err := w.Spend(ctx, w.Hold); err != nil {
		return err
	}
	return s.Write(ctx, w.Item, strconv.FormatInt(n+1, 10))
}
