package backend

import (
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
)

// Layout says which servers a lock has, and what becomes of them when one crashes.
type Layout struct {
	// Names are the nodes of the servers, which are to be added to the world. With
	// Replicated they are two, of which the second is the replica of the first.
	Names      []string
	Replicated bool
	Lag        draw.Dist // of the replica
	// Failover is how long after a crash of the primary its replica takes its
	// place; 0 for never.
	Failover time.Duration
	// Silence is how much longer than its crash a server stays away.
	Silence time.Duration
	// WallOffset is by how much the wall clock of a server is fast.
	WallOffset func(name string) time.Duration
	// Told is told of restarts and promotions, without a time.
	Told func(history.Event)
}
