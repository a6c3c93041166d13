package checker

import (
	"cmp"
	"slices"

	"lockquake/history"
)

// state is what the model of one item of the resource holds: its value, and
// the highest token that counts.
type state struct {
	value string
	mark  int64
}

// access is one read or write of a step, and what is known to have become of it.
type access struct {
	op      *history.Op
	refused bool
	maybe   bool // it may as well not have happened
	unseen  bool // a read whose value the worker never learned, or not in time
}

// step is what the model takes at once: a whole section, or one operation.
type step struct {
	accesses []access // of one item, in the order of their effects
	section  *history.Section
	call     int64 // it took place after this
	ret      int64 // and before this; forever if it never ended
	at       int64 // its place in the order that the record suggests
}

// rule is what a resource claims to do with tokens.
type rule struct {
	tokens bool // it looks at them at all
	reads  bool // reads present theirs too, and raise the mark
	above  bool // a write has to rise above the mark
}

// ruleOf returns the rule that a resource's policy claims to keep to. The
// flawed policies claim what writes does; judged by that they are found out.
func ruleOf(fence string) (rule, bool) {
	switch fence {
	case "", "off":
		return rule{}, true
	case "writes", "equal", "check-then-write", "volatile":
		return rule{tokens: true}, true
	case "strict":
		return rule{tokens: true, above: true}, true
	case "reads-writes":
		return rule{tokens: true, reads: true}, true
	}
	return rule{}, false
}

// allows reports whether the resource has to accept o when its mark is at
// mark; otherwise it has to refuse it. A resource that looks at tokens refuses
// every request that brings none.
func (r rule) allows(mark int64, o *history.Op) bool {
	switch {
	case !r.tokens:
		return true
	case o.Token == 0:
		return false
	case !o.Write():
		return !r.reads || o.Token >= mark
	case r.above:
		return o.Token > mark
	default:
		return o.Token >= mark
	}
}

// take lets one access happen. It returns false if the access contradicts the
// state: a read of another value, an answer that the rule does not give.
func (r rule) take(s state, a *access) (state, bool) {
	allowed := r.allows(s.mark, a.op)
	if a.refused || !allowed {
		return s, a.refused && !allowed
	}
	write := a.op.Write()
	if write {
		s.value = a.op.Value
	} else if !a.unseen && s.value != a.op.Value {
		return s, false
	}
	if r.tokens && (write || r.reads) {
		s.mark = max(s.mark, a.op.Token)
	}
	return s, true
}

// model steps through sets of states: where it is not known whether a write
// happened, both go on. It stops when its steps are used up.
type model struct {
	rule      rule
	left      int     // accesses that may still be tried
	now, next []state // room of step, kept between calls
}

// step appends to dst, which is empty, the states that s can lead to from
// those in src, in order and without repetition. None means that s cannot
// happen here. With maybe, s as a whole may as well not have happened yet.
func (m *model) step(dst, src []state, s *step, maybe bool) []state {
	m.now = append(m.now[:0], src...)
	for i := range s.accesses {
		a := &s.accesses[i]
		m.next = m.next[:0]
		for _, from := range m.now {
			if m.left--; m.left < 0 {
				return dst
			}
			if a.maybe {
				m.next = insert(m.next, from)
			}
			if to, ok := m.rule.take(from, a); ok {
				m.next = insert(m.next, to)
			}
		}
		m.now, m.next = m.next, m.now
	}
	dst = append(dst, m.now...)
	if maybe {
		for _, from := range src {
			dst = insert(dst, from)
		}
	}
	return dst
}

// insert adds s to a sorted set.
func insert(set []state, s state) []state {
	i, found := slices.BinarySearchFunc(set, s, func(a, b state) int {
		return cmp.Or(cmp.Compare(a.mark, b.mark), cmp.Compare(a.value, b.value))
	})
	if found {
		return set
	}
	return slices.Insert(set, i, s)
}
