package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockquake/lock"
	"lockquake/scenarios/libraries"
)

// Uses returns the uses of strategies to run: those of the scenario, and one of each strategy in
// own that it does not use. Names, if there are any, select among them by label or by name, and may
// name other strategies of the catalogue. A name that is unknown is an [*UnknownStrategyError]; a
// use that cannot be run under the settings of the scenario is a [*SettingError].
func (s *Scenario) Uses(names []string, own map[string]lock.Entry) ([]Strategy, error) {
	all := slices.Clone(s.Strategies)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		brought := slices.ContainsFunc(s.Own, func(e lock.Entry) bool { return e.Name == name }) // is run where it is named
		if !brought && !slices.ContainsFunc(all, func(u Strategy) bool { return u.Name == name }) {
			all = append(all, s.underCases(Strategy{Name: name, Label: name})...)
		}
	}
	if len(names) == 0 {
		return all, s.fit(all)
	}
	var chosen []Strategy
	for _, name := range names {
		uses := named(all, name)
		if uses == nil {
			uses = s.ofCatalogue(name)
		}
		if uses == nil {
			uses = s.ofLibrary(name)
		}
		if uses == nil {
			return nil, &UnknownStrategyError{Name: name, Scenario: s.Name, Known: s.knownStrategies(all), Plain: len(s.Own) == 0}
		}
		for _, u := range uses {
			if !slices.ContainsFunc(chosen, func(c Strategy) bool { return c.Label == u.Label }) {
				chosen = append(chosen, u)
			}
		}
	}
	return chosen, s.fit(chosen)
}

// Use returns the label of the use without its case.
func (s Strategy) Use() string { return strings.TrimSuffix(s.Label, " under "+s.Case) }

// named returns the use with a label, or if there is none every use of the strategy
// of that name, and those with that label under any case.
func named(all []Strategy, name string) []Strategy {
	var uses []Strategy
	for _, u := range all {
		if u.Label == name {
			return []Strategy{u}
		}
		if u.Name == name || u.Use() == name || u.Library == name {
			uses = append(uses, u)
		}
	}
	return uses
}

// ofCatalogue returns the uses of a strategy of the catalogue in a scenario that does not name it:
// one for each case, or a single one if the name is its label.
func (s *Scenario) ofCatalogue(name string) []Strategy {
	for _, e := range s.entries() {
		uses := s.underCases(Strategy{Name: e.Name, Label: e.Name})
		if e.Name == name {
			return uses
		}
		if i := slices.IndexFunc(uses, func(u Strategy) bool { return u.Label == name }); i >= 0 {
			return uses[i : i+1]
		}
	}
	return nil
}

// UnknownStrategyError reports a name that is neither in the scenario nor in the catalogue.
type UnknownStrategyError struct {
	Name     string
	Scenario string
	Known    []string
	Plain    bool // the program has no strategies of its own
}

func (e *UnknownStrategyError) Error() string {
	return fmt.Sprintf("%s: %s", e.Scenario, unknownStrategy(e.Name, e.Known, e.Plain))
}

func (s *Scenario) knownStrategies(uses []Strategy) []string {
	var names []string
	for _, u := range uses {
		names = append(names, u.Label)
	}
	for _, e := range s.entries() {
		names = append(names, e.Name)
	}
	names = append(names, libraryNames()...)
	once := names[:0]
	for _, name := range names { // a use may have the name of its strategy
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// libraryNames lists the libraries.
func libraryNames() []string {
	var names []string
	for _, l := range libraries.All() {
		names = append(names, l.Name)
	}
	return names
}

// librarySpellings lists all names of the libraries, in lower case.
func librarySpellings() []string {
	names := libraryNames()
	for _, l := range libraries.All() {
		names = append(names, l.Aliases...)
	}
	return names
}
