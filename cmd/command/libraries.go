package command

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/libraries"
)

// noteLibraries prints the strategy that runs for each library among the uses that names select.
func noteLibraries(w io.Writer, s *scenarios.Scenario, names []string) {
	for _, l := range s.LibrariesOf(names) {
		say(w, "%s: nearest is %s (differences: lockquake list libraries %s)", l.Name, l.Nearest(), l.Name)
	}
}

// listLibraries lists the libraries, each with the strategy that is nearest.
func listLibraries() ([]listed, error) {
	var lines []listed
	for _, l := range libraries.All() {
		lines = append(lines, listed{l.Name, l.Project + " " + l.Read(), l.Nearest()})
	}
	return lines, nil
}

// printLibrary prints what is known of a library.
func printLibrary(w io.Writer, l libraries.Library) error {
	var b bytes.Buffer
	screen := screenOf(w)
	screen.Prose(&b, "", "", "  ", l.Name+": "+l.Project+", read at "+l.Read()+"; nearest is "+l.Nearest())
	for _, kind := range []libraries.Kind{libraries.Same, libraries.Differs, libraries.Default} {
		head := string(kind) + ":\n"
		for _, f := range l.Facts {
			if f.Kind == kind {
				b.WriteString(head)
				head = ""
				screen.Prose(&b, "", "- ", "  ", f.Text+" ("+cmp.Or(f.File, "inferred")+")")
			}
		}
	}
	if l.Defaults != "" {
		b.WriteString("its numbers in a scenario:\n  lock: {" + l.Defaults + "}\n")
	}
	if len(l.Bugs) > 0 {
		screen.Prose(&b, "", "", "  ", "published bugs that are reproduced: "+strings.Join(l.Bugs, ", "))
	}
	if len(l.Fails) > 0 {
		screen.Prose(&b, "", "", "  ", "with its parts the strategy fails in: "+strings.Join(l.Fails, ", "))
		b.WriteString("  lockquake reproduce " + l.Fails[0] + " --strategy " + l.Name + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// offerLibraries appends the libraries to the strategies that a shell offers.
func offerLibraries(offer func(name, doc string)) {
	for _, l := range libraries.All() {
		offer(l.Name, "nearest is "+l.Nearest())
	}
}
