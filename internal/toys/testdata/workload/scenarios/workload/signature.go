package workload

import (
	"context"

	"lockquake/lock"
)

// signatureInfo is a workload that leaves the name of its worker on the item.
func signatureInfo() Info {
	return Info{
		Name: "signature", Initial: "unsigned", Params: []Param{writesParam()}, Do: oneLock(signature),
		Doc: "read who signed last, hold, and sign",
	}
}

func signature(w *Work) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		if _, err := s.Read(ctx, w.Item); err != nil {
			return err
		}
		return w.writing(ctx, func(int) error { return s.Write(ctx, w.Item, w.Worker) })
	}
}
