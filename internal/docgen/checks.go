package docgen

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/checker/stored"
)

// writeChecks writes the checks of runs, and the models of stored histories.
func writeChecks(b *strings.Builder) error {
	b.WriteString("A check is valid, invalid or unknown. Unknown is never a pass. [The checks](../verdicts.md)\n" +
		"says what each check asks, and what it cannot find. An advisory check does not decide a run unless an expectation\n" +
		"names it. A check *of holders* has nothing to judge under a strategy\n" +
		"that takes no lock, such as `optimistic`. A check *of grants* has nothing to judge under a strategy whose owners keep their\n" +
		"grant across sections, such as `single-writer`.\n\n")
	for _, c := range checker.Catalogue() {
		on := "every workload"
		if c.Workloads != nil {
			names := slices.Clone(c.Workloads)
			for i, name := range names {
				if c.OfTries(name) {
					names[i] += " (under a strategy that limits the tries)"
				}
			}
			on = "the workloads " + strings.Join(names, ", ")
		}
		fmt.Fprintf(b, "- **%s**: %s. For %s. One violation is %s.%s\n", c.Name, c.Doc, on, c.Unit, checkNotes(c))
	}
	b.WriteString("\n## Models of stored histories\n\n`lockquake check` judges a history of Jepsen by one of these models ([details](../check.md)).\n\n")
	for _, m := range stored.Models() {
		fmt.Fprintf(b, "- **%s** (%s): %s\n", m.Name, strings.Join(m.Functions, ", "), m.Doc)
	}
	return nil
}

// checkNotes returns the special properties of a check, "" if there are none.
func checkNotes(c checker.Check) string {
	notes := ""
	if c.OfHolders {
		notes += " Of holders."
	}
	if c.NoRate != "" {
		notes += " It has no rate for each hour or acquisition: " + c.NoRate + "."
	}
	if c.OfGrants {
		notes += " Of grants."
	}
	if c.Advisory {
		notes += " It is advisory."
	}
	return notes
}
