package backend

import (
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
)

// Layout describes the servers of a lock, and how they behave in a crash.
type Layout struct {
	// Names lists the nodes of the servers; Family.Start adds them to the world. If
	// Replicated is set, there are two: the primary, then its replica.
	Names      []string
	Replicated bool
	// Ensemble: the nodes are the members of one replicated service.
	Ensemble bool
	Lag      draw.Dist // of the replica
	// Failover is the time from a crash of the primary to the promotion of its replica;
	// 0: the replica is not promoted.
	Failover time.Duration
	// Silence is the additional time for which a crashed server stays down.
	Silence time.Duration
	// WallOffset returns the offset of a server's wall clock; positive if it is fast.
	WallOffset func(name string) time.Duration
	// Record records restarts and promotions. It sets the time of the event.
	Record func(history.Event)
}
