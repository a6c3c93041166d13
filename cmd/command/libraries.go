package command

import (
	"io"

	"lockquake/scenarios"
	"lockquake/scenarios/libraries"
)

// noteLibraries prints the strategy that runs for each library among the uses that names select.
func noteLibraries(w io.Writer, s *scenarios.Scenario, names []string) {
	for _, l := range s.LibrariesOf(names) {
		say(w, "%s: nearest is %s (docs/libraries.md says where it differs)", l.Name, l.Nearest())
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

// offerLibraries appends the libraries to the strategies that a shell offers.
func offerLibraries(offer func(name, doc string)) {
	for _, l := range libraries.All() {
		offer(l.Name, "nearest is "+l.Nearest())
	}
}
