package workload

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"lockquake/lock"
)

// Order is the order in which a section takes its locks.
type Order string

// The two orders.
const (
	OrderSorted   Order = "sorted"   // by name, the same for all workers
	OrderArgument Order = "argument" // as they were drawn: two workers can wait for each other
)

// multiLockInfo returns the workload multi-lock.
func multiLockInfo() Info {
	return Info{
		Name: "multi-lock", Initial: "0", Do: multiLock,
		Doc: "lock some of the resources one by one, and increment all of them: no worker may wait forever",
		Params: []Param{
			{Name: "locks", Count: &Count{func(s Settings) int { return s.Locks }, 1, maxLocks}},
			{Name: "order", Word: &Word{func(s Settings) string { return string(s.Order) }, "order", words([]Order{OrderSorted, OrderArgument})}},
			writesParam(),
		},
	}
}

// multiLock draws resources, locks one after the other, and increments all.
func multiLock(ctx context.Context, w *Work) error {
	return w.lockAll(ctx, w.arguments(), "", w.incrementAll)
}

// arguments draws the resources of a section. A name that is drawn twice is locked once,
// because the locks are not reentrant.
func (w *Work) arguments() []string {
	const usual = 2
	var names []string
	for range cmp.Or(w.Settings.Locks, usual) {
		if name := w.Items[w.Draw.Int64N(int64(len(w.Items)))]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if w.Settings.Order != OrderArgument {
		slices.Sort(names)
	}
	return names
}

// holding is one lock of the section, and the context that ends with its lease.
type holding struct {
	ctx     context.Context
	key     string
	section lock.Section
}

// lockAll takes all locks, checks that all are still held, since the last may have taken longer than
// the lease of the first, and does the work. A strategy that can lock several keys in one
// call does so.
func (w *Work) lockAll(ctx context.Context, keys []string, unit string, work func([]holding) error) error {
	if len(keys) > 1 {
		done, err := w.LockedAll(ctx, keys, unit, func(ctx context.Context, sections []lock.Section) error {
			var held []holding
			for i, s := range sections {
				held = append(held, holding{ctx, keys[i], s})
			}
			return whileHeld(held, work)
		})
		if done {
			return err
		}
	}
	return w.nest(ctx, keys, unit, nil, work)
}

// whileHeld does the work if all locks are still held.
func whileHeld(held []holding, work func([]holding) error) error {
	for _, h := range held {
		if err := errors.Join(context.Cause(h.ctx), h.section.Check()); err != nil {
			return err
		}
	}
	return work(held)
}

// nest takes the locks one inside the other, so that a failure releases all earlier ones, and then
// does the work.
//
// Each lock is acquired under the caller's context, and not under that of the outer lease:
// the loss of one lock is no answer about another. For the same reason an error of an inner
// lock loses its type on the way out.
func (w *Work) nest(ctx context.Context, keys []string, unit string, held []holding, work func([]holding) error) error {
	if len(keys) == 0 {
		return whileHeld(held, work)
	}
	return w.Locked(ctx, keys[0], unit, func(inside context.Context, s lock.Section) error {
		if err := w.nest(ctx, keys[1:], unit, append(held, holding{inside, keys[0], s}), work); err != nil {
			return errors.New(err.Error())
		}
		return nil
	})
}

// incrementAll increments all items. Each item is read and written with the token of its own lock.
func (w *Work) incrementAll(held []holding) error {
	numbers := make([]int64, len(held))
	for i, h := range held {
		var err error
		if numbers[i], err = readNumber(h.ctx, h.section, h.key); err != nil {
			return err
		}
	}
	return w.writing(held[len(held)-1].ctx, func(n int) error {
		for i, h := range held {
			if err := h.section.Write(h.ctx, h.key, strconv.FormatInt(numbers[i]+1+int64(n), 10)); err != nil {
				return err
			}
		}
		return nil
	})
}
