package scenarios

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/scenarios/results"
)

// A bound of each measure is met by a figure on its right side and by no other.
func TestBoundsOfEachMeasure(t *testing.T) {
	m := checker.Metrics{Jobs: 100, Finished: 97, Calls: 100, Acquisitions: 80, Contended: 30, ContendedOf: 90, GivenUpNeedlessly: 1, LossesNoticed: 3, LossesUnnoticed: 1, Commands: 400}
	for range 99 {
		m.Wait.Add(time.Second)
		m.Hold.Add(2 * time.Second)
	}
	for range 4 {
		m.Refused.Add(time.Millisecond)
		m.TimedOut.Add(time.Second)
		m.TimedOut.Add(time.Second)
		m.Failed.Add(time.Second)
	}
	m.Wait.Add(time.Minute)
	m.Hold.Add(time.Hour)
	for _, test := range []struct{ measure, met, missed string }{
		{"finished", ">= 97 %", "> 97 %"},
		{"acquired", ">= 80 %", "> 80"},
		{"refused", "<= 4 %", "< 4"},
		{"timed-out", "<= 8 %", "< 8"},
		{"failed", "= 4", "0"},
		{"contended", "<= 34 %", "< 30"},
		{"lost", "<= 5 %", "0"},
		{"given-up", "= 1", "0"},
		{"wait-p50", "<= 1.1s", "<= 900ms"},
		{"wait-p90", "<= 1.1s", "<= 900ms"},
		{"wait-p99", "<= 1.1s", "> 2s"},
		{"wait-max", "<= 1m", "< 1m"},
		{"hold-p50", "<= 2.1s", "<= 1s"},
		{"hold-p90", "<= 2.1s", "<= 1s"},
		{"hold-p99", "<= 2.1s", "<= 1s"},
		{"hold-max", ">= 1h", "< 1h"},
		{"commands", "<= 5", "< 5"},
	} {
		for text, want := range map[string]bool{test.met: true, test.missed: false} {
			b, err := results.ParseBound(text)
			if err != nil {
				t.Fatal(err)
			}
			var e results.Expect
			i := slices.IndexFunc(results.Measures(), func(m results.Measure) bool { return m.Name == test.measure })
			*results.Measures()[i].Of(&e) = b
			if got := e.Judge(&m); len(got) != 1 || got[0].Met != want {
				t.Errorf("%s %s: %v", test.measure, text, got)
			}
		}
	}
}

const bounded = `name: bounded
duration: 10s
seeds: 5
workers: 2
workload: {kind: counter, hold: 100ms}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 50ms}}
strategies: [redis]
expect:
  redis: {holds: [exclusion], finished: ">= 99 %", wait-p99: "<= 5s", lost: 0}
`

func TestWrongBoundsAreNamed(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{`">= 99 %"`, `often`, `bounded.yaml:9:41: expect.redis.finished: "often" is not a bound`},
		{`">= 99 %"`, `"<= 5s"`, `bounded.yaml:9:41: expect.redis.finished: "<= 5s" has the wrong unit; write a bound such as ">= 95 %"`},
		{`">= 99 %"`, `99 %`, `bounded.yaml:9:41: expect.redis.finished: "99 %" has no comparison: write ">= 99 %" or "<= 99 %"`},
		{`">= 99 %"`, `">= 99"`, `bounded.yaml:9:41: expect.redis.finished: ">= 99" has no unit; write a bound such as ">= 95 %"`},
		{`">= 99 %"`, `"95"`, `bounded.yaml:9:41: expect.redis.finished: "95" has no comparison; write a bound such as ">= 95 %"`},
		{`wait-p99`, `wait-p9`, `bounded.yaml:9:52: unknown key "wait-p9"`},
	} {
		_, err := Parse("bounded.yaml", []byte(strings.Replace(bounded, test.from, test.to, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v\nwant %s", err, test.want)
		}
	}
}
