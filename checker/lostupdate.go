package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func lostUpdateCheck() Check {
	return Check{
		Name: "lost-update",
		Doc:  "no increment, and no element that is added to a set, overwrites one that its section had not read",
		Did:  "lost updates",
		DidIn: map[string]string{
			"set-add": "lost elements of the set",
		},
		About: Corruption, Rank: 1,
		Workloads: []string{"counter", "multi-lock", "set-add", "leader", "leader-election", "nested"},
		Unit:      "a write that overwrites one or more increments that its section had not seen",
		run:       lostUpdate,
	}
}

// lostUpdate looks for increments of a counter that another write overwrote without having seen
// them. A set is a counter of its elements, which are only added. The basis of a write is the last value of the item that its
// section had read, or had written and knew of. An item that began empty began at 0.
//
// A write without a basis sets the counter on purpose. It is not a lost update and does not cause
// one, and the sum of the increments goes on from its value.
//
// One violation is a write over updates that it had not seen, no matter how many. Consequences of
// such a write, such as a final value that is too low, are shown and not counted again.
func lostUpdate(in *input, r *Result) {
	all := in.updates()
	var reads map[string][]*history.Op
	if !in.Witnessed() {
		reads = in.reads()
	}
	for _, updates := range groups(all, func(u update) string { return u.op.Item }) {
		r.Applies = true
		evidence.SortBy(updates, func(u *update) int64 { return evidence.EffectSeq(u.op) })
		c := counter{input: in, result: r, item: updates[0].op.Item}
		if in.Meta.Workload == "set-add" {
			c.set, c.noun = true, " elements"
		}
		if err := c.start(updates); err != nil {
			r.find(Unknown, nil, "not a counter: item %s: %v", c.item, err)
			continue
		}
		if in.Witnessed() {
			c.recorded(updates)
		} else {
			c.reported(updates, reads[c.item])
		}
	}
}

// reads returns the reads with the outcome ok, by item and in the order of their calls.
func (in *input) reads() map[string][]*history.Op {
	reads := map[string][]*history.Op{}
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			if !o.Write() && o.Outcome == history.OutcomeOK {
				reads[o.Item] = append(reads[o.Item], o)
			}
		}
	}
	for _, list := range reads { // each is sorted on its own
		slices.SortFunc(list, func(a, b *history.Op) int { return cmp.Compare(a.Invoke, b.Invoke) })
	}
	return reads
}

// update is a write that took effect or may have.
type update struct {
	op      *history.Op
	section *history.Section
	basis   *history.Op // nil: it has none
	maybe   bool

	old, new int64 // value of the basis, value written
}

// delta returns what the update adds to its basis.
func (u *update) delta() int64 { return u.new - u.old }

// updates returns the writes of the history, section by section.
func (in *input) updates() []update {
	var list []update
	bases := map[string]*history.Op{} // by item: the last operation with outcome ok
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			e := in.Effect(o)
			if e == evidence.Dropped || e == evidence.Refused {
				continue
			}
			if o.Write() {
				u := update{op: o, section: s, maybe: e == evidence.Maybe}
				b := bases[o.Item]
				if b != nil && b.Worker == s.Worker && b.Section == s.N && b.Return < o.Invoke {
					u.basis = b
				}
				list = append(list, u)
			}
			if o.Outcome == history.OutcomeOK {
				bases[o.Item] = o
			}
		}
	}
	return list
}

// counter judges one item.
type counter struct {
	*input
	result *Result
	item   string
	set    bool   // the values are sets, their elements separated by spaces
	noun   string // for what is counted, after a number
	first  int64  // value at the start
	final  *int64 // value at the end, if the history has it
	ended  int64  // event of the final value
}

// start parses all values. It returns an error if one is not a number.
func (c *counter) start(updates []update) (err error) {
	if c.first, err = c.number(c.Meta.Initial[c.item]); err != nil {
		return err
	}
	if e := c.Final(c.item); e != nil {
		n, err := c.number(e.Value)
		if err != nil {
			return err
		}
		c.final, c.ended = &n, e.Seq
	}
	for i := range updates {
		u := &updates[i]
		if u.new, err = c.number(u.op.Value); err != nil {
			return err
		}
		if u.basis == nil {
			continue
		}
		if u.old, err = c.number(u.basis.Value); err != nil {
			return err
		}
	}
	return nil
}

// number returns the number that a value is, or the size of the set.
func (c *counter) number(value string) (int64, error) {
	if c.set {
		return int64(len(strings.Fields(value))), nil
	}
	return number(value)
}

func number(value string) (int64, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", value)
	}
	return n, nil
}

