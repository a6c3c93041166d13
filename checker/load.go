package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func loadCheck() Check {
	return Check{
		Name:  "load",
		Doc:   "waiters poll the lock server neither in step nor without a pause",
		Did:   "polled its lock server in step or without a pause",
		About: Efficiency, Rank: 6,
		OfHolders: true, OfGrants: true,
		Unit: "a peak of requests, or a section that asks without a pause", NoRate: "it judges the requests of a run as a whole",
		run: load,
	}
}

// load looks for waiters that poll in step: many of the requests of refused sections that
// ask again come in peaks. A peak is a window of loadWindow with at least loadLeast requests and
// loadPeak times the mean. The mean is taken over the time in which a section waited. See limits.go
// for the numbers.
//
// It also looks for waiters that ask without a pause, see spins.
//
// The first request of a section does not count, since the workload decides when it comes. Nor do
// requests at a time when a link or a server had a fault: they pile up behind it whatever their
// clients do.
func load(in *input, r *Result) {
	for _, polls := range groups(in.polls(), func(p poll) string { return p.event.Node }) {
		in.spins(r, polls)
		if in.Meta.Part != nil { // without the polls of the other locks only what one section did can be judged
			r.Applies = r.Verdict != Valid
			continue
		}
		r.Applies = true
		if in.run != nil { // the polls of all locks are judged together
			in.run.crowdOf(polls).keep(polls)
			continue
		}
		c := crowd{node: polls[0].event.Node}
		c.add(polls)
		for _, p := range polls {
			c.kept = append(c.kept, p.arrival())
		}
		c.judge(r)
	}
}

// crowd has the polls of one server. If a run is judged lock by lock, they come twice. The first time they are
// counted in bins of loadWindow. The second time only those are kept whose bin, together with a bin beside it, has
// enough of them for a peak: no window that begins in another bin can be one.
type crowd struct {
	node  string
	polls int
	waits []evidence.Stretch // when a section waited
	tidy  int                // number of waits when they were last united
	bins  map[time.Duration]int
	kept  []arrival
}

// arrival is the event of a poll, without what is not needed of it.
type arrival struct {
	at  time.Duration
	seq int64
}

func (p poll) arrival() arrival { return arrival{p.event.At, p.event.Seq} }

// add counts polls.
func (c *crowd) add(polls []poll) {
	c.polls += len(polls)
	for _, p := range polls {
		c.waits = append(c.waits, evidence.Stretch{From: p.since, To: p.event.At})
	}
	const slack = 1000
	if len(c.waits) > 2*c.tidy+slack {
		c.unite()
	}
}

// unite joins the waits that overlap.
func (c *crowd) unite() {
	c.waits = evidence.Union(c.waits)
	c.tidy = len(c.waits)
}

// survey counts polls, also in bins.
func (c *crowd) survey(polls []poll) {
	c.add(polls)
	if c.bins == nil {
		c.bins = map[time.Duration]int{}
	}
	for _, p := range polls {
		c.bins[p.event.At/loadWindow]++
	}
}

// mean returns how many polls come within a window on average, in the time in which a section waited.
func (c *crowd) mean() float64 {
	c.unite()
	waited := loadWindow
	for _, x := range c.waits {
		waited += x.To - x.From
	}
	return float64(c.polls) * float64(loadWindow) / float64(waited)
}

// least returns how many polls make a peak.
func (c *crowd) least() float64 { return max(loadLeast, loadPeak*c.mean()) }

// thin removes the bins that no peak can have a part in.
func (c *crowd) thin() {
	least := c.least()
	full := map[time.Duration]int{}
	for bin, n := range c.bins {
		if float64(n+c.bins[bin-1]) >= least || float64(n+c.bins[bin+1]) >= least {
			full[bin] = n
		}
	}
	c.bins = full
}

// keep keeps those of the polls that can be part of a peak.
func (c *crowd) keep(polls []poll) {
	for _, p := range polls {
		if c.bins[p.event.At/loadWindow] > 0 {
			c.kept = append(c.kept, p.arrival())
		}
	}
}

// judge looks for peaks of the polls that were kept.
func (c *crowd) judge(r *Result) {
	slices.SortFunc(c.kept, func(a, b arrival) int { return cmp.Compare(a.seq, b.seq) })
	mean := c.mean()
	peaks := peaksOf(c.kept, max(loadLeast, loadPeak*mean))
	crowded := 0
	for _, peak := range peaks {
		crowded += len(peak)
	}
	if len(peaks) < loadTimes || crowded*loadShare < c.polls {
		return
	}
	slices.SortStableFunc(peaks, func(a, b []arrival) int { return cmp.Compare(len(b), len(a)) })
	for _, peak := range peaks {
		first, last := peak[0], peak[len(peak)-1]
		r.find(Invalid, []int64{first.seq, last.seq},
			"in step: %d requests of waiting workers came to %s within %s from %s on, where %.1f are the mean while they waited",
			len(peak), c.node, last.at-first.at, first.at, mean)
	}
}

// polls lists the polls of a history in order.
func (in *input) polls() []poll {
	type server struct {
		evidence.Asker
		node string
	}
	type refusal struct {
		section int
		at      time.Duration
	}
	current := map[evidence.Asker]int{}
	grants := map[evidence.Place]*int{}
	var given *int // of the last event's server and lock, which most events share
	var here evidence.Place
	last := map[server]refusal{}
	troubled := in.Troubled()
	var list []poll
	if in.Meta.Unread != "" {
		return nil
	}
	for i := range in.Events {
		e := &in.Events[i]
		who := evidence.Asker{Worker: e.Worker, Key: e.Key}
		switch e.Type {
		case history.AcquireCalled:
			current[who] = e.Section
		case history.Granted, history.Refused:
			if at := evidence.PlaceOf(e); given == nil || at != here {
				if grants[at] == nil {
					grants[at] = new(int)
				}
				here, given = at, grants[at]
			}
			at := server{who, e.Node}
			if before, ok := last[at]; ok && before.section == current[who] && !troubled.Covers(e.At) {
				list = append(list, poll{e, before.section, before.at, *given})
			}
			if e.Type == history.Refused {
				last[at] = refusal{current[who], e.At}
			} else {
				delete(last, at)
				*given++
			}
		default:
		}
	}
	return list
}

// peaksOf returns the windows that hold at least that many polls. They do not overlap.
func peaksOf(polls []arrival, least float64) [][]arrival {
	var peaks [][]arrival
	for first, end := 0, 0; first < len(polls); first++ {
		for end < len(polls) && polls[end].at < polls[first].at+loadWindow {
			end++
		}
		if float64(end-first) >= least {
			peaks = append(peaks, polls[first:end])
			first = end - 1
		}
	}
	return peaks
}
