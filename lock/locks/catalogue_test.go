package locks

import (
	"slices"
	"strings"
	"testing"

	"lockquake/lock"
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
		for _, part := range lock.Parts() {
			if !slices.Contains(part.Ways, part.Of(&e.Defaults)) {
				t.Errorf("%s: its part %s is %q, known are %v", e.Name, part.Name, part.Of(&e.Defaults), part.Ways)
			}
		}
		if e.Defaults.TTL <= 0 || e.Defaults.Retry.Attempts == 0 {
			t.Errorf("%s has a TTL of %v and %d attempts", e.Name, e.Defaults.TTL, e.Defaults.Retry.Attempts)
		}
	}
}

// A flaw is a part, a number or a server that differs from the standard recipe,
// and no two strategies are made alike.
func TestNoTwoStrategiesAreAlike(t *testing.T) {
	type recipe struct {
		params   lock.Params
		topology lock.Topology
	}
	made := map[recipe]string{}
	for _, e := range Catalogue() {
		r := recipe{e.Defaults, e.Topology}
		if other, ok := made[r]; ok {
			t.Errorf("%s is made like %s", e.Name, other)
		}
		made[r] = e.Name
		if err := e.Topology.Validate(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// What is sound says where it holds, and what is flawed claims nothing.
func TestSoundStrategiesClaim(t *testing.T) {
	for _, e := range Catalogue() {
		claims := e.Name != "none" && !e.Flawed
		if got := e.Claims.String(); (got != "") != claims {
			t.Errorf("%s, flawed %v, claims %q", e.Name, e.Flawed, got)
		}
		if ordered := e.FenceKind() == lock.FenceKindOrder; ordered != (e.Claims.Fencing != nil) && !e.Flawed {
			t.Errorf("%s has the fence %s, and claims %q", e.Name, e.FenceKind(), e.Claims)
		}
	}
}