// recorded judges by the resource's own record. It goes through the writes in the order of their
// effects and compares the basis of each with the value that it overwrote.
func (c *counter) recorded(updates []update) {
	value, sum := c.first, c.first
	content := c.Meta.Initial[c.item]
	counted := c.result.Count
	for i := range updates {
		u := &updates[i]
		if u.basis == nil {
			value, sum, content = u.new, u.new, u.op.Value
			continue
		}
		if u.old != value || c.set && u.basis.Value != content {
			c.addLostUpdate(u, value, updates[:i])
		}
		sum += u.delta()
		value, content = u.new, u.op.Value
	}
	if c.final == nil {
		return
	}
	switch {
	case *c.final != value:
		c.result.find(Invalid, []int64{c.ended}, "final value: item %s ended at %d, but its last accepted write left %d", c.item, *c.final, value)
	case *c.final != sum && c.result.Count > counted: // without a violation they add up
		c.result.show([]int64{c.ended}, "final value: item %s ended at %d, but its %d accepted writes add up to %d", c.item, *c.final, len(updates), sum)
	}
}

// addLostUpdate reports that u overwrote a value that it had not seen. The lost updates are those
// of before that came after its basis.
func (c *counter) addLostUpdate(u *update, value int64, before []update) {
	if c.result.full() {
		c.result.count(Invalid)
		return
	}
	events := evidence.EventsOf(u.basis, u.op)
	var lost []string
	const most = 3
	for i := len(before) - 1; i >= 0 && evidence.EffectSeq(before[i].op) > evidence.EffectSeq(u.basis); i-- {
		if len(lost) == most {
			lost = append(lost, "others")
			break
		}
		lost = append(lost, fmt.Sprintf("%s (wrote %d)", evidence.NameOf(before[i].section), before[i].new))
		events = append(events, evidence.EventsOf(before[i].op)...)
	}
	whose := fmt.Sprintf("which it began with, and no section had written %d", u.old)
	switch {
	case len(lost) > 0:
		slices.Reverse(lost)
		whose = "the work of " + strings.Join(lost, ", ")
	case len(before) > 0: // its basis was out of date
		last := before[len(before)-1]
		whose = fmt.Sprintf("which %s had written before that", evidence.NameOf(last.section))
		events = append(events, evidence.EventsOf(last.op)...)
	}
	c.result.find(Invalid, events, "lost update: %s saw %d%s of item %s and wrote %d over %d, %s",
		evidence.NameOf(u.section), u.old, c.noun, c.item, u.new, value, whose)
}

// reported judges by the workers' reports, for histories without a record. It looks for three
// signs: more writes continued from a value than it occurred, a read returned less than an
// increment had left before, or the final value is not the sum of the increments. Each write of the
// first kind is one violation. The other two signs count only if there is no violation of the first
// kind.
func (c *counter) reported(updates []update, reads []*history.Op) {
	occurred := map[int64]int{c.first: 1} // by value: how often it occurred at most
	for i := range updates {
		occurred[updates[i].new]++
	}
	continued := map[int64]*update{} // by value: the last write that continued from it
	counted := c.result.Count
	sum, perhaps := c.first, int64(0)
	grows := true
	for i := range updates {
		u := &updates[i]
		grows = grows && u.basis != nil && u.delta() > 0
		switch {
		case u.basis == nil:
		case u.maybe:
			perhaps += u.delta()
		default:
			sum += u.delta()
			if occurred[u.old]--; occurred[u.old] < 0 && continued[u.old] != nil {
				other := continued[u.old]
				c.result.find(Invalid, evidence.EventsOf(other.op, u.op),
					"lost update: %s and %s both incremented the %d%s of item %s%s", evidence.NameOf(other.section), evidence.NameOf(u.section), u.old, c.noun, c.item, c.empty(u, other))
			}
			continued[u.old] = u
		}
	}
	if !grows {
		return // a value may come back, and the sum means nothing
	}
	sign := func(events []int64, format string, args ...any) {
		if c.result.Count > counted {
			c.result.show(events, format, args...)
			return
		}
		c.result.find(Invalid, events, format, args...)
	}
	c.wentBack(updates, reads, sign)
	if c.final != nil && (*c.final < sum || *c.final > sum+perhaps) {
		sign([]int64{c.ended}, "final value: item %s ended at %d, but its %d writes add up to %d, and perhaps %d more",
			c.item, *c.final, len(updates), sum, perhaps)
	}
}

// empty explains where the 0 comes from that updates incremented, if both have read no number.
func (c *counter) empty(updates ...*update) string {
	for _, u := range updates {
		if c.set || u.basis.Value != "" {
			return ""
		}
	}
	return ": both read it empty, which counts as 0"
}

// wentBack looks for reads that return less than a write had left that ended before the read began.
// The updates are in the order of their ends, if they have one.
func (c *counter) wentBack(updates []update, reads []*history.Op, sign func(events []int64, format string, args ...any)) {
	updates = slices.DeleteFunc(slices.Clone(updates), func(u update) bool { return u.maybe })
	var top *update
	for _, o := range reads {
		for len(updates) > 0 && updates[0].op.Return < o.Invoke {
			if top == nil || updates[0].new > top.new {
				top = &updates[0]
			}
			updates = updates[1:]
		}
		if top == nil {
			continue
		}
		if n, err := c.number(o.Value); err == nil && n < top.new {
			sign(evidence.EventsOf(top.op, o),
				"went back: %s's section %d read %d of item %s after %s had written %d",
				o.Worker, o.Section, n, c.item, evidence.NameOf(top.section), top.new)
		}
	}
}
