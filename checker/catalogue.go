package checker

import (
	"slices"
	"sync"
)

// Catalogue lists all checks, always in the same order. The list is always the same one, and never
// changes.
func Catalogue() []Check { return allChecks() }

//nolint:gochecknoglobals // it never changes
var allChecks = sync.OnceValue(func() []Check {
	return []Check{
		linearizableCheck(),
		lostUpdateCheck(),
		onceCheck(),
		conservedCheck(),
		boundsCheck(),
		tornReadCheck(),
		exclusionCheck(),
		capacityCheck(),
		beliefCheck(),
		fencingCheck(),
		toldCheck(),
		recoveryCheck(),
		progressCheck(),
		errorsCheck(),
		ownershipCheck(),
		needlessLossCheck(),
		stampedeCheck(),
		loadCheck(),
	}
})

// Names lists the names of the Catalogue.
func Names() []string { return NamesOf(func(Check) bool { return true }) }

// NamesOf lists the names of some checks of the Catalogue.
func NamesOf(which func(Check) bool) []string {
	var names []string
	for _, c := range Catalogue() {
		if which(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Lookup returns the check of that name.
func Lookup(name string) (Check, bool) { return lookup(Catalogue(), name) }

func lookup(catalogue []Check, name string) (Check, bool) {
	i := slices.IndexFunc(catalogue, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return catalogue[i], true
}

// Concerns returns the harm that the named check looks for, "" if there is no such check.
func Concerns(name string) Concern {
	c, _ := Lookup(name)
	return c.About
}

// Advisory reports whether the named check decides the outcome only if an expectation names it.
func Advisory(name string) bool {
	c, _ := Lookup(name)
	return c.Advisory
}
