package scenarios

import (
	"slices"
	"strings"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

// decodeBound reads a bound of a file.
func decodeBound(n *strictyaml.Node, into *results.Bound) error {
	b, err := results.ParseBound(n.Text())
	if err != nil {
		return n.Errorf("%s: %v", n.Path(), err)
	}
	*into = b
	return nil
}

// ParseBounds reads bounds in the form of the command line: the name of a measure and a bound, such
// as "finished >= 99 %".
func ParseBounds(texts []string) (results.Expect, error) {
	var e results.Expect
	for _, text := range texts {
		name := strings.TrimRight(text[:len(text)-len(strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz0123456789-"))], " ")
		all := results.Measures()
		i := slices.IndexFunc(all, func(m results.Measure) bool { return m.Name == name })
		if i < 0 {
			var names []string
			for _, m := range all {
				names = append(names, m.Name)
			}
			return e, &SettingError{text, strictyaml.Unknown("measure", name, names)}
		}
		b, err := results.ParseBound(text[len(name):])
		switch {
		case err != nil:
			return e, &SettingError{text, err.Error()}
		case !slices.Contains(all[i].Units, b.Unit):
			return e, &SettingError{text, name + ": " + all[i].Misfit(b)}
		}
		*all[i].Of(&e) = b
	}
	return e, nil
}
