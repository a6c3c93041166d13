package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"lockquake/lock"
)

// errWork is what work ends with that fails for reasons of its own.
var errWork = errors.New("the work failed")

const percent = 100

func counter(w *work) lock.Body {
	fails := w.fails()
	return func(ctx context.Context, s lock.Section) error {
		n, err := readNumber(ctx, s, w.item)
		if err != nil {
			return err
		}
		return w.writing(ctx, func(i int) error {
			if fails {
				return errWork
			}
			return s.Write(ctx, w.item, strconv.FormatInt(n+1+int64(i), 10))
		})
	}
}

// fails reports whether the work of this attempt fails for reasons of its own.
func (w *work) fails() (fails bool) {
	for range w.attempt {
		fails = w.settings.Fails > 0 && w.draw.Int64N(percent) < int64(w.settings.Fails)
	}
	return fails
}

func readNumber(ctx context.Context, s lock.Section, item string) (int64, error) {
	text, err := s.Read(ctx, item)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s does not hold a number: %w", item, err)
	}
	return n, nil
}
