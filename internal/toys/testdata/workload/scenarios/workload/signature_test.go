package workload

import (
	"slices"
	"testing"
)

func TestToyIsInTheCatalogue(t *testing.T) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(i Info) bool { return i.Name == "signature" })
	if i < 0 || !all[i].Has("writes") || all[i].Has("locks") {
		t.Errorf("the workloads are %+v", all)
	}
}
