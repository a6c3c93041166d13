package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"lockquake/lock"
)

// errWork is the error of work that fails by the setting fails.
var errWork = errors.New("the work failed")

// counterInfo returns the workload counter.
func counterInfo() Info {
	return Info{
		Name: "counter", Initial: "0", Do: oneLock(counter),
		Doc: "read n, hold, write n+1: no increment may be lost",
		Params: []Param{
			failsParam(), writesParam(), commitParam(), attemptsParam(),
		},
		Offers: func(s Settings) []lock.Need {
			if s.Writes > 1 || s.Commit != CommitInside {
				return nil // another section may write between the writes
			}
			return []lock.Need{lock.NeedDecidingWrite}
		},
	}
}

func failsParam() Param {
	return Param{Name: "fails", Count: &Count{func(s Settings) int { return s.Fails }, 0, percent}}
}

func attemptsParam() Param {
	return Param{Name: "attempts", Count: &Count{func(s Settings) int { return s.Attempts }, 1, maxAttempts}}
}

func counter(w *Work) lock.Body {
	fails := w.fails()
	return func(ctx context.Context, s lock.Section) error {
		n, err := readNumber(ctx, s, w.Item)
		if err != nil {
			return err
		}
		return w.writing(ctx, func(i int) error {
			if fails {
				return errWork
			}
			return s.Write(ctx, w.Item, strconv.FormatInt(n+1+int64(i), 10))
		})
	}
}

// fails draws whether the work of this attempt fails.
func (w *Work) fails() (fails bool) {
	for range w.Attempt {
		fails = w.Settings.Fails > 0 && w.Draw.Int64N(percent) < int64(w.Settings.Fails)
	}
	return fails
}

func readNumber(ctx context.Context, s lock.Section, item string) (int64, error) {
	text, err := s.Read(ctx, item)
	if err != nil {
		return 0, err
	}
	return number(item, text)
}

// number returns the number that an item holds. An empty item holds 0.
func number(item, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s does not hold a number: %w", item, err)
	}
	return n, nil
}
