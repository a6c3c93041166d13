package zookeeper

import (
	"context"

	"lockquake/lock"
)

func readerParts() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "readers", Doc: "how a section that only reads locks", Options: []lock.Option[bool]{
		{Way: lock.Sound("exclusive", "as any other section"), Value: false},
		{Way: lock.Sound("shared", "by the shared lock of that name, so that several readers have the lock at the same time"), Value: true},
	}}
}

// sharing is a lock with places for readers. It implements lock.Sharer.
type sharing struct {
	lock.Recipe
	readers *locker
}

// DoShared implements lock.Sharer.
func (s sharing) DoShared(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	return lock.Recipe{Locker: s.readers, Refused: s.Refused}.Do(ctx, key, r, body)
}
