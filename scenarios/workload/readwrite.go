package workload

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock"
)

// readWriteInfo returns the workload read-write.
func readWriteInfo() Info {
	return Info{
		Name: "read-write", Least: 2, Do: readWrite,
		Doc: "one lock protects all items; the first worker writes one value to each of them, with the hold between, and all other workers read all of them twice, with the hold between: a reader must see one value. Readers share the lock if the strategy has a lock for readers",
	}
}

// readWrite is a section of the writer or of a reader.
func readWrite(ctx context.Context, w *Work) error {
	if w.Number == 1 {
		return w.Locked(ctx, w.Items[0], w.Unit, w.writeAll)
	}
	return w.LockedShared(ctx, w.Items[0], func(ctx context.Context, s lock.Section) error {
		if err := w.readAll(ctx, s); err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return w.readAll(ctx, s)
	})
}

// writeAll writes a value that no other section writes to all items.
func (w *Work) writeAll(ctx context.Context, s lock.Section) error {
	for i, item := range w.Items {
		if i > 0 {
			if err := w.Spend(ctx, w.Hold/time.Duration(len(w.Items)-1)); err != nil {
				return err
			}
		}
		if err := s.Write(ctx, item, fmt.Sprintf("%s/%d", w.Worker, w.Section)); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads all items.
func (w *Work) readAll(ctx context.Context, s lock.Section) error {
	for _, item := range w.Items {
		if _, err := s.Read(ctx, item); err != nil {
			return err
		}
	}
	return nil
}
