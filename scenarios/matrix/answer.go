package matrix

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/scenarios/results"
)

// The numbers of strategies that an answer names.
const (
	mostTaken   = 3
	mostAvoided = 3
	mostUnknown = 3
)

// answer picks the answer to a need from its judged rows, which are sorted. It recommends no
// strategy with a known flaw, and one of each family of servers.
func answer(n *results.MatrixNeed) results.MatrixAnswer {
	a := results.MatrixAnswer{Take: []string{}, Avoid: []string{}}
	for i := range n.Rows {
		r := &n.Rows[i]
		switch {
		case r.Baseline:
		case r.Verdict == results.CellHolds:
			a.Hold++
			if len(a.Take) < mostTaken && !r.Flawed && !kin(n, r, a.Take) {
				a.Take = append(a.Take, r.Label)
			}
		case r.Verdict == results.CellFails:
			a.Fail++
			if len(a.Avoid) < mostAvoided {
				a.Avoid = append(a.Avoid, r.Label)
			}
		default:
			a.Undecided++
			if len(a.Unknown) < mostUnknown {
				a.Unknown = append(a.Unknown, r.Label)
			}
		}
	}
	a.Note = note(n)
	return a
}

// kin reports whether one of the labels is of the same strategy, or of one on the same servers.
func kin(n *results.MatrixNeed, r *results.MatrixRow, labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool {
		o := n.Row(label)
		return o.Strategy == r.Strategy || o.Family == r.Family && r.Family != ""
	})
}

// note compares the uses with the suffix of the need with those without it.
func note(n *results.MatrixNeed) string {
	i := slices.IndexFunc(Needs(), func(need Need) bool { return need.Name == n.Name })
	if i < 0 || Needs()[i].Suffix == "" {
		return ""
	}
	need := Needs()[i]
	var with, without, all int
	for _, r := range n.Rows {
		switch suffixed := strings.HasSuffix(r.Label, need.Suffix); {
		case r.Baseline:
		case suffixed && r.Verdict == results.CellHolds:
			with++
		case !suffixed:
			all++
			if r.Verdict == results.CellHolds {
				without++
			}
		}
	}
	return fmt.Sprintf("%s: %s. Without it %d of %d strategies held, with it %d.", need.Suffix, need.SuffixDoc, without, all, with)
}
