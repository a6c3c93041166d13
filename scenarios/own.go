package scenarios

import (
	"fmt"
	"regexp"
	"slices"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
)

// ownName is how a strategy of the caller's can be called: as a label, without
// what patterns, lists and paths are made of.
const ownName = `^[\pL\pN][\pL\pN_-]*$`

// CheckOwn refuses strategies of the caller's own that cannot be told from each
// other, or from those of [Strategies]. [Parse] and its kin call it too.
func CheckOwn(own ...lock.Entry) error {
	taken := map[string]string{}
	for _, e := range families(Families()).strategies() {
		taken[e.Name] = "the catalogue has a strategy of that name"
	}
	for _, e := range own {
		switch {
		case !regexp.MustCompile(ownName).MatchString(e.Name) || len(e.Name) > LongestName:
			return fmt.Errorf("%.70q is no name for a strategy of one's own: that is letters, digits, dashes and underscores, and at most %d bytes", e.Name, LongestName)
		case taken[e.Name] != "":
			return fmt.Errorf("a strategy of one's own cannot be called %s: %s", e.Name, taken[e.Name])
		case e.New == nil:
			return fmt.Errorf("the strategy %s has no function that makes one", e.Name)
		}
		taken[e.Name] = "there are two"
	}
	return nil
}

// unknownStrategy says that a name is none. A plain program has no strategies of its
// own, and the name may be that of one that another program has.
func unknownStrategy(name string, known []string, plain bool) string {
	text := strictyaml.Unknown("strategy", name, known)
	if plain && !strictyaml.Near(name, known) {
		text += "; if it is a strategy of your own, run the program that has it (see docs/your-own-lock.md)"
	}
	return text
}

// entries are the strategies that the scenario can name.
func (s *Scenario) entries() []lock.Entry { return slices.Concat(every().strategies(), s.Own) }
