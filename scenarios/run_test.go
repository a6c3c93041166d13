package scenarios

import (
	"context"
	"testing"
)

func TestSmoke(t *testing.T) {
	for _, name := range Builtins() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Run(context.Background(), s, WithSeeds(1, 20))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %s", name, c.Summary())
		for _, st := range c.Strategies {
			t.Logf("   %s %s: %d of %d, %v, %v acq %d", st.Label, st.Fence, st.Violating, st.Runs, st.Checks, st.Expected, st.Acquisitions)
		}
		for _, f := range c.Faults {
			t.Logf("   fault %v", f)
		}
	}
}
