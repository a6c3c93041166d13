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
		Doc:   "waiters do not poll the lock server in step, nor without a pause",
		Did:   "polled its lock server in step or without a pause",
		About: Efficiency, Rank: 6,
		OfHolders: true, OfGrants: true,
		Unit: "a peak of requests, or a section that asks without a pause", NoRate: "it judges the requests of a run as a whole",
		run: load,
	}
}

// load looks for waiters that poll in step: many of the requests of refused sections that
// ask again come in peaks. A peak is a window of loadWindow with at least loadLeast requests and
// loadPeak times the mean. The mean is taken over the time in which somebody waited. See limits.go
// for the numbers.
//
// It also looks for waiters that ask without a pause, see spins.
//
// The first request of a section does not count, since the workload decides when it comes. Nor do
// requests at a time when a link or a server had a fault: they pile up behind it whatever their
// clients do.
func load(in *input, r *Result) {
	for _, polls := range groups(in.polls(), func(p poll) string { return p.event.Node }) {
		r.Applies = true
		in.spins(r, polls)
		waits := make([]evidence.Stretch, len(polls))
		for i, p := range polls {
			waits[i] = evidence.Stretch{From: p.since, To: p.event.At}
		}
		waited := loadWindow
		for _, x := range evidence.Union(waits) {
			waited += x.To - x.From
		}
		mean := float64(len(polls)) * float64(loadWindow) / float64(waited)
		peaks := peaksOf(polls, max(loadLeast, loadPeak*mean))
		crowded := 0
		for _, peak := range peaks {
			crowded += len(peak)
		}
		if len(peaks) < loadTimes || crowded*loadShare < len(polls) {
			continue
		}
		slices.SortStableFunc(peaks, func(a, b []poll) int { return cmp.Compare(len(b), len(a)) })
		for _, peak := range peaks {
			first, last := peak[0].event, peak[len(peak)-1].event
			r.find(Invalid, []int64{first.Seq, last.Seq},
				"in step: %d requests of waiting workers came to %s within %s from %s on, where %.1f are the mean while they waited",
				len(peak), first.Node, last.At-first.At, first.At, mean)
		}
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
func peaksOf(polls []poll, least float64) [][]poll {
	var peaks [][]poll
	for first, end := 0, 0; first < len(polls); first++ {
		for end < len(polls) && polls[end].event.At < polls[first].event.At+loadWindow {
			end++
		}
		if float64(end-first) >= least {
			peaks = append(peaks, polls[first:end])
			first = end - 1
		}
	}
	return peaks
}
