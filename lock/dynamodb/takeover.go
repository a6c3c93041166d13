package dynamodb

import (
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// takeover decides when a contender takes the lock of a holder that may be gone.
type takeover struct {
	// wallClock: the item has the end of its lease by the clock of its holder, and the contender compares
	// that with its own clock.
	wallClock bool
}

func takeovers() lock.Choice[takeover] {
	return lock.Choice[takeover]{Name: "takeover", Doc: "when a contender takes the item of another holder", Options: []lock.Option[takeover]{
		{Way: lock.Sound("unchanged", "after it has seen no change of the item for the length of its lease, by its own monotonic clock"), Value: takeover{}},
		{Way: lock.Flaw("expiry-time", "after a time in the item, which the holder writes and the contender compares by their own wall clocks"), Value: takeover{wallClock: true}},
	}}
}

// observation remembers since when a contender has seen a version of an item.
type observation struct {
	version string
	lease   time.Duration // that the item has
	since   time.Duration // on the contender's monotonic clock
	fence   int64         // that the item has; 0: none
}

// see notes the item that an answer has. The answer arrived at now, and the item can be older. So the lease
// is not over too early.
func (o *observation) see(r record, now time.Duration) {
	if r.version != o.version {
		*o = observation{version: r.version, lease: r.lease, since: now}
	}
	o.fence = r.fence
}

// over reports whether the lease of the item is over.
func (o *observation) over(now time.Duration) bool { return o.version != "" && now-o.since >= o.lease }

// condition returns the condition under which a contender may take the item, and adds its values.
func (t takeover) condition(e env.Env, fenced bool, seen observation, values attributes) string {
	free := "attribute_not_exists(" + attrHolder + ")"
	if fenced {
		free = seen.unchanged(free, values)
	}
	switch {
	case t.wallClock:
		values[":now"] = ofNumber(e.Now().UnixMilli())
		return free + " OR " + attrExpires + " < :now"
	case seen.over(e.Mono()):
		values[":seen"] = ofText(seen.version)
		return free + " OR " + attrVersion + " = :seen"
	}
	return free
}

// unchanged adds to a condition that the fencing token is still the one of the observation. So a late request does not
// take the lock again after its worker has taken it with another request and released it.
func (o *observation) unchanged(condition string, values attributes) string {
	if o.fence == 0 {
		return condition + " AND attribute_not_exists(" + attrFence + ")"
	}
	values[":fence"] = ofNumber(o.fence)
	return condition + " AND " + attrFence + " = :fence"
}
