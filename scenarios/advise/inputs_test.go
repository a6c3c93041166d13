package advise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// inputs answers the questions by given values, and the others by their defaults.
func inputs(t *testing.T, given map[string]string) Inputs {
	t.Helper()
	in, err := answered(given)
	if err != nil {
		t.Fatalf("%v: %v", given, err)
	}
	return in
}

func answered(given map[string]string) (in Inputs, err error) {
	if given["topology"] == "" {
		in.Lock = given["lock"]
	}
	for _, q := range Questions() {
		text, ok := given[q.Name]
		switch {
		case q.Skip != nil && q.Skip(&in):
			continue
		case !ok:
			text = q.Default(&in)
		}
		if err := q.Answer(&in, text, ok); err != nil {
			return in, fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return in, nil
}

func TestTheInputsDescribeALock(t *testing.T) {
	for _, test := range []struct {
		given map[string]string
		want  string
	}{
		{nil, "redis, a lease of 30s, not renewed, released by compare-and-delete; on one Redis server"},
		{map[string]string{"topology": "failover", "renew": "10s", "ttl": "1m"}, "redis, a lease of 1m, renewed every 10s, released by compare-and-delete; on a Redis primary with an asynchronous replica that takes over"},
		{map[string]string{"lock": "redis-watchdog"}, "redis-watchdog, a lease of 10s, renewed by a task, released by compare-and-delete; on one Redis server"},
		{map[string]string{"lock": "redis-del"}, "redis-del, a lease of 30s, not renewed, released by a plain DEL; on one Redis server"},
		{map[string]string{"lock": "redlock"}, "redlock, a lease of 10s, not renewed, released by compare-and-delete; on five independent Redis servers"},
		{map[string]string{"topology": "database"}, "pg-advisory-session; on the PostgreSQL database that has the data of the work"},
		{map[string]string{"lock": "etcd", "ttl": "5s"}, "etcd, a lease of 5s, renewed by a task; on an etcd cluster of three members"},
	} {
		in := inputs(t, test.given)
		if got := in.Describe(); got != test.want {
			t.Errorf("%v:\n%s, want\n%s", test.given, got, test.want)
		}
	}
}

func TestWhatIsNotGivenIsAssumed(t *testing.T) {
	in := inputs(t, map[string]string{"ttl": "5s", "pauses": "none", "latency": "1ms"})
	want := "--topology one; --lock redis; --release lua; --renew none; --work 1s; --looks never; --fence no"
	if got := strings.Join(in.Assumed, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if in.Looks != results.HeedsNever || in.Fence != resource.Off {
		t.Errorf("looks %s, fence %s", in.Looks, in.Fence)
	}
}

func TestAWrongInputNamesTheNearestWord(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"topology", "failovr", `did you mean "failover"?`},
		{"lock", "rediss", `did you mean "redis"?`},
		{"lock", "redis-semaphore", "is not a lock with one holder at a time"},
		{"lock", "none", "is not a lock with one holder at a time"},
		{"release", "lau", `did you mean "lua"?`},
		{"renew", "watchdgo", `did you mean "watchdog"?`},
		{"renew", "0s", "the interval is between 1ms and"},
		{"ttl", "30", `"30" is neither a duration like 30s nor ?`},
		{"ttl", "1ms", "the TTL is between 10ms and"},
		{"looks", "befor-writes", `did you mean "before-writes"?`},
		{"work", "up two 3s", "unknown word"},
		{"work", "9000h", "work is between 0s and"},
		{"work", "1s, every 5m", `work has no "every", which says how often pauses come`},
		{"latency", "p99 1s, every 5m", `latency has no "every"`},
		{"topology", "sentinel", "use failover, a primary with one replica"},
		{"topology", "redis-cluster", "how Redis Cluster decides is not simulated"},
		{"pauses", "3s, every 1ms", "a pause every 1ms is too often: a run takes 4m, and has at most 50000 of them"},
		{"fence", "read-writes", `did you mean "reads-writes"?`},
	} {
		_, err := answered(map[string]string{test.name: test.text})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: %v, want %s", test.name, test.text, err, test.want)
		}
	}
	if _, err := answered(map[string]string{"topology": "kubernetes", "ttl": "500ms"}); err == nil || err.Error() != "ttl: kube-lease: ttl must be at least 1s, since a Lease has whole seconds, and is 500ms" {
		t.Errorf("a TTL that the lock cannot have: %v", err)
	}
	if _, err := answered(map[string]string{"topology": "etcd", "lock": "redis"}); err == nil || !strings.Contains(err.Error(), "redis runs on the topology one, not on etcd") {
		t.Errorf("a lock on other servers: %v", err)
	}
}

