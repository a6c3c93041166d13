package workload

import "testing"

func TestToyIsInTheCatalogue(t *testing.T) {
	all := Catalogue()
	if last := all[len(all)-1]; last.Name != "signature" || !last.Has("writes") || last.Has("locks") {
		t.Errorf("the last workload is %+v", last)
	}
}
