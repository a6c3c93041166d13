package scenarios

import (
	"context"
	"fmt"

	"lockquake/lock"
)

func register(w *work) lock.Body {
	if w.draw.Int64N(2) == 0 {
		return func(ctx context.Context, s lock.Section) error {
			value := fmt.Sprintf("%s/%d", w.worker, w.section)
			return w.writing(ctx, func(i int) error {
				if i > 0 {
					return s.Write(ctx, w.item, fmt.Sprintf("%s.%d", value, i+1))
				}
				return s.Write(ctx, w.item, value)
			})
		}
	}
	return func(ctx context.Context, s lock.Section) error {
		if _, err := s.Read(ctx, w.item); err != nil {
			return err
		}
		if err := w.spend(ctx, w.hold); err != nil {
			return err
		}
		_, err := s.Read(ctx, w.item)
		return err
	}
}
