package linear

import (
	"cmp"
	"slices"

	"lockquake/history"
)

// state is the state of the model of one item: its value, the highest token that counts, and the
// number of its values so far, if the rule counts them.
type state struct {
	value   string
	mark    int64
	version int64
}

// Access is one read or write of a step, and what is known of its effect.
type Access struct {
	Op      *history.Op
	Refused bool
	Maybe   bool // it may or may not have happened
	Unseen  bool // a read whose value the worker never learned, or not in time
}

// Step is a transition of the model: a whole section, or a single operation.
type Step struct {
	Accesses []Access         // of one item, in the order of their effects
	Section  *history.Section // nil for the read of the final value
	Call     int64            // it took effect after this event
	Return   int64            // and before this event; evidence.Forever if it never ended
	At       int64            // its position in the recorded order
}

// Rule is the rule for tokens and conditions that a resource claims to follow.
type Rule struct {
	tokens bool // the resource checks tokens
	reads  bool // reads carry tokens too, and raise the mark
	above  bool // the token of a write has to be above the mark
	first  bool // only a write to an empty item is accepted, whatever its token

	// Conditions: the resource checks the conditions of writes. Without it the versions of an item
	// are not counted.
	Conditions bool
}

// Of returns the rule for one item: items outside of the resource have rules of their own.
func (r Rule) Of(item string) Rule {
	if history.IsOutside(item) {
		return Rule{first: history.IsKeyed(item)}
	}
	return r
}

// RuleOf returns the rule of a resource's policy, and whether the policy is known. The flawed
// policies claim the rule of writes, and the check finds where they break it.
func RuleOf(fence string) (Rule, bool) {
	switch fence {
	case "", "off":
		return Rule{}, true
	case "writes", "equal", "check-then-write", "volatile":
		return Rule{tokens: true}, true
	case "strict":
		return Rule{tokens: true, above: true}, true
	case "reads-writes":
		return Rule{tokens: true, reads: true}, true
	}
	return Rule{}, false
}

// allows reports whether the resource has to accept o in a state; otherwise it has to refuse o.
func (r Rule) allows(s state, o *history.Op) bool {
	if r.first {
		return !o.Write() || s.value == ""
	}
	return r.allowsToken(s.mark, o) && (!r.Conditions || s.meets(o.If))
}

// meets reports whether a condition holds in a state.
func (s state) meets(c *history.Condition) bool {
	switch {
	case c == nil:
		return true
	case c.By == "value":
		return s.version > 0 && s.value == c.Value
	default:
		return s.version == c.Version
	}
}

// allowsToken reports whether the resource has to accept the token of o when its highest token so
// far is mark. A resource that checks tokens refuses every request without one.
func (r Rule) allowsToken(mark int64, o *history.Op) bool {
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

// take applies one access to a state. It returns false if the access contradicts the state: it read
// another value, or was accepted or refused against the rule.
func (r Rule) take(s state, a *Access) (state, bool) {
	allowed := r.allows(s, a.Op)
	if a.Refused || !allowed {
		return s, a.Refused && !allowed
	}
	write := a.Op.Write()
	if write {
		s.value = a.Op.Value
		if r.Conditions {
			s.version++
		}
	} else if !a.Unseen && s.value != a.Op.Value {
		return s, false
	}
	if r.tokens && (write || r.reads) {
		s.mark = max(s.mark, a.Op.Token)
	}
	return s, true
}

// model keeps the set of states that are possible so far. A write that may or may not have happened
// leads to two states. The model stops when it has used up its steps.
type model struct {
	rule      Rule
	left      int     // accesses that may still be tried
	now, next []state // buffers of step, reused between calls
}

// step applies s to each state of src and appends the possible results to dst, which is empty,
// sorted and without duplicates. No result means that s cannot happen here. With maybe, s as a
// whole may not have happened yet, so the states of src are results too.
func (m *model) step(dst, src []state, s *Step, maybe bool) []state {
	m.now = append(m.now[:0], src...)
	for i := range s.Accesses {
		a := &s.Accesses[i]
		m.next = m.next[:0]
		for _, from := range m.now {
			if m.left--; m.left < 0 {
				return dst
			}
			if a.Maybe {
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
		return cmp.Or(cmp.Compare(a.mark, b.mark), cmp.Compare(a.value, b.value), cmp.Compare(a.version, b.version))
	})
	if found {
		return set
	}
	return slices.Insert(set, i, s)
}
