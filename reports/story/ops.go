package story

import (
	"cmp"
	"fmt"

	"lockquake/history"
	"lockquake/reports/words"
)

// tellOperation adds the line of a read or a write when the resource accepts or refuses
// it. If the resource has no events of its own, the line comes with the reply.
func (t *teller) tellOperation(e *history.Event, o *history.Op) {
	switch e.Type {
	case history.Invoke:
		t.sentInLease[o.Request] = t.leased(o)
		t.step[o.Worker] = "with its " + o.Kind + " under way"
	case history.Applied:
		t.effect(e, o, e.Accepted, e.Value)
	default: // OK, Fail, Info
		t.step[o.Worker] = "after its " + o.Kind
		if e.Type == history.Info {
			t.say(forOp(e, o), o.Worker, waiting, "gets no reply to its %s", describe(o))
		} else if !t.witnessed {
			t.effect(e, o, e.Type == history.OK, o.Value)
		}
	}
}

// leased reports whether the worker of an operation has a lease of the lock that it is done under.
func (t *teller) leased(o *history.Op) bool {
	s := t.sections[sectionID{o.Worker, o.Section}]
	return s != nil && t.lock(s.Key).has(o.Worker)
}

// forOp returns an event with the worker and the section of its operation, which an event
// of the resource may lack.
func forOp(e *history.Event, o *history.Op) *history.Event {
	of := *e
	of.Worker, of.Section = o.Worker, o.Section
	return &of
}

func describe(o *history.Op) string {
	if o.Write() {
		return "write of " + words.Quoted(o.Value)
	}
	return "read"
}

// effect adds the line for the effect of an operation.
func (t *teller) effect(e *history.Event, o *history.Op, accepted bool, value string) {
	it, id := t.item(o.Item), sectionID{o.Worker, o.Section}
	t.touched = it
	text := o.Kind + "s"
	if o.If != nil {
		value = o.Value // of a refused write too
	}
	if o.Write() || accepted {
		text += " " + words.Quoted(value)
	}
	// A write that arrives after the end of its worker's lease has words of its own.
	if o.Write() && t.sentInLease[o.Request] && t.hasServers && !t.leased(o) {
		text = fmt.Sprintf("write of %s, sent at %s, lands", words.Quoted(o.Value), moment(o.InvokeAt))
	}
	if s := t.sections[id]; s != nil && s.Return != 0 && o.Invoke > s.Return {
		text += " after its release"
	}
	if len(t.items) > 1 {
		text += " (" + o.Item + ")"
	}
	if !accepted {
		if t.say(forOp(e, o), o.Worker, cause, "%s: %s", text, refusal(o, e.Mark)) {
			t.note("refused", o.Token)
		}
		return
	}
	if !o.Write() {
		it.reads[id] = e.Seq
		if holds := cmp.Or(e.Prior, value); e.Type == history.Applied && holds != value {
			text += ", out of date: the resource holds " + words.Quoted(holds)
		} else if e.Type == history.Applied && it.had[value] && it.value != value { // by a replica that lags
			text += ", out of date: the resource holds " + words.Quoted(it.value)
		}
		t.say(forOp(e, o), o.Worker, work, "%s", text)
		return
	}
	over := t.overwrites(it, id)
	text += t.again(e, it)
	it.had[it.value] = true
	it.value, it.writes, it.last = value, it.writes+1, &lastWrite{e.Seq, id, value}
	w := work
	if over != nil {
		w, text = turning, fmt.Sprintf("%s over %s's %s: update lost", text, over.who.worker, words.Quoted(over.value))
	}
	if !t.say(forOp(e, o), o.Worker, w, "%s", text) {
		t.skip(e, o)
		return
	}
	line := &t.lines[len(t.lines)-1]
	line.loses, line.changes = over != nil, true
	t.note("took", 0)
}

// again says how often a unit of work, such as a tick, has been done, at the writes of the evidence after the first.
func (t *teller) again(e *history.Event, it *item) string {
	if !t.scope.units || !t.proves(e) {
		return ""
	}
	switch it.done++; it.done {
	case 1:
		return ""
	case 2:
		return ": done twice"
	}
	return fmt.Sprintf(": done %d times", it.done)
}

// overwrites returns the write of another section that this section undoes: the section read
// the item before that write.
func (t *teller) overwrites(it *item, id sectionID) *lastWrite {
	read, ok := it.reads[id]
	if !t.builds() || !t.witnessed || !ok || it.last == nil {
		return nil
	}
	if it.last.seq < read || it.last.who == id {
		return nil
	}
	return it.last
}

// note adds the answer of the resource to its cell in the last line.
func (t *teller) note(did string, token int64) {
	if !t.witnessed {
		return
	}
	cell := &t.lines[len(t.lines)-1].Resource
	if token != 0 {
		did += fmt.Sprintf(" #%d", token)
	}
	*cell += ", " + did
}

func refusal(o *history.Op, mark int64) string {
	switch {
	case history.IsKeyed(o.Item):
		return "refused, its idempotency key was used"
	case o.If != nil && o.If.By == "value":
		return "refused, the value is no longer " + words.Quoted(o.If.Value)
	case o.If != nil && o.If.Version == 0:
		return "refused, it exists"
	case o.If != nil:
		return "refused, another write came first"
	case o.Token == 0:
		return "refused, no token"
	case mark > o.Token:
		return fmt.Sprintf("refused, %d is below %d", o.Token, mark)
	}
	return fmt.Sprintf("token %d refused", o.Token)
}
