package checker

import (
	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func tornReadCheck() Check {
	return Check{
		Name:  "torn-read",
		Doc:   "no reader sees only a part of the work of a writer",
		Did:   "let a reader see half of a write",
		About: Corruption, Rank: 2,
		Workloads: []string{"read-write"},
		Unit:      "a section that saw only a part of the work of a writer",
		run:       tornRead,
	}
}

// tornRead looks for readers that saw a writer inside. A writer writes one value to all items, and no
// other section writes that value. A reader saw only a part of that work if it read the value from one item
// and another value from another item, which the writer wrote only afterwards; or if it saw an item
// change to that value.
//
// A writer that ended before it had written all items leaves two values behind, until the next one has
// written. Readers see both, and no lock can prevent that, so it is no violation.
func tornRead(in *input, r *Result) {
	writers := map[value]*writing{}
	for _, s := range in.Sections {
		w := &writing{section: s, ops: map[string]*history.Op{}}
		for _, o := range s.Ops {
			if o.Write() && in.Effect(o) == evidence.Accepted {
				w.ops[o.Item] = o
				writers[value{o.Item, o.Value}] = w
			}
		}
	}
	for _, s := range in.Sections {
		if s.Class == history.ClassConflict {
			continue // its strategy threw its work away
		}
		seen := reads(s)
		r.Applies = r.Applies || len(seen) > 0
		if half, before, w := sawInside(seen, writers); half != nil {
			missing := w.ops[before.Item]
			r.find(Invalid, evidence.EventsOf(before, half, missing),
				"torn: %s read %q from item %s and %q from item %s, while %s was writing: it wrote %q to item %s only later",
				evidence.NameOf(s), half.Value, half.Item, before.Value, before.Item, evidence.NameOf(w.section), missing.Value, missing.Item)
		}
	}
}

// value is a value of an item.
type value struct{ item, value string }

// writing has the writes of a section that took effect, by item.
type writing struct {
	section *history.Section
	ops     map[string]*history.Op
}

// reads returns the reads of a section whose answers it knew, nil if it also wrote.
func reads(s *history.Section) []*history.Op {
	var list []*history.Op
	for _, o := range s.Ops {
		if o.Write() {
			return nil
		}
		if o.Outcome == history.OutcomeOK {
			list = append(list, o)
		}
	}
	return list
}

// sawInside returns a read that saw the work of a writer, and one that saw an item before that writer wrote
// it; nil if there are no such reads.
func sawInside(seen []*history.Op, writers map[value]*writing) (half, before *history.Op, w *writing) {
	for _, half := range seen {
		w := writers[value{half.Item, half.Value}]
		if w == nil {
			continue // it saw what the item held before the run
		}
		for _, before := range seen {
			later := w.ops[before.Item]
			if later != nil && before.Value != half.Value && evidence.EffectSeq(before) < evidence.EffectSeq(later) {
				return half, before, w
			}
		}
	}
	return nil, nil, nil
}
