package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// level is how GitHub shows an annotation.
type level string

// The levels.
const (
	errorLevel   level = "error"
	warningLevel level = "warning"
)

// annotation is a message that GitHub shows beside a line of a file, or only on the page of the job if
// it has no file.
type annotation struct {
	level level
	file  string
	line  int
	title string
	text  string
}

// maxAnnotations is the number of annotations of a level that GitHub shows for a step.
const maxAnnotations = 10

// annotate prints annotations if the program runs in GitHub Actions, the errors first. It prints to
// standard error, which the runner reads too, so that standard output stays one document.
func annotate(w io.Writer, list []annotation) {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return
	}
	for _, l := range []level{errorLevel, warningLevel} {
		of := slices.DeleteFunc(slices.Clone(list), func(a annotation) bool { return a.level != l })
		if more := len(of) - maxAnnotations; more > 0 {
			of = of[:maxAnnotations]
			of[maxAnnotations-1] = annotation{level: l, title: "lockquake", text: fmt.Sprintf("%d more, see the report", more+1)}
		}
		for _, a := range of {
			fmt.Fprintln(w, a)
		}
	}
}

// String prints the command of a workflow that makes the annotation.
func (a annotation) String() string {
	var properties []string
	if a.file != "" {
		properties = append(properties, "file="+escapeProperty(a.file), "line="+strconv.Itoa(max(1, a.line)))
	}
	properties = append(properties, "title="+escapeProperty(a.title))
	return fmt.Sprintf("::%s %s::%s", a.level, strings.Join(properties, ","), escapeMessage(a.text))
}

// escapeMessage writes the characters that would end a command of a workflow as their codes.
func escapeMessage(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// escapeProperty also writes those as their codes that would end a property.
func escapeProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeMessage(text))
}

// annotationsOf returns an annotation for each strategy of a campaign that is not as expected or unknown,
// and for each other reason of the verdict.
func annotationsOf(c *results.Campaign, file string, text []byte) []annotation {
	var list []annotation
	said := map[string]bool{}
	for _, st := range c.Strategies {
		a := annotation{
			level: errorLevel, file: file, line: scenarios.StrategyLine(text, st.Use()),
			title: c.Scenario + ": " + st.Label, text: tables.Explained(c, st),
		}
		switch tables.OutcomeOf(st) {
		case tables.Unexpected:
			found := st.Contradiction()
			said[found.Text] = true
			a.title += ", " + found.About
			if token := st.Checks[found.About].Replay; token != "" {
				a.text += "\n" + words.ReplayLine(c.Program, token)
			}
		case tables.Undecided:
			a.level = warningLevel
			said[st.Undecided(c.Needed)] = true
		case tables.AsExpected, tables.Unasked:
			continue
		}
		list = append(list, a)
	}
	for _, reason := range c.Reasons {
		if said[reason] {
			continue
		}
		a := annotation{level: errorLevel, file: file, line: 1, title: c.Scenario, text: reason}
		if results.IsUnknown(reason) {
			a.level = warningLevel
		}
		list = append(list, a)
	}
	return list
}

// annotationsOfComparison returns an error for each check that got worse, and a warning if that cannot
// be told.
func annotationsOfComparison(c *reports.Comparison, file string, text []byte) []annotation {
	var list []annotation
	for _, d := range c.Worsened() {
		list = append(list, annotation{
			level: errorLevel, file: file, line: scenarios.StrategyLine(text, withoutCase(d.Strategy)),
			title: fmt.Sprintf("%s: %s, %s", c.Head.Scenario, d.Strategy, d.About), text: d.Text,
		})
	}
	unsure := c.Unsure()
	if len(list) > 0 || len(unsure) == 0 {
		return list
	}
	first := unsure[0]
	a := annotation{
		level: warningLevel, file: file, line: scenarios.StrategyLine(text, withoutCase(first.Strategy)),
		title: fmt.Sprintf("%s: %s, %s", c.Head.Scenario, first.Strategy, first.About), text: first.Text,
	}
	if more := len(unsure) - 1; more > 0 {
		a.text += fmt.Sprintf(", and %d more", more)
	}
	return []annotation{a}
}

// withoutCase returns the label of a use without its case.
func withoutCase(label string) string {
	use, _, _ := strings.Cut(label, " under ")
	return use
}

// inRepository returns the path of a scenario's file as an annotation names it, from the root of the
// repository, "" if there is no such file or the scenario is built in.
func inRepository(path string) string {
	if _, err := os.Stat(path); err != nil || slices.Contains(scenarios.Builtins(), path) {
		return ""
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	root := cmp.Or(os.Getenv("GITHUB_WORKSPACE"), ".")
	if root, err = filepath.Abs(root); err != nil {
		return path
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return filepath.ToSlash(rel)
}
