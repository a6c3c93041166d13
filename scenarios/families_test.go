package scenarios

import (
	"strings"
	"testing"
)

// A use of a strategy sets only what its lock or its data has: keys and parts of other families, homes
// and fence policies that its resource cannot have, and work without units are errors that say why.
func TestPairsThatCannotWork(t *testing.T) {
	const text = `
name: pairs
duration: 10s
workload: {kind: counter}
strategies:
  - redis
`
	for _, test := range []struct{ name, strategy, want string }{
		{"a transaction without its database", "{name: pg-advisory-xact, resource: {in: server}}", "f:6:5: pg-advisory-xact does its work in a transaction of its own database, so it needs resource.in: database"},
		{"a claim without jobs", "pg-skip-locked", "f:6:5: pg-skip-locked needs units of work that are each to be done once; the workload counter has none with these settings"},
		{"a policy of no database", "{name: pg-lease-row-fenced, resource: {in: database, fence: equal}}", "no database has a resource with the fence policy equal"},
		{"another one", "{name: redis-fenced, resource: {in: database, fence: volatile}}", "no database has a resource with the fence policy volatile"},
		{"a token that the lock has not", "{name: pg-lease-row, resource: {fence: writes}}", "pg-lease-row hands out no token"},
		{"several servers of one database", "{name: pg-advisory-xact, servers: {nodes: 3}}", "f:6:47: pg-advisory-xact takes its lock from one server"},
		{"a part of another family", "{name: pg-lease-row, lock: {release: plain}}", "no part of this strategy; it is of the locks on redis"},
		{"a client of another family", "{name: pg-lease-row, client: {max-retries: 3}}", "f:6:26: strategies[0].client is about servers of redis, and pg-lease-row uses those of postgres"},
		{"a pool of another family", "{name: redis, postgres: {pool-size: 3}}", "f:6:19: strategies[0].postgres is about servers of postgres, and redis uses those of redis"},
		{"servers of another family", "{name: pg-lease-row, servers: {persistence: always}}", "strategies[0].servers.persistence is about servers of redis, and pg-lease-row uses those of postgres"},
		{"a database with the data", "{name: redis, resource: {in: database}, postgres: {pool-size: 3}}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f", []byte(strings.Replace(text, "redis", test.strategy, 1)))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A setting of the whole scenario that none of its strategies has is a warning: other strategies can
// be run in it.
func TestSettingsOfNoStrategyAreAWarning(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a client", "strategies: [pg-lease-row]\nclient: {max-retries: 3}", "f:6:9: warning: no strategy has servers of redis"},
		{"servers", "strategies: [redis]\nservers: {postgres: {keepalive: 5s}}", "f:6:21: warning: no strategy has servers of postgres"},
		{"a part", "strategies: [pg-lease-row]\nlock: {release: plain}", "f:6:17: warning: no strategy has this part"},
		{"a part of one of them", "strategies: [pg-lease-row, redis]\nlock: {release: plain}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("f", []byte("\nname: warned\nduration: 10s\nworkload: {kind: counter}\n"+test.text+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range s.Warnings {
				got = append(got, w.String())
			}
			if text := strings.Join(got, "\n"); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
}
