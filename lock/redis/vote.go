package redis

import "lockquake/lock"

// vote returns the number of answers of several servers that count for the quorum.
type vote func(t tally) int

func votes() lock.Choice[vote] {
	return lock.Choice[vote]{Name: "vote", Doc: "which answers of several servers make a quorum", Options: []lock.Option[vote]{
		{Way: lock.Sound("granted", "grants"), Value: func(t tally) int { return t.yes }},
		{Way: lock.Flaw("answered", "grants and refusals, since a refusal is not an error"), Value: func(t tally) int { return t.yes + t.no }},
	}}
}
