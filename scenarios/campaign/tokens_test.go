package campaign_test

import (
	"slices"
	"testing"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

func TestTokensThatDoNotFitTheResourceAreNamedForALockOfTheCallers(t *testing.T) {
	all := scenarios.Strategies()
	mine := func(name string) lock.Entry {
		e := all[slices.IndexFunc(all, func(e lock.Entry) bool { return e.Name == name })]
		e.Name = "mine"
		return e
	}
	for _, test := range []struct {
		name  string
		lock  lock.Entry
		uses  string // in the file
		fence string
		asked string
		want  results.Tokens
	}{
		{"tokens that the resource ignores", mine("redis-fenced"), "redis", "off", "mine", results.TokensIgnored},
		{"tokens that the resource checks", mine("redis-fenced"), "redis", "reads-writes", "mine", ""},
		{"a resource that refuses work without a token", mine("redis"), "redis-fenced", "writes", "mine", results.TokensMissing},
		{"neither tokens nor a fence", mine("redis"), "redis", "off", "mine", ""},
		{"a file that turns the fence off", mine("redis-fenced"), "{name: mine, resource: {fence: off}}", "writes", "mine", ""},
		{"a lock of the catalogue", mine("redis"), "redis-fenced", "off", "redis-fenced", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenarios.Parse("tokens.yaml", []byte(`
name: tokens
duration: 5s
workers: 2
workload: {kind: counter, hold: 100ms}
lock: {ttl: 2s}
resource: {fence: `+test.fence+`}
strategies: [`+test.uses+`]
checks: [lost-update, fencing]
`), test.lock)
			if err != nil {
				t.Fatal(err)
			}
			c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: []string{test.asked}})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Strategies[0].Tokens; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A lock whose keys have other names than lockquake expects is judged by fewer checks. The report says so.
func TestALockOfTheCallersWhoseRecordsAreNotFoundIsNamed(t *testing.T) {
	all := scenarios.Strategies()
	mine := all[slices.IndexFunc(all, func(e lock.Entry) bool { return e.Name == "etcd" })]
	mine.Name = "mine"
	for _, records := range []func(string) []string{nil, mine.Records} {
		mine.Records = records
		s, err := scenarios.Parse("records.yaml", []byte(`
name: records
duration: 5s
workers: 2
workload: {kind: counter, hold: 100ms}
strategies: [mine]
checks: [lost-update, ownership]
`), mine)
		if err != nil {
			t.Fatal(err)
		}
		c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Strategies[0].Unread; (got == "") != (records != nil) {
			t.Errorf("with records %t: %q", records != nil, got)
		}
	}
}
