package docgen

import (
	"fmt"
	"strings"

	"lockquake/scenarios/libraries"
)

// writeLibraries writes the libraries, each with the strategy that is nearest and with where it
// differs.
func writeLibraries(b *strings.Builder) error {
	b.WriteString("`--strategy redsync` runs the strategy that is nearest to a library, with the library's parts, in any scenario:\n\n" +
		"    lockquake run gc-pause --strategy redsync,redisson,shedlock-redis\n\n" +
		"A scenario file names a library in the same way (`strategies: [redsync]`). Values that the file sets override the parts of the\n" +
		"library. The label of the strategy is the name of the library. The strategy does not run the code of the library: this page\n" +
		"lists the differences. A library has no claims of its own. TTL and retries are those of the scenario. To use the library's own\n" +
		"numbers, set the values below with `--set` or in the file. Each fact was read in the linked file at that commit, unless it is\n" +
		"marked as inferred; other versions can differ. `lockquake list libraries` prints the names, and `lockquake list libraries redsync`\n" +
		"prints one section of this page.\n\n")
	b.WriteString("| library | nearest strategy | reproduced bugs |\n|---|---|---|\n")
	for _, l := range libraries.All() {
		fmt.Fprintf(b, "| [%s](#%[1]s) | %s | %s |\n", l.Name, nearest(l), links(l.Bugs))
	}
	for _, l := range libraries.All() {
		writeLibrary(b, l)
	}
	return nil
}

func writeLibrary(b *strings.Builder, l libraries.Library) {
	fmt.Fprintf(b, "\n## %s\n\n[%s](https://github.com/%[2]s), read at %s. The nearest strategy is %s.\n\n", l.Name, l.Project, l.Read(), nearest(l))
	for _, kind := range []struct {
		of    libraries.Kind
		title string
	}{{libraries.Same, "Same as the strategy"}, {libraries.Differs, "Different from the strategy"}, {libraries.Default, "Defaults of the library"}} {
		var facts []string
		for _, f := range l.Facts {
			if f.Kind == kind.of {
				facts = append(facts, fmt.Sprintf("- %s %s\n", sentence(f.Text), where(l, f)))
			}
		}
		if facts != nil {
			fmt.Fprintf(b, "%s:\n\n%s\n", kind.title, strings.Join(facts, ""))
		}
	}
	if l.Defaults != "" {
		fmt.Fprintf(b, "The same defaults in a scenario: `lock: {%s}`\n\n", l.Defaults)
	}
	if l.Bugs != nil {
		fmt.Fprintf(b, "Scenarios that reproduce published bugs of this or an older version: %s.\n\n", links(l.Bugs))
	}
	fmt.Fprintf(b, "With the parts of the library the strategy fails in %s:\n\n    lockquake reproduce %s --strategy %s\n", links(l.Fails), l.Fails[0], l.Name)
}

// where returns the source of a fact.
func where(l libraries.Library, f libraries.Fact) string {
	if f.File == "" {
		return "(inferred)"
	}
	name := f.File[strings.LastIndex(f.File, "/")+1:]
	return fmt.Sprintf("([%s](https://github.com/%s/blob/%s/%s))", name, l.Project, l.Commit, f.File)
}

// nearest returns the strategy as a link, with the parts to set.
func nearest(l libraries.Library) string {
	text := fmt.Sprintf("[%s](reference/strategies.md#%[1]s)", l.Preset)
	if l.Lock != "" {
		text += " with `" + l.Lock + "`"
	}
	return text
}

// links returns scenarios as links, or a dash for none.
func links(names []string) string {
	if names == nil {
		return "-"
	}
	var linked []string
	for _, name := range names {
		linked = append(linked, fmt.Sprintf("[%s](failures.md#%[1]s)", name))
	}
	return strings.Join(linked, ", ")
}
