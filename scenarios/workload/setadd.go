package workload

import (
	"context"
	"fmt"
	"strings"

	"lockquake/lock"
)

// setAddInfo returns the workload set-add.
func setAddInfo() Info {
	return Info{
		Name: "set-add", Do: oneLock(setAdd), Offers: always(lock.NeedDecidingWrite),
		Doc: "read a set, hold, write it with a new element: no element may be lost",
	}
}

func setAdd(w *Work) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		set, err := s.Read(ctx, w.Item)
		if err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return s.Write(ctx, w.Item, strings.TrimSpace(fmt.Sprintf("%s/%d %s", w.Worker, w.Section, set)))
	}
}
