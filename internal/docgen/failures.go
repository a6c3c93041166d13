package docgen

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/scenarios"
)

// recipes is the source of a scenario that is in the group of the flawed recipes.
const recipes = "published lock recipes"

// writeFailures writes the built-in scenarios, by where they come from.
func writeFailures(b *strings.Builder) error {
	if err := writeRecord(b); err != nil {
		return err
	}
	writeFindings(b)
	b.WriteString("\n## All scenarios\n\nThis section has the story, the source and the expectations of each built-in scenario. A strategy must violate some\n" +
		"checks in at least one run, and hold others in every run. The tests run all scenarios.\n\n" +
		"`lockquake reproduce NAME` runs each strategy once and prints the run with the worst violation as a story. `lockquake run NAME`\n" +
		"runs all seeds and compares the result with the expectations. A flawed recipe without a source is a published lock recipe in general.\n\n")
	groups := []struct {
		title, about string
		names        []string
	}{
		{"Published failures", "Failures from bug reports, articles and documentation.", nil},
		{"Flawed recipes", "Lock recipes from articles, libraries and code reviews, and the faults that break them.", nil},
		{"Calibration", "Scenarios whose result can be calculated.", nil},
	}
	loaded := map[string]*scenarios.Scenario{}
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.Load(name)
		if err != nil {
			return err
		}
		loaded[name] = s
		i := 0
		switch {
		case s.Source == "":
			i = 2
		case strings.Contains(s.Source, recipes):
			i = 1
		}
		groups[i].names = append(groups[i].names, name)
	}
	for _, g := range groups {
		var links []string
		for _, name := range g.names {
			links = append(links, fmt.Sprintf("[%s](#%[1]s)", name))
		}
		fmt.Fprintf(b, "- %s: %s\n", g.title, strings.Join(links, ", "))
	}
	for _, g := range groups {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n", g.title, g.about)
		for _, name := range g.names {
			writeFailure(b, loaded[name])
		}
	}
	return nil
}

// writeFailure writes one scenario with what it expects.
func writeFailure(b *strings.Builder, s *scenarios.Scenario) {
	title, story, _ := strings.Cut(storyOf(string(s.Text)), "\n\n")
	fmt.Fprintf(b, "### %s\n\n**%s**\n\n%s\n\n", s.Name, title, story)
	if s.Source != "" && s.Source != recipes {
		fmt.Fprintf(b, "Source: %s.\n\n", s.Source)
	}
	if s.Claims {
		fmt.Fprintf(b, "    lockquake run %s\n\nExpected of each strategy is [what it claims](reference/strategies.md).\n\n", s.Name)
		return
	}
	fmt.Fprintf(b, "    lockquake reproduce %s\n\n", s.Name)
	b.WriteString("| strategy | must violate | must hold |\n|---|---|---|\n")
	for _, use := range s.Strategies {
		label := "`" + use.Label + "`"
		if use.Label != use.Name {
			label += " (" + use.Name + ")"
		}
		e := s.Expect[use.Label]
		fmt.Fprintf(b, "| %s | %s | %s |\n", label, checkList(e.Violates), checkList(e.Holds))
	}
	b.WriteByte('\n')
}

// checkList joins the names of checks, or returns a dash for none.
func checkList(checks []string) string {
	if len(checks) == 0 {
		return "-"
	}
	return strings.Join(checks, ", ")
}

// storyOf returns the comment at the top of a scenario file: a title, an empty line, and what happens.
func storyOf(text string) string {
	lines := strings.Split(text, "\n")
	if end := slices.IndexFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "#") }); end >= 0 {
		lines = lines[:end]
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, "#"), " ")
	}
	return strings.Join(lines, "\n")
}
