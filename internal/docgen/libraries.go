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
		"A scenario file names it in the same way (`strategies: [redsync]`), and what the file sets counts over the parts of the library.\n" +
		"Its label is the name of the library. It is not the code of the library: this page says where they differ. A library\n" +
		"has no claims of its own. TTL and retries are those of the scenario; the numbers of the library\n" +
		"are below, to be set with `--set` or in the file. What is not marked as inferred was read in the file that is linked, at that commit;\n" +
		"other versions can differ. `lockquake list libraries` prints the names, and `lockquake list libraries redsync` one section of this page.\n\n")
	b.WriteString("| library | nearest strategy | its published bugs that are reproduced |\n|---|---|---|\n")
	for _, l := range libraries.All() {
		fmt.Fprintf(b, "| [%s](#%[1]s) | %s | %s |\n", l.Name, nearest(l), links(l.Bugs))
	}
	for _, l := range libraries.All() {
		writeLibrary(b, l)
	}
	return nil
}

func writeLibrary(b *strings.Builder, l libraries.Library) {
	fmt.Fprintf(b, "\n## %s\n\n[%s](https://github.com/%[2]s), read at %s. Nearest is %s.\n\n", l.Name, l.Project, l.Read(), nearest(l))
	for _, kind := range []struct {
		of    libraries.Kind
		title string
	}{{libraries.Same, "As the strategy"}, {libraries.Differs, "Differs"}, {libraries.Default, "Its defaults"}} {
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
		fmt.Fprintf(b, "Its numbers in a scenario: `lock: {%s}`\n\n", l.Defaults)
	}
	if l.Bugs != nil {
		fmt.Fprintf(b, "Its published bugs that are reproduced, of this or an older version: %s.\n\n", links(l.Bugs))
	}
	fmt.Fprintf(b, "With its parts the strategy fails in %s:\n\n    lockquake reproduce %s --strategy %s\n", links(l.Fails), l.Fails[0], l.Name)
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
