package locks

import (
	"fmt"
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
		parts := PartsOf(e.Family)
		for _, part := range parts {
			if way := e.Defaults.Parts[part.Name]; !slices.Contains(part.WayNames(), way) {
				t.Errorf("%s: its part %s is %q, known are %v", e.Name, part.Name, way, part.WayNames())
			}
		}
		if len(e.Defaults.Parts) != len(parts) {
			t.Errorf("%s has the parts %v, and its family %d", e.Name, e.Defaults.Parts, len(parts))
		}
		if e.Defaults.TTL <= 0 || e.Defaults.Retry.Attempts == 0 {
			t.Errorf("%s has a TTL of %v and %d attempts", e.Name, e.Defaults.TTL, e.Defaults.Retry.Attempts)
		}
	}
}

// A flaw is a part, a number or a server that differs from the standard recipe,
// and no two strategies are made alike.
func TestNoTwoStrategiesAreAlike(t *testing.T) {
	made := map[string]string{}
	for _, e := range Catalogue() {
		r := fmt.Sprintf("%+v %+v", e.Defaults, e.Topology)
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

// Every part and every way has a sentence, and the first way of a part is sound. A
// flawed strategy differs from the recipe by a flaw of a part, a number or a server.
func TestPartsSayWhatTheyAre(t *testing.T) {
	for _, part := range Parts() {
		if part.Doc == "" || part.Families == nil || part.Ways[0].Flaw {
			t.Errorf("the part %s: doc %q, families %v, first way %+v", part.Name, part.Doc, part.Families, part.Ways[0])
		}
		for _, way := range part.Ways {
			if way.Doc == "" || strings.Contains(way.Doc, "\n") {
				t.Errorf("%s: %s has the doc %q", part.Name, way.Name, way.Doc)
			}
		}
	}
	for _, e := range Catalogue() {
		for _, part := range PartsOf(e.Family) {
			for _, way := range part.Ways {
				if way.Flaw && way.Name == e.Defaults.Parts[part.Name] && !e.Flawed {
					t.Errorf("%s is sound, and has the flaw %s: %s", e.Name, part.Name, way.Name)
				}
			}
		}
	}
}
