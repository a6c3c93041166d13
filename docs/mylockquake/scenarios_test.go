package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/lock/locktest"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// row is a row of the table of scenarios: a sound lock holds its checks, and a lock with the flaw violates the first one.
type row struct {
	sound  string
	flawed lock.Entry
}

func rowsOfTheTable() map[string]row {
	return map[string]row{
		"late-release ownership":          {"redis", builtin("redis-del")},
		"failing-work recovery":           {"redis", builtin("redis-release-skipped")},
		"cancelled-work recovery":         {"redis", builtin("redis-release-cancelled")},
		"cancelled-work progress":         {"redis", heedless("redis")},
		"lost-reply recovery":             {"redis", builtin("redis-blind-timeout")},
		"lost-reply lost-update":          {"redis-checked", repeating()},
		"renewal-fails errors":            {"redis-watchdog", builtin("redis-watchdog-late-flag")},
		"hung-renewal lost-update, told":  {"redis-watchdog", builtin("redis-watchdog-late-flag")},
		"renewal-races-release ownership": {"redis-watchdog", builtin("redis-watchdog-racy")},
		"lease-reply-anchor told":         {"pg-lease-row", builtin("pg-lease-row-reply-anchor")},
		"fence-order fencing":             {"redis-fenced", builtin("redis-fenced-split")},
		"late-release fencing":            {"redis-fenced", counting()},
		"shared-process ownership":        {"redis", builtin("redis-instance-owner")},
		"gc-pause ownership":              {"redis-watchdog", builtin("redis-instance-owner")},
		"try-leak recovery":               {"pg-advisory-try", builtin("pg-advisory-try-leak")},
		"reentrant-process exclusion":     {"redis-reentrant", builtin("redis-reentrant-process")},
		"lease-client-clock exclusion":    {"pg-lease-row", builtin("pg-lease-row-client-clock")},
	}
}

// builtin returns a lock of lockquake under the name of a lock of one's own.
func builtin(name string) lock.Entry {
	all := scenarios.Strategies()
	e := all[slices.IndexFunc(all, func(e lock.Entry) bool { return e.Name == name })]
	e.Name = "mine"
	return e
}

// heedless is a lock that ignores the end of the context of its caller.
func heedless(name string) lock.Entry {
	e := builtin(name)
	made := e.New
	e.New = func(d lock.Deps) lock.Strategy { return deaf{made(d)} }
	return e
}

type deaf struct{ lock.Strategy }

func (s deaf) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	return s.Strategy.Do(context.WithoutCancel(ctx), key, r, body)
}

// counting is a lock with fencing tokens that each process counts for itself.
func counting() lock.Entry {
	e := entry()
	e.New = func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&counter{&mine{d.Env, lockredis.PortOf(d).Client, d.Params.TTL}, lock.Shared(d.Process, "tokens", func() *int64 { return new(int64) })})
	}
	return e
}

type counter struct {
	*mine
	tokens *int64
}

func (c *counter) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	l, err := c.mine.Acquire(ctx, key)
	*c.tokens++
	return counted{l, *c.tokens}, err
}

type counted struct {
	lock.Lease
	token int64
}

func (c counted) Token() int64 { return c.token }

// repeating is a lock that asks whether it has the key if an answer is missing, and counts its lease from that question.
func repeating() lock.Entry {
	e := entry()
	e.New = func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&repeater{&mine{d.Env, lockredis.PortOf(d).Client, d.Params.TTL}, fmt.Sprint(d.Env.Rand("owner").Uint64())})
	}
	return e
}

type repeater struct {
	*mine
	owner string
}

