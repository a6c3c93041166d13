package checker

import (
	"cmp"
	"slices"
	"strings"

	"lockquake/checker/internal/evidence"
	"lockquake/checker/internal/linear"
	"lockquake/history"
)

func linearizableCheck() Check {
	return Check{
		Name:  "linearizable",
		Doc:   "every section is one atomic step, and the resource follows its policy for tokens",
		Did:   "was not linearizable",
		About: Corruption, Rank: 4,
		Unit: "an item for which no order of its sections, or of its operations, explains the values", NoRate: "it stops at the first contradiction",
		run: linearizable,
	}
}

// linearizable asks two questions about each item of the resource, and both answers must be yes.
// Does the lock make sections atomic: does some order of whole sections explain what they read? And
// does the resource follow its policy: does some order of the single operations, with their tokens,
// explain what was read, accepted and refused? The final value counts as a read by one more section: a
// server of the data may have lost a write that nobody read.
func linearizable(in *input, r *Result) {
	rule, known := linear.RuleOf(in.Meta.Fence)
	if !known {
		r.Applies = true
		r.find(Unknown, nil, "unknown policy: the resource's policy %q has no model", in.Meta.Fence)
		return
	}
	for _, x := range in.items() {
		r.Applies = true
		start, exists := in.Meta.Initial[x.name]
		rule.Conditions = x.conditional
		if end := in.Final(x.name); end != nil {
			x.sections = append(x.sections, lastRead(end))
		}
		// The order of sections ignores tokens and conditions; the order of single operations checks
		// them.
		in.judge(r, x.name, "sections", &linear.Search{Start: start, Steps: x.sections, Limits: in.limits})
		in.judge(r, x.name, "operations", &linear.Search{Start: start, Exists: exists, Steps: x.singles, Limits: in.limits, Rule: rule.Of(x.name)})
	}
}

// lastRead returns the value of an item at the end as a step that reads it after all others.
func lastRead(end *history.Event) linear.Step {
	read := &history.Op{Kind: "read", Item: end.Key, Value: end.Value, Invoke: end.Seq, Return: end.Seq, Outcome: history.OutcomeOK}
	return linear.Step{Accesses: []linear.Access{{Op: read}}, Call: end.Seq, Return: end.Seq, At: end.Seq}
}

func (in *input) judge(r *Result, item, what string, s *linear.Search) {
	a := s.Decide()
	switch a.Order {
	case linear.Exists:
	case linear.None:
		text, events := s.Explain(a)
		r.find(Invalid, events, "item %s is not linearizable: no order of its %s explains the values: %s", item, what, text)
	case linear.Undecided:
		r.find(Unknown, nil, "cannot tell: whether an order explains the %d %s of item %s is beyond the bounds of the search", len(s.Steps), what, item)
	}
}

// item has the operations on one item of the resource, as section steps and as single steps.
type item struct {
	name        string
	sections    []linear.Step
	singles     []linear.Step
	conditional bool // some of its writes have a condition
}

// items groups the operations of the history by item, in the order in which the items first occur.
func (in *input) items() []*item {
	total := 0
	for _, s := range in.Sections {
		total += len(s.Ops)
	}
	// At most two accesses an operation, allocated at once.
	room := make([]linear.Access, 0, 2*total)
	index := map[string]*item{}
	var list []*item
	var ops []*history.Op
	for _, s := range in.Sections {
		ops = append(ops[:0], s.Ops...)
		slices.SortStableFunc(ops, func(a, b *history.Op) int {
			return cmp.Or(strings.Compare(a.Item, b.Item), cmp.Compare(evidence.EffectSeq(a), evidence.EffectSeq(b)))
		})
		for len(ops) > 0 {
			n := 1
			for n < len(ops) && ops[n].Item == ops[0].Item {
				n++
			}
			x := index[ops[0].Item]
			if x == nil {
				x = &item{name: ops[0].Item}
				if len(list) == 0 { // usually the only one
					x.singles, x.sections = make([]linear.Step, 0, total), make([]linear.Step, 0, len(in.Sections)+1) // and the final value
				}
				index[x.name] = x
				list = append(list, x)
			}
			room = in.add(x, s, ops[:n], room)
			ops = ops[n:]
		}
	}
	return list
}

// add appends the operations of s on one item, as one section step and as single steps. It appends
// their accesses to room and returns it. The reads of a section that ended with conflict do not count,
// since its strategy threw its work away.
func (in *input) add(x *item, s *history.Section, ops []*history.Op, room []linear.Access) []linear.Access {
	useless := func(o *history.Op) bool { return s.Class == history.ClassConflict && !o.Write() }
	for _, o := range ops {
		e := in.Effect(o)
		if e == evidence.Dropped || useless(o) {
			continue
		}
		a := linear.Access{Op: o, Refused: e == evidence.Refused, Maybe: e == evidence.Maybe, Unseen: o.Outcome != history.OutcomeOK}
		room = append(room, a)
		x.conditional = x.conditional || o.If != nil
		x.singles = append(x.singles, linear.Step{
			Accesses: room[len(room)-1:], Section: s, Call: o.Invoke, Return: evidence.SettledBy(o), At: evidence.EffectSeq(o),
		})
	}
	// A section's step begins when it was entered, or at its first operation if that was earlier.
	// It lasts until the section was left and its writes have settled.
	whole := linear.Step{Section: s, Call: ops[0].Invoke, Return: s.Leave}
	if s.Enter != 0 {
		whole.Call = s.Enter
	}
	if whole.Return == 0 {
		whole.Return = s.Return
	}
	if whole.Return == 0 {
		whole.Return = evidence.Forever
	}
	first, wrote := len(room), false
	for _, o := range ops {
		e := in.Effect(o)
		unseen := !o.Write() && o.Outcome != history.OutcomeOK
		whole.Call = min(whole.Call, o.Invoke)
		if e == evidence.Dropped || e == evidence.Refused || unseen || useless(o) {
			continue // the section learned nothing from a read without a reply
		}
		room = append(room, linear.Access{Op: o, Maybe: e == evidence.Maybe})
		whole.Return = max(whole.Return, evidence.SettledBy(o))
		// The section's position in the recorded order is that of its last write, or else its last
		// read.
		if o.Write() || !wrote {
			whole.At, wrote = evidence.EffectSeq(o), o.Write()
		}
	}
	if whole.Accesses = room[first:]; len(whole.Accesses) > 0 {
		x.sections = append(x.sections, whole)
	}
	return room
}
