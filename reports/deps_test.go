package reports

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that writes reports of stored results links no engine, server or client.
func TestReportsLinkNoEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "lockquake/reports").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		for _, engine := range []string{"lockquake/sim", "lockquake/lock", "miniredis", "gopher-lua", "go-redis"} {
			if strings.Contains(path, engine) {
				t.Errorf("reports links %s", path)
			}
		}
	}
}
