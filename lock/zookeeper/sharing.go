package zookeeper

import "lockquake/lock"

func readerParts() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "readers", Doc: "how a section that only reads locks", Options: []lock.Option[bool]{
		{Way: lock.Sound("exclusive", "as any other section"), Value: false},
		{Way: lock.Sound("shared", "by the shared lock of that name, so that several readers have the lock at the same time"), Value: true},
	}}
}
