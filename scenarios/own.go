package scenarios

import (
	"fmt"
	"regexp"
	"slices"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
)

// ownName matches the name of a strategy of the caller's: a label without the special characters of
// patterns, lists and paths.
const ownName = `^[\pL\pN][\pL\pN_-]*$`

// CheckOwn refuses strategies of the caller's own that have the same name as each other or as one
// of [Strategies]. [Parse] and [Load] call it too.
func CheckOwn(own ...lock.Entry) error {
	taken := map[string]string{}
	for _, e := range Strategies() {
		taken[e.Name] = "the catalogue has a strategy of that name"
	}
	for _, e := range own {
		switch {
		case !regexp.MustCompile(ownName).MatchString(e.Name) || len(e.Name) > LongestName:
			return fmt.Errorf("%.70q is not a name for a strategy of your own: use letters, digits, dashes and underscores, and at most %d bytes", e.Name, LongestName)
		case taken[e.Name] != "":
			return fmt.Errorf("a strategy of your own cannot be called %s: %s", e.Name, taken[e.Name])
		case e.New == nil:
			return fmt.Errorf("the strategy %s has no function that makes one", e.Name)
		}
		taken[e.Name] = "there are two"
	}
	return nil
}

// unknownStrategy returns the error text for an unknown name. In a plain program, which has no
// strategies of its own, the name may belong to another program.
func unknownStrategy(name string, known []string, plain bool) string {
	text := strictyaml.Unknown("strategy", name, known)
	if plain && !strictyaml.Near(name, known) {
		text += "; if it is a strategy of your own, run the program that has it (see docs/your-own-lock.md)"
	}
	return text
}

// entries returns the strategies that the scenario can name. The caller must not change them.
func (s *Scenario) entries() []lock.Entry {
	if len(s.Own) == 0 {
		return Strategies()
	}
	return slices.Concat(Strategies(), s.Own)
}
