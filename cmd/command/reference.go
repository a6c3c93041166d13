package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// referencePage is a page of the documentation that is made from the program.
type referencePage struct {
	path  string // below the folder of the documentation
	title string
	about string // one line for the map of the reference
	write func(*strings.Builder) error
}

// referenceCommand writes those pages. It is hidden, since it is of use only to
// those who change the program.
func referenceCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "reference DIR",
		Short: "Write the pages of the documentation that are made from the program",
		Long: `Reference writes DIR/reference and DIR/failures.md: what this version knows of commands,
scenario files, strategies, workloads, faults, checks and points, and the failures that it
reproduces.`,
		Example:           "  lockquake reference docs",
		Hidden:            true,
		Args:              exactlyOne("a directory"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			pages, err := referenceTexts(root)
			if err != nil {
				return err
			}
			for _, p := range pages {
				path := filepath.Join(args[0], p.path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return fmt.Errorf("reference: %w", err)
				}
				if err := os.WriteFile(path, []byte(p.text), 0o644); err != nil {
					return fmt.Errorf("reference: %w", err)
				}
			}
			return nil
		},
	}
}

func referencePages(root *cobra.Command) []referencePage {
	return []referencePage{
		{"reference/commands.md", "Commands", "every command with its flags", func(b *strings.Builder) error {
			referenceCommands(b, root)
			return nil
		}},
		{"reference/scenarios.md", "Scenario files", "every key of a scenario file", referenceScenarios},
		{"reference/strategies.md", "Strategies", "every lock, what it claims, and the parts that locks are made of", referenceStrategies},
		{"reference/workloads.md", "Workloads and resources", "what workers do under a lock, and what the resource does with a token", referenceWorkloads},
		{"reference/faults.md", "Faults", "what can go wrong, with the parameters of each kind", referenceFaults},
		{"reference/checks.md", "Checks", "what runs and stored histories are judged by", referenceChecks},
		{"reference/points.md", "Points", "the named steps on which a fault can fall", referencePoints},
		{"failures.md", "Failures that are reproduced", "", referenceFailures},
	}
}

// referenceText is a page as it is in a file.
type referenceText struct{ path, text string }

// referenceTexts returns all pages, with a map of those of the reference.
func referenceTexts(root *cobra.Command) ([]referenceText, error) {
	const made = "<!-- Made from the program by lockquake reference; make update writes it anew. -->\n\n"
	var texts []referenceText
	var contents strings.Builder
	contents.WriteString(made + "# Reference\n\nMade from the program: it lists what this version knows.\n\n")
	for _, p := range referencePages(root) {
		var b strings.Builder
		fmt.Fprintf(&b, "%s# %s\n\n", made, p.title)
		if err := p.write(&b); err != nil {
			return nil, fmt.Errorf("reference: %s: %w", p.path, err)
		}
		texts = append(texts, referenceText{p.path, strings.TrimRight(b.String(), "\n") + "\n"})
		if p.about != "" {
			fmt.Fprintf(&contents, "- [%s](%s): %s\n", p.title, filepath.Base(p.path), p.about)
		}
	}
	contents.WriteString("\nThe failures that the built-in scenarios reproduce have [a page of their own](../failures.md).\n")
	return append(texts, referenceText{"reference/README.md", contents.String()}), nil
}

// referenceCode puts names into the letters of code, with commas between them.
func referenceCode[T ~string](names []T) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + string(name) + "`"
	}
	return strings.Join(quoted, ", ")
}

// referenceSentence makes a sentence of a line of a catalogue.
func referenceSentence(doc string) string {
	return strings.ToUpper(doc[:1]) + doc[1:] + "."
}