func (r *repeater) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	asking := env.WithOp(ctx, "acquire")
	for {
		sent := r.env.Mono()
		taken, err := r.redis.SetNX(asking, key, r.owner, r.ttl).Result()
		if err != nil {
			sent = r.env.Mono()
			owner, err := r.redis.Get(asking, key).Result()
			taken = err == nil && owner == r.owner
		}
		if taken {
			return ending{&lease{r.mine, ctx, key}, r.owner, sent + r.ttl}, nil
		}
		if err := r.env.Sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

type ending struct {
	*lease
	owner string
	end   time.Duration // by the monotonic clock
}

// Release deletes the key if it is still that of the owner.
func (e ending) Release(ctx context.Context) error {
	const deleteOwn = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	return e.redis.Eval(ctx, deleteOwn, []string{e.key}, e.owner).Err()
}

func (e ending) Check() error {
	if e.env.Mono() >= e.end {
		return lock.ErrLost
	}
	return nil
}

func TestTheScenariosOfThePageFindTheFlawAndPassALockWithoutIt(t *testing.T) {
	page, err := os.ReadFile("../your-own-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?m)^\\|[^|]*\\| `([a-z-]+)`(?: with `Set\\(\"(.+)\", \"(.+)\"\\)`)? \\| ([a-z, -]+) \\|").FindAllStringSubmatch(string(page), -1)
	rows := rowsOfTheTable()
	if len(found) != len(rows) {
		t.Errorf("the page has %d rows, want %d", len(found), len(rows))
	}
	for _, cells := range found {
		name := cells[1] + " " + cells[4]
		t.Run(name, func(t *testing.T) {
			locks, known := rows[name]
			if !known {
				t.Fatal("no lock of this test has the flaw of the row")
			}
			checks := strings.Split(cells[4], ", ")
			options := []locktest.Option{locktest.Seeds(20)}
			if cells[2] != "" {
				options = append(options, locktest.Set(cells[2], cells[3]))
			}
			locktest.RunEntry(t, cells[1], builtin(locks.sound), append(options, locktest.Holds(checks...))...)
			locktest.RunEntry(t, cells[1], locks.flawed, append(options, locktest.Violates(checks[0]))...)
		})
	}
}

// rounding is a lock whose TTL has whole seconds. Redis gets no expiry for a TTL of 0.
func rounding() lock.Entry {
	e := entry()
	e.New = func(d lock.Deps) lock.Strategy {
		return lock.WithLock(&mine{d.Env, lockredis.PortOf(d).Client, d.Params.TTL.Truncate(time.Second)})
	}
	return e
}

func TestTheMatrixFindsAFlawOnlyWithTheSettingsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../your-own-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]struct {
		sound, flawed lock.Entry
		fault, check  string
	}{
		"--set workload.hold=3s --set duration=60s": {builtin("redis-watchdog"), builtin("redis-watchdog-deaf"), "partition", "told"},
		"--set lock.ttl=500ms":                      {entry(), rounding(), "crash", "recovery"},
	}
	found := regexp.MustCompile("(?m)^- with .*\\(`(--set .+)`\\)").FindAllStringSubmatch(string(page), -1)
	if len(found) != len(rows) {
		t.Errorf("the page has %d settings of the matrix, want %d", len(found), len(rows))
	}
	for _, row := range found {
		t.Run(row[1], func(t *testing.T) {
			locks, known := rows[row[1]]
			if !known {
				t.Fatal("no lock of this test has the flaw of the row")
			}
			for _, test := range []struct {
				name, settings string
				lock           lock.Entry
				violates       bool
			}{
				{"a lock without the flaw", row[1], locks.sound, false},
				{"the flaw", row[1], locks.flawed, true},
				{"the flaw without the settings", "", locks.flawed, false},
			} {
				if n := violating(t, test.settings, test.lock, locks.fault, locks.check); (n > 0) != test.violates {
					t.Errorf("%s: %d runs violate %s", test.name, n, locks.check)
				}
			}
		})
	}
}

// violating counts the runs of a case of redis-matrix that violate a check, with settings as a command line has them.
func violating(t *testing.T, settings string, e lock.Entry, fault, check string) int {
	t.Helper()
	var overrides []results.Override
	for set := range strings.FieldsSeq(strings.ReplaceAll(settings, "--set ", "")) {
		o, err := scenarios.ParseOverride(set)
		if err != nil {
			t.Fatal(err)
		}
		overrides = append(overrides, o)
	}
	s, err := scenarios.LoadWith("redis-matrix", overrides, e)
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Run(t.Context(), s, campaign.Request{Strategies: []string{e.Name + " under " + fault}, Seeds: results.SeedRange{First: 1, Last: 20}})
	if err != nil {
		t.Fatal(err)
	}
	return c.Strategies[0].Checks[check].Violating
}
