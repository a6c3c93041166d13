package docgen

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Page is a page of the documentation.
type Page struct{ Path, Text string } // the path is below the folder of the documentation

// draft is a page whose text is not written yet.
type draft struct {
	path  string
	title string
	about string // one line for the map of the reference
	write func(*strings.Builder) error
}

// Pages returns all pages, including an index of the reference. Root is the command, and pointDoc
// returns the sentence about a point.
func Pages(root *cobra.Command, pointDoc func(point string) (string, error)) ([]Page, error) {
	const made = "<!-- Made from the program; make update writes it again. -->\n\n"
	var pages []Page
	var contents strings.Builder
	contents.WriteString(made + "# Reference\n\nThis reference is generated from the program. It lists the features of this version.\n\n")
	for _, d := range []draft{
		{"reference/commands.md", "Commands", "every command with its flags", func(b *strings.Builder) error {
			writeCommands(b, root)
			return nil
		}},
		{"reference/scenarios.md", "Scenario files", "every key of a scenario file", writeScenarios},
		{"reference/strategies.md", "Strategies", "every lock, what it claims, and the parts that locks are made of", writeStrategies},
		{"reference/workloads.md", "Workloads and resources", "the work under a lock, and the policies of the resource for tokens", writeWorkloads},
		{"reference/faults.md", "Faults", "every kind of fault with its parameters", writeFaults},
		{"reference/checks.md", "Checks", "the checks of runs and of stored histories", writeChecks},
		{"reference/metrics.md", "Metrics", "the measures of each lock: acquired, refused, timed out, failed, waits, holds, contention", writeMetrics},
		{"reference/points.md", "Points", "the named steps at which a fault can happen", func(b *strings.Builder) error {
			return writePoints(b, pointDoc)
		}},
		{"failures.md", "Reproduced failures", "", writeFailures},
		{"libraries.md", "Libraries by name", "", writeLibraries},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s# %s\n\n", made, d.title)
		if err := d.write(&b); err != nil {
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
		pages = append(pages, Page{d.path, strings.TrimRight(b.String(), "\n") + "\n"})
		if d.about != "" {
			fmt.Fprintf(&contents, "- [%s](%s): %s\n", d.title, filepath.Base(d.path), d.about)
		}
	}
	contents.WriteString("\nThe failures that the built-in scenarios reproduce have [a page of their own](../failures.md).\n")
	return append(pages, Page{"reference/README.md", contents.String()}), nil
}

// code formats names as code, with commas between them.
func code[T ~string](names []T) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + string(name) + "`"
	}
	return strings.Join(quoted, ", ")
}

// sentence makes a sentence from a line of a catalogue.
func sentence(doc string) string {
	return strings.ToUpper(doc[:1]) + doc[1:] + "."
}
