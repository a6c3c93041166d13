package checker

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func fencingCheck() Check {
	return Check{
		Name:  "fencing",
		Doc:   "tokens rise with the grants, and the resource refuses stale holders and only those",
		Did:   "mishandled fencing tokens",
		About: Fencing, Rank: 5,
		OfHolders: true,
		Unit:      "a section with a wrong token, or with an operation that was wrongly accepted or refused",
		run:       fencing,
	}
}

// fencing judges the lock and the resource: the tokens have to rise with the grants, and the
// resource has to refuse stale holders and only those.
func fencing(in *input, r *Result) {
	r.Applies = in.Meta.Fenced || slices.ContainsFunc(in.Sections, func(s *history.Section) bool { return s.Token != 0 })
	if !r.Applies {
		return
	}
	for _, group := range groups(in.Sections, lockOf) {
		in.tokens(r, group)
	}
	in.stale(r)
	in.rightful(r)
}

// stamped is a grant or an operation with a token, and the events between which it took effect.
type stamped struct {
	from, to int64
	token    int64
	section  *history.Section
	op       *history.Op // nil: the grant itself
}

// behind calls report for each element whose token is lower than that of an element that ended
// before it began. High is the one with the highest token among those. Elements that overlap in
// time have no order and are not compared.
func behind(list []stamped, report func(late, high *stamped)) {
	evidence.SortBy(list, func(x *stamped) int64 { return x.from })
	ended := slices.Clone(list)
	evidence.SortBy(ended, func(x *stamped) int64 { return x.to })
	var high *stamped
	n := 0
	for i := range list {
		for ; n < len(ended) && ended[n].to < list[i].from; n++ {
			if high == nil || ended[n].token > high.token {
				high = &ended[n]
			}
		}
		if high != nil && list[i].token < high.token {
			report(&list[i], high)
		}
	}
}

// tokens judges the tokens of one lock. The lock server's event gives the time of a grant. Without
// it, the grant happened somewhere between the call and the entry of its section, and two grants
// that overlap have no order.
func (in *input) tokens(r *Result, group []*history.Section) {
	seen := map[int64]*history.Section{}
	var list []stamped
	for _, s := range group {
		switch {
		case !s.Entered():
			continue
		case s.Token == 0:
			if in.Meta.Fenced {
				in.violated(r, s, []int64{s.Enter}, "no token: %s was let into lock %s without one", evidence.NameOf(s), s.Key)
			}
			continue
		case seen[s.Token] != nil && in.Meta.Keeps && seen[s.Token].Worker == s.Worker:
			continue // the grant of an earlier section
		case seen[s.Token] != nil:
			first := seen[s.Token]
			name := "repeated"
			if s.Call > first.Enter { // asked for after the first grant, so the counter fell back
				name = "went back"
			}
			in.violated(r, s, []int64{first.Grant, first.Enter, s.Grant, s.Enter},
				"%s: %s and %s both got token %d for lock %s", name, evidence.NameOf(first), evidence.NameOf(s), s.Token, s.Key)
			continue
		}
		seen[s.Token] = s
		x := stamped{from: s.Call, to: s.Enter, token: s.Token, section: s}
		if s.Grant != 0 {
			x.from, x.to = s.Grant, s.Grant
		}
		list = append(list, x)
	}
	behind(list, func(late, high *stamped) {
		// If the lower token was asked for after the higher grant, the counter fell back. Otherwise
		// the two numbers may only have been drawn in another order.
		name := "not ordered by grant"
		if late.section.Call > high.section.Enter {
			name = "went back"
		}
		in.violated(r, late.section, []int64{high.section.Grant, high.section.Enter, late.section.Grant, late.section.Enter},
			"%s: lock %s was granted to %s with token %d, and after that to %s with token %d",
			name, late.section.Key, evidence.NameOf(high.section), high.token, evidence.NameOf(late.section), late.token)
	})
}

// stale looks for operations that the resource accepted although it had accepted a higher token
// before. Reads count if the policy checks them.
func (in *input) stale(r *Result) {
	reads := in.Meta.Fence == "reads-writes"
	var list []stamped
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			if in.Effect(o) != evidence.Accepted || !o.Write() && !reads || history.IsOutside(o.Item) {
				continue
			}
			took := span(o)
			list = append(list, stamped{from: took.from, to: took.to, token: o.Token, section: s, op: o})
		}
	}
	for _, group := range groups(list, func(x stamped) string { return x.op.Item }) {
		behind(group, func(late, high *stamped) {
			name := fmt.Sprintf("stale %s accepted", late.op.Kind)
			if late.token == 0 {
				name = fmt.Sprintf("unfenced %s accepted", late.op.Kind)
			}
			in.violated(r, late.section, evidence.EventsOf(high.op, late.op),
				"%s: item %s took a %s of %s with token %d, and after that a %s of %s with token %d", name, late.op.Item,
				high.op.Kind, evidence.NameOf(high.section), high.token, late.op.Kind, evidence.NameOf(late.section), late.token)
		})
	}
}

// rightful looks for operations that the resource refused although the lock server still held the
// section's grant and no higher token had been given out. Under the policy strict, a second write
// with one token may be refused.
func (in *input) rightful(r *Result) {
	var refusals []stamped
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			if in.Effect(o) == evidence.Refused && s.Grant != 0 && o.Token != 0 && !history.IsOutside(o.Item) {
				// A grant that is in force at the end of the call was in force during all of it.
				refusals = append(refusals, stamped{to: evidence.EffectSeq(o), token: o.Token, section: s, op: o})
			}
		}
	}
	if len(refusals) == 0 {
		return
	}
	slices.SortFunc(refusals, func(a, b stamped) int { return cmp.Compare(a.to, b.to) })
	entered := slices.DeleteFunc(slices.Clone(in.Sections), func(s *history.Section) bool { return !s.Entered() })
	slices.SortFunc(entered, func(a, b *history.Section) int { return cmp.Compare(a.Enter, b.Enter) })
	highest := map[string]int64{}
	used := in.used()
	for _, x := range refusals {
		for len(entered) > 0 && entered[0].Enter < x.to {
			highest[entered[0].Key] = max(highest[entered[0].Key], entered[0].Token)
			entered = entered[1:]
		}
		s := x.section
		if h := in.Holding(s); h == nil || !h.Held(x.to) || highest[s.Key] > x.token {
			continue
		}
		if first, ok := used[write{x.op.Item, x.token}]; ok && x.op.Write() && first < x.to {
			continue
		}
		name := "rightful holder refused"
		if in.Meta.Fence == "equal" {
			name += " (equality instead of order)"
		}
		in.violated(r, s, append(evidence.EventsOf(x.op), s.Grant, s.Enter),
			name+": the %s of %s with token %d, while the lock server had lock %s for it and no higher token was out",
			x.op.Kind, evidence.NameOf(s), x.token, s.Key)
	}
}

// write is the one write that a token allows under the policy strict.
type write struct {
	item  string
	token int64
}

// used returns, under the policy strict, the event at which each token was used up.
func (in *input) used() map[write]int64 {
	first := map[write]int64{}
	if in.Meta.Fence != "strict" {
		return first
	}
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			if !o.Write() || in.Effect(o) != evidence.Accepted {
				continue
			}
			w := write{o.Item, o.Token}
			if at, ok := first[w]; !ok || evidence.EffectSeq(o) < at {
				first[w] = evidence.EffectSeq(o)
			}
		}
	}
	return first
}
