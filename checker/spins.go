package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// spins looks for waiters that ask again without a pause: spinTimes polls of a section reach one
// server within spinWindow, all refused because of one grant. A waiter that is notified of every
// release may ask once for each grant. A section counts once, whatever the number of servers.
//
// So an acquisition may cost 50 requests for each second of waiting. A lock that polls every 100
// ms, as is usual, sends ten.
func (in *input) spins(r *Result, polls []poll) {
	type section struct {
		evidence.Asker
		number int
	}
	type waiter struct {
		section, grant int
		asked          []*history.Event
		counted        bool
	}
	waiters := map[evidence.Asker]*waiter{}
	for _, p := range polls {
		who := evidence.Asker{Worker: p.event.Worker, Key: p.event.Key}
		w := waiters[who]
		if w == nil || w.section != p.section {
			w = &waiter{section: p.section}
			waiters[who] = w
		}
		if w.grant != p.grant {
			w.grant, w.asked = p.grant, w.asked[:0]
		}
		w.asked = append(w.asked, p.event)
		if w.counted || len(w.asked) < spinTimes {
			continue
		}
		first := w.asked[len(w.asked)-spinTimes]
		if took := p.event.At - first.At; took <= spinWindow {
			w.counted = true
			in.violated(r, section{who, p.section}, []int64{first.Seq, p.event.Seq}, "without a pause: section %d of %s asked %s for lock %s %d times within %s, and one grant was in the way all the time",
				p.section, who.Worker, first.Node, who.Key, spinTimes, took)
		}
	}
}

// poll is a request of a section that the same server had refused before.
type poll struct {
	event   *history.Event
	section int           // number of the worker's section
	since   time.Duration // time of the last refusal
	grant   int           // number of grants that the server had given before
}
