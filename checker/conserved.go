package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func conservedCheck() Check {
	return Check{
		Name: "conserved",
		Doc:  "no work changes the total of all items: what one item loses, another gains",
		Did:  "changed the total of all items",
		DidIn: map[string]string{
			"transfer":   "changed the total of the accounts",
			"flash-sale": "sold pieces that the stock did not lose",
		},
		About: Corruption, Rank: 2,
		Workloads: []string{"transfer", "flash-sale"},
		Unit:      "a piece of work that changed the total",
		run:       conserved,
	}
}

// conserved looks for work that changes the total of all items. A piece of work is all sections of
// one unit, or one section without a unit. Every item holds a number, and an empty one 0.
//
// There are two ways to change the total. A write takes the work of others away if its section had
// seen another value than the one that the write replaces. And work is torn if one of its writes
// took effect and another did not, or was never sent.
func conserved(in *input, r *Result) {
	moved, err := in.movements()
	switch {
	case err != nil:
		r.Applies = true
		r.find(Unknown, nil, "cannot tell: %v", err)
		return
	case !in.Witnessed():
		in.total(r, moved)
		return
	}
	bySection := map[*history.Section][]*movement{}
	for _, m := range moved {
		bySection[m.section] = append(bySection[m.section], m)
	}
	for _, sections := range groups(in.Sections, pieceOf) {
		var all []*movement
		var by int64
		for _, s := range sections {
			for _, m := range bySection[s] {
				all = append(all, m)
				by += m.by
			}
		}
		r.Applies = r.Applies || len(all) > 0
		if by != 0 {
			in.unbalanced(r, sections, all, by)
		}
	}
}

// pieceOf returns the name of the work that a section is a part of.
func pieceOf(s *history.Section) string { return cmp.Or(s.Unit, evidence.NameOf(s)) }

// movement is a write that took effect, or may have.
type movement struct {
	op      *history.Op
	section *history.Section
	by      int64       // what it added to the item
	seen    *history.Op // the last operation on the item whose answer the section had; nil: none
	over    *movement   // the write that it overwrote; nil: none
	prior   string      // the value that it overwrote
}

// movements returns the writes in the order of their effects.
func (in *input) movements() ([]*movement, error) {
	var list []*movement
	for _, s := range in.Sections {
		seen := map[string]*history.Op{}
		for _, o := range s.Ops {
			if e := in.Effect(o); o.Write() && (e == evidence.Accepted || e == evidence.Maybe) {
				list = append(list, &movement{op: o, section: s, seen: seen[o.Item]})
			}
			if o.Outcome == history.OutcomeOK {
				seen[o.Item] = o
			}
		}
	}
	slices.SortFunc(list, func(a, b *movement) int { return cmp.Compare(evidence.EffectSeq(a.op), evidence.EffectSeq(b.op)) })
	last := map[string]*movement{}
	for _, m := range list {
		m.prior, m.over = in.Meta.Initial[m.op.Item], last[m.op.Item]
		if m.over != nil {
			m.prior = m.over.op.Value
		}
		last[m.op.Item] = m
		before, err := number(m.prior)
		if err != nil {
			return nil, err
		}
		after, err := number(m.op.Value)
		if err != nil {
			return nil, err
		}
		m.by = after - before
	}
	return list, nil
}

// unbalanced reports a piece of work that changed the total.
func (in *input) unbalanced(r *Result, sections []*history.Section, moved []*movement, by int64) {
	if r.full() {
		r.count(Invalid)
		return
	}
	work := pieceOf(sections[0])
	torn := true
	for _, m := range moved {
		if m.over == nil || m.over.section == m.section || m.seen == nil || m.seen.Value == m.prior {
			continue
		}
		torn = false
		in.violated(r, work, evidence.EventsOf(m.seen, m.over.op, m.op),
			"overwritten: %s saw %s of item %s and wrote %s over %s, the work of %s: the total changes by %+d",
			evidence.NameOf(m.section), orZero(m.seen.Value), m.op.Item, m.op.Value, m.prior, evidence.NameOf(m.over.section), by)
	}
	if !torn {
		return
	}
	var did, missing []string
	var ops []*history.Op
	for _, m := range moved {
		did = append(did, fmt.Sprintf("%s changed item %s by %+d", evidence.NameOf(m.section), m.op.Item, m.by))
		ops = append(ops, m.op)
	}
	for _, s := range sections {
		for _, o := range s.Ops {
			if e := in.Effect(o); o.Write() && (e == evidence.Refused || e == evidence.Dropped) {
				missing = append(missing, fmt.Sprintf("the write of %s to item %s by %s took no effect", o.Value, o.Item, evidence.NameOf(s)))
				ops = append(ops, o)
			}
		}
	}
	if missing == nil {
		missing = []string{"wrote nothing more"}
	}
	in.violated(r, work, evidence.EventsOf(ops...), "torn: %s, and %s: the total changes by %+d", strings.Join(did, ", "), strings.Join(missing, ", "), by)
}

// orZero returns the text of a number that an empty item holds too.
func orZero(value string) string { return cmp.Or(value, "0") }

// total compares the total at the end with that at the start, for histories without a record.
func (in *input) total(r *Result, moved []*movement) {
	r.Applies = len(moved) > 0
	final := map[string]string{}
	var events []int64
	for i := range in.Events {
		if e := &in.Events[i]; e.Type == history.Final {
			final[e.Key] = e.Value
			events = append(events, e.Seq)
		}
	}
	unsure := ""
	for _, m := range moved {
		if _, ok := final[m.op.Item]; !ok {
			unsure = "the history does not say what item " + m.op.Item + " held at the end"
		} else if in.Effect(m.op) == evidence.Maybe && unsure == "" {
			unsure = "nobody knows whether the write of " + m.op.Value + " to item " + m.op.Item + " took effect"
		}
	}
	start, err := sum(in.Meta.Initial)
	if err != nil {
		unsure = err.Error()
	}
	end, err := sum(final)
	if err != nil {
		unsure = err.Error()
	}
	switch {
	case !r.Applies || unsure == "" && start == end:
	case unsure != "":
		r.find(Unknown, nil, "cannot tell: %s", unsure)
	default:
		r.find(Invalid, events, "total: all items held %d at the start and %d at the end", start, end)
	}
}

// sum adds the numbers of items.
func sum(items map[string]string) (total int64, err error) {
	for _, value := range items { // the order does not matter to a sum
		n, err := number(value)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
