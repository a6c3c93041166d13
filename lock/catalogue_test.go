package lock

import (
	"slices"
	"strings"
	"testing"
)

// Every strategy is whole: a name of its own, one line of description, and a
// way for each part that there is.
func TestCatalogueIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		if seen[e.Name] {
			t.Errorf("two strategies are called %s", e.Name)
		}
		seen[e.Name] = true
		if e.Doc == "" || strings.Contains(e.Doc, "\n") {
			t.Errorf("%s: the doc is not one line: %q", e.Name, e.Doc)
		}
		if e.Name == "none" {
			continue
		}
		for _, part := range Parts() {
			if !slices.Contains(part.Ways, part.Of(&e.Defaults)) {
				t.Errorf("%s: its part %s is %q, known are %v", e.Name, part.Name, part.Of(&e.Defaults), part.Ways)
			}
		}
		if e.Defaults.TTL <= 0 || e.Defaults.Retry.Attempts == 0 {
			t.Errorf("%s has a TTL of %v and %d attempts", e.Name, e.Defaults.TTL, e.Defaults.Retry.Attempts)
		}
	}
}

// A flaw is a part or a number that differs from the standard recipe, and no
// two strategies are made alike.
func TestNoTwoStrategiesAreAlike(t *testing.T) {
	made := map[Params]string{}
	for _, e := range Catalogue() {
		if other, ok := made[e.Defaults]; ok {
			t.Errorf("%s is made like %s", e.Name, other)
		}
		made[e.Defaults] = e.Name
	}
}
