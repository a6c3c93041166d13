package docgen

import (
	"fmt"
	"reflect"
	"strings"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// writeMetrics writes the metrics, and the measures that an expectation can bound.
func writeMetrics(b *strings.Builder) error {
	b.WriteString("The metrics are the figures that a monitor of the lock's callers would show, and the cost of the lock to them. They are\n" +
		"computed from the history of a run, so they mean the same for every lock. `report.html` and `report.md` have them as tables, `results.json`\n" +
		"has them as `metrics` of each strategy, and `lockquake run --metrics` prints the most important ones. The metrics of several runs are added up.\n\n" +
		"A *section* is one use of the lock, from the call to the return. Each answered section is counted once, as `acquisitions`,\n" +
		"`refused`, `timed_out` or `failed`. The other sections crashed while they waited, or still waited at the end of\n" +
		"the run. All times are virtual, in nanoseconds. A spread counts cases with their durations: `n`, `total`, `median`, `p90`,\n" +
		"`p99` and `max`; its quantiles are precise to 1.6 %.\n\n")
	for field := range reflect.TypeFor[checker.Metrics]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fmt.Fprintf(b, "- **%s** (%s): %s\n", name, unit(field.Type), field.Tag.Get("doc"))
	}
	b.WriteString("\n## Measures\n\nAn expectation can bound these; see [thresholds](../ci.md#thresholds).\n\n")
	for _, m := range results.Measures() {
		fmt.Fprintf(b, "- **%s** (such as `%s`): %s\n", m.Name, m.Example(), m.Doc)
	}
	return nil
}

// unit says what the values of a metric are.
func unit(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[checker.Spread]():
		return "a spread"
	case reflect.TypeFor[checker.Sum]():
		return "a time"
	case reflect.TypeFor[float64]():
		return "a number"
	}
	return "a count"
}
