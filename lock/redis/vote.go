package redis

import "lockquake/lock"

// vote counts the answers of several servers that make a quorum.
type vote func(t tally) int

func votes() lock.Choice[vote] {
	return lock.Choice[vote]{Name: "vote", Doc: "which answers of several servers make a quorum", Options: []lock.Option[vote]{
		{Way: lock.Sound("granted", "grants make a quorum"), Do: func(t tally) int { return t.yes }},
		{Way: lock.Flaw("answered", "a refusal counts too, since it is no error"), Do: func(t tally) int { return t.yes + t.no }},
	}}
}
