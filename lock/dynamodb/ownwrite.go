package dynamodb

import (
	"context"
	"time"

	"lockquake/lock"
)

// ownWrite decides what a refusal means whose item is the owner's. The SDK sends a request again if its
// answer was lost, and the second copy finds the item that the first one wrote.
type ownWrite struct {
	ignored bool
}

func ownWrites() lock.Choice[ownWrite] {
	return lock.Choice[ownWrite]{Name: "own-write", Doc: "what a refusal means that was caused by an earlier copy of the same write", Options: []lock.Option[ownWrite]{
		{Way: lock.Sound("recognised", "the write took effect: the refusal returns an item with the owner and version of the write"), Value: ownWrite{}},
		{Way: lock.Flaw("overlooked", "another worker holds the lock"), Value: ownWrite{ignored: true}},
	}}
}

// adopt takes the item that an earlier copy of a request of the same call wrote. Version is that of the last
// request, which was sent at sent and refused. If the item has an older one, it is renewed first, since its
// lease may be over.
func (r *lease) adopt(ctx context.Context, item record, version string, sent time.Duration) (bool, error) {
	r.granted(item, item.version, sent)
	if item.version == version {
		return true, nil
	}
	return r.renew(ctx)
}
