package checker

import (
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// believers counts the sections of one lock that consider themselves its holder.
type believers struct {
	exclusive, shared int
	sections          []*history.Section
}

// several reports whether two sections believe, and do not share the lock.
func (b *believers) several() bool {
	return b.exclusive > 1 || b.exclusive > 0 && b.shared > 0
}

// besides reports whether a section believes that does not share the lock with s.
func (b *believers) besides(in *input, s *history.Section) bool {
	return slices.ContainsFunc(b.sections, func(x *history.Section) bool { return x != s && (!in.Shares(x) || !in.Shares(s)) })
}

func (b *believers) enter(in *input, s *history.Section) {
	b.sections = append(b.sections, s)
	b.count(in, s, 1)
}

func (b *believers) leave(in *input, s *history.Section) {
	b.sections = slices.DeleteFunc(b.sections, func(x *history.Section) bool { return x == s })
	b.count(in, s, -1)
}

func (b *believers) count(in *input, s *history.Section, n int) {
	if in.Shares(s) {
		b.shared += n
	} else {
		b.exclusive += n
	}
}

// moment is the start or the end of a belief, or an operation that took effect.
type moment struct {
	seq     int64
	at      time.Duration
	section *history.Section
	begins  bool
	ends    bool
}

// first removes the first moment of several sorted lists. At least one is not empty.
func first(lists ...*[]moment) moment {
	var least *[]moment
	for _, list := range lists {
		if len(*list) > 0 && (least == nil || (*list)[0].seq < (*least)[0].seq) {
			least = list
		}
	}
	x := (*least)[0]
	*least = (*least)[1:]
	return x
}

// measureTerms adds the figures of who considered itself the holder of one lock, whose sections are given.
func (in *input) measureTerms(sections []*history.Section, m *Metrics) {
	// Sections are called in another order than they are let in, so the moments are sorted by kind first.
	var begins, ends, acts []moment
	n := len(sections)
	begins, ends, acts = make([]moment, 0, n), make([]moment, 0, n), make([]moment, 0, 2*n) // most sections have two operations
	for _, s := range sections {
		x, ok := in.believed(s)
		if !ok {
			continue
		}
		m.Tenure.Add(x.toAt - x.fromAt)
		begins = append(begins, moment{seq: x.from, at: x.fromAt, section: s, begins: true})
		ends = append(ends, moment{seq: x.to, at: x.toAt, section: s, ends: true})
		for _, o := range s.Ops {
			if in.Effect(o) == evidence.Accepted {
				acts = append(acts, moment{seq: evidence.EffectSeq(o), section: s})
			}
		}
	}
	for _, list := range [][]moment{begins, ends, acts} {
		evidence.SortBy(list, func(m *moment) int64 { return m.seq })
	}
	begun := in.EndAt() // until when sections may begin: NoHolder counts no time after it
	if in.Meta.Duration > 0 {
		begun = min(begun, in.Meta.Duration)
	}
	var now believers
	var vacant, several time.Duration // since when
	for len(ends) > 0 || len(acts) > 0 {
		x := first(&begins, &ends, &acts)
		before, two := len(now.sections), now.several()
		switch {
		case x.begins:
			now.enter(in, x.section)
		case x.ends:
			now.leave(in, x.section)
		case now.besides(in, x.section):
			m.ActsOfTwo++
		}
		switch after := len(now.sections); {
		case before == 0 && after > 0 && min(x.at, begun) > vacant:
			m.NoHolder.Add(min(x.at, begun) - vacant)
		case before > 0 && after == 0:
			vacant = x.at
		}
		switch {
		case !two && now.several():
			several = x.at
		case two && !now.several():
			m.TwoHolders.Add(x.at - several)
		}
	}
	if len(now.sections) == 0 && begun > vacant {
		m.NoHolder.Add(begun - vacant)
	}
}