// The parts and the TTL are those of the library, unless an input says otherwise.
func TestALibraryResolvesToTheNearestStrategy(t *testing.T) {
	in := Inputs{Lock: "redsync"}
	for _, q := range Questions() {
		text := q.Default(&in)
		switch q.Name {
		case "lock":
			text = "redsync"
		case "renew":
			text = "watchdog"
		}
		if err := q.Answer(&in, text, true); err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
	}
	if got := in.Describe(); !strings.HasPrefix(got, "redsync (nearest: redlock with owner: call), a lease of 8s, renewed by a task") {
		t.Error(got)
	}
	s, err := in.Scenario("advice.yaml", "lockquake")
	if err != nil {
		t.Fatal(err)
	}
	params := s.ParamsOf(in.mine().Defaults, s.Strategies[0], "worker-1")
	if use := s.Strategies[0]; use.Library != "redsync" || params.Parts["owner"] != "call" || params.Parts["renewal"] != "watchdog" {
		t.Errorf("%+v", use)
	}
}

// A library that does not renew its lease is not described by the preset that does.
func TestTheRenewalIsThatOfTheLibrary(t *testing.T) {
	for name, want := range map[string]string{
		"shedlock":                    "not renewed",
		"shedlock-redis":              "not renewed",
		"redislock":                   "not renewed",
		"redisson":                    "renewed every 10s",
		"redlock-net":                 "renewed by a task",
		"etcd-concurrency":            "renewed by a task",
		"client-go":                   "renewed by a task",
		"amazon-dynamodb-lock-client": "renewed by a task",
		"spring-integration":          "not renewed",
		"redis-py":                    "not renewed",
	} {
		in := inputs(t, map[string]string{"lock": name})
		if got := in.Describe(); !strings.Contains(got, ", "+want) {
			t.Errorf("%s is %s", got, want)
		}
	}
	in := inputs(t, map[string]string{"lock": "shedlock"})
	if got := in.missing()[0]; got != "shedlock differs from pg-lease-row-client-clock with renewal: none, check: none: with usingDbTime it is the preset pg-lease-row." {
		t.Error(got)
	}
}

// A Lease of Kubernetes has whole seconds and a renew deadline before its end, so no shorter TTL is tried.
func TestTheTTLsThatAreTriedAreThoseThatTheLockTakes(t *testing.T) {
	in := Inputs{}
	for _, q := range Questions() {
		text := map[string]string{"topology": "kubernetes", "lock": "kube-lease"}[q.Name]
		if q.Skip != nil && q.Skip(&in) {
			continue
		}
		given := text != ""
		if !given {
			text = q.Default(&in)
		}
		if err := q.Answer(&in, text, given); err != nil {
			t.Fatal(err)
		}
	}
	if in.accepts(390 * time.Millisecond) {
		t.Error("kube-lease takes a TTL of 390ms")
	}
	for _, value := range in.ttls().Values {
		if ttl, err := time.ParseDuration(value); err != nil || !in.accepts(ttl) {
			t.Errorf("the TTL %s is tried (%v)", value, err)
		}
	}
}
