package workload

import (
	"context"
	"errors"
	"strconv"

	"lockquake/lock"
)

// recheckParam returns the key recheck of the workloads whose work is done once.
func recheckParam() Param { return Param{Name: "recheck"} }

// unitsThatLook is the Offers of a workload with units whose sections read the item of the unit
// before they write it, if Recheck is set.
func unitsThatLook(s Settings) []lock.Need {
	if s.Recheck {
		return []lock.Need{lock.NeedUnits, lock.NeedDecidingWrite}
	}
	return []lock.Need{lock.NeedUnits}
}

// lockUndone runs the work of a unit under the lock of the key, unless the item holds something: then the
// unit is done. With Recheck it looks under the lock, otherwise before it asks for the lock.
func (w *Work) lockUndone(ctx context.Context, key, unit, item string, work lock.Body) error {
	if !w.Settings.Recheck {
		if done, err := w.Peek(ctx, item); err != nil || done != "" {
			return err
		}
		return w.Locked(ctx, key, unit, work)
	}
	return w.Locked(ctx, key, unit, func(ctx context.Context, s lock.Section) error {
		if done, err := s.Read(ctx, item); err != nil || done != "" {
			return err
		}
		return work(ctx, s)
	})
}

// errOvertaken means that a later unit of work has been done. This one came too late, and may not have been done.
var errOvertaken = errors.New("a later unit of work has been done")

// due reports whether the unit n is to be done. Last is the number of the last unit that was done. If that is a later one,
// due returns errOvertaken.
func due(last, n int64) (bool, error) {
	if last > n {
		return false, errOvertaken
	}
	return last < n, nil
}

// doAndMark does a unit of work and then marks it as done: the item holds the number of the last
// unit that was done. With Recheck it does nothing if the unit is marked already, and returns
// errOvertaken if a later one is.
func (w *Work) doAndMark(item, unit string, n int64) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		if w.Settings.Recheck {
			done, err := readNumber(ctx, s, item)
			if err != nil {
				return err
			}
			if do, err := due(done, n); !do {
				return err
			}
		}
		if err := s.Write(ctx, unit, w.Worker); err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return s.Write(ctx, item, strconv.FormatInt(n, 10))
	}
}

// marked reports whether an item has the mark of a unit. It takes no lock.
func (w *Work) marked(ctx context.Context, item string, n int64) (bool, error) {
	value, err := w.Peek(ctx, item)
	if err != nil {
		return false, err
	}
	done, err := number(item, value)
	return done >= n, err
}
