package scenarios

import (
	"strings"
	"testing"
)

func TestALeaseMustBeLongerThanItsRenewDeadline(t *testing.T) {
	const file = `name: x
duration: 60s
workload: {kind: counter}
lock: {ttl: 10s}
strategies:
  - {name: kube-lease, lock: {renew-deadline: 5s}}
  - {name: redis}
`
	tests := []struct {
		name, old, changed, want string
	}{
		{"shorter", "", "", ""},
		{"not of the strategy", "{name: redis}", "{name: redis, lock: {renew-deadline: 10s}}", ""},
		{"as long", "renew-deadline: 5s", "renew-deadline: 10s", "f:6:47: kube-lease: renew-deadline must be less than the lease of 10s, and is 10s"},
		{"short lease", "ttl: 10s", "ttl: 5s", "f:6:47: kube-lease: renew-deadline must be less than the lease of 5s, and is 5s"},
		{"lease of whole seconds", "ttl: 10s", "ttl: 5900ms", "f:6:47: kube-lease: renew-deadline must be less than the lease of 5s, and is 5s"},
		{"no second", "ttl: 10s", "ttl: 900ms", "f:4:13: kube-lease: ttl must be at least 1s, since a Lease has whole seconds, and is 900ms"},
		{"of one worker", "workload:", "each: [{worker: worker-1, lock: {ttl: 4s}}]\nworkload:", "f:3:39: kube-lease: renew-deadline must be less than the lease of 4s, and is 5s"},
	}
	for _, tt := range tests {
		_, err := Parse("f", []byte(strings.Replace(file, tt.old, tt.changed, 1)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
