package checker

import (
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/checker/internal/linear"
	"lockquake/history"
)

// input has the evidence of a history, the limits of the search for an order, and the units that the checks have counted.
type input struct {
	*evidence.Evidence
	limits  linear.Limits
	counted map[violation]bool
	run     *survey                  // of the run, if the history has only one of its locks; otherwise nil
	whole   *survey                  // of the run, if the history has all of it; made by surveyed
	slow    map[string]time.Duration // by lock; made by slowest
}

func newInput(h *history.History, sections []*history.Section, l linear.Limits) *input {
	in := &input{Evidence: evidence.New(h, sections), limits: l}
	if h.Meta.Part != nil {
		in.run = &survey{Part: *h.Meta.Part}
	}
	return in
}

// violated reports that one unit of the check, such as a section, violates it. A unit may have
// several findings but counts once.
func (in *input) violated(r *Result, unit any, events []int64, format string, args ...any) {
	key := violation{r.Check, unit}
	if in.counted[key] {
		r.show(events, format, args...)
		return
	}
	if in.counted == nil {
		in.counted = map[violation]bool{}
	}
	in.counted[key] = true
	r.find(Invalid, events, format, args...)
}

// violation identifies a unit that a check has already counted.
type violation struct {
	check string
	unit  any
}

// groups splits a list by a key, in the order in which the keys first occur. A list with only one
// key, the usual case, is returned as its only group without a copy.
func groups[T any](list []T, key func(T) string) [][]T {
	if len(list) == 0 {
		return nil
	}
	first := key(list[0])
	if !slices.ContainsFunc(list, func(x T) bool { return key(x) != first }) {
		return [][]T{list}
	}
	index := map[string]int{}
	var out [][]T
	for _, x := range list {
		k := key(x)
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}
