package stored

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/history/jepsen"
)

// set judges adds and reads of a set. No read may return an element that nobody had begun to add,
// and the final reads have to return everything that was acknowledged before they began. Earlier
// reads may miss elements, since tests of sets often promise only the final read. Final reads are
// all that began after the last acknowledgement, or the last read if there are none.
//
// This needs no search for an order: nothing is removed, so the reads show everything.
func (j *Judgement) set(operations []jepsen.Operation) error {
	adds, acknowledged, reads, err := sortSet(operations)
	if err != nil {
		return err
	}
	lastAdd := int64(0)
	for _, a := range acknowledged {
		lastAdd = max(lastAdd, a.Return)
	}
	for _, r := range reads {
		j.phantoms(r, adds)
	}
	if len(reads) == 0 {
		if j.Verdict == checker.Valid {
			j.Verdict, j.Text = checker.Unknown, "nobody has read the set"
		}
		return nil
	}
	missed := 0
	for i, r := range slices.Backward(reads) {
		if i < len(reads)-1 && r.Call < lastAdd {
			break
		}
		missed = max(missed, j.losses(r, acknowledged))
	}
	if missed > 0 && j.Verdict == checker.Valid {
		j.Verdict = checker.Unknown
		j.Text = fmt.Sprintf("%d elements were acknowledged after the last read had begun, and nobody looked for them", missed)
	}
	return nil
}

// sortSet returns the first add of each element that may have taken effect, the acknowledged adds,
// and the completed reads, in the order of their calls.
func sortSet(operations []jepsen.Operation) (adds map[string]*jepsen.Operation, acknowledged, reads []*jepsen.Operation, err error) {
	adds = map[string]*jepsen.Operation{}
	for i := range operations {
		o := &operations[i]
		ok := o.Outcome == history.OutcomeOK
		switch {
		case o.Function == "read" && ok:
			if o.Output.Kind != jepsen.Vector && o.Output.Kind != jepsen.List && o.Output.Kind != jepsen.Set {
				return nil, nil, nil, o.Output.Errorf("what a :read finds in a set is a set, a vector or a list, not %s", o.Output)
			}
			reads = append(reads, o)
		case o.Function == "add" && o.Outcome != history.OutcomeFail:
			if name := o.Input.Identity(); adds[name] == nil {
				adds[name] = o
			}
			if err := completed(o); err != nil {
				return nil, nil, nil, err
			}
			if ok {
				acknowledged = append(acknowledged, o)
			}
		}
	}
	return adds, acknowledged, reads, nil
}

// phantoms looks for elements of a read that nobody had begun to add.
func (j *Judgement) phantoms(read *jepsen.Operation, adds map[string]*jepsen.Operation) {
	var strangers []string
	var late []*jepsen.Operation
	for _, item := range read.Output.Items {
		a := adds[item.Identity()]
		if a != nil && a.Call < read.Return {
			continue
		}
		strangers = append(strangers, item.String())
		if a != nil {
			late = append(late, a)
		}
	}
	j.blame(read, strangers, late, "holds %s, which nobody had begun to add")
}

// losses looks for acknowledged elements that a final read misses. It returns how many were
// acknowledged too late for that read.
func (j *Judgement) losses(read *jepsen.Operation, acknowledged []*jepsen.Operation) (missed int) {
	holds := make(map[string]bool, len(read.Output.Items))
	for _, item := range read.Output.Items {
		holds[item.Identity()] = true
	}
	var lost []string
	var adds []*jepsen.Operation
	for _, a := range acknowledged {
		switch name := a.Input.Identity(); {
		case holds[name]:
		case a.Return > read.Call:
			missed++
		default:
			holds[name] = true // once is enough
			lost, adds = append(lost, a.Input.String()), append(adds, a)
		}
	}
	j.blame(read, lost, adds, "misses %s, acknowledged before it began")
	return missed
}

// blame records the first wrong read, with the adds that show it.
func (j *Judgement) blame(read *jepsen.Operation, elements []string, adds []*jepsen.Operation, format string) {
	if len(elements) == 0 || j.Verdict == checker.Invalid {
		return
	}
	const named, shown = 6, 24
	text := strings.Join(elements[:min(named, len(elements))], ", ")
	if more := len(elements) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	j.Verdict = checker.Invalid
	j.Text = fmt.Sprintf("the read of process %d (lines %d to %d) ", read.Process, read.Begin.Line, read.End.Line) + fmt.Sprintf(format, text)
	for _, a := range adds[:min(shown, len(adds))] {
		j.Evidence = append(j.Evidence, Shown{a, false})
	}
	j.Evidence = append(j.Evidence, Shown{read, true})
	slices.SortFunc(j.Evidence, func(a, b Shown) int { return cmp.Compare(a.Call, b.Call) })
}
