package locktest

import (
	"context"
	"errors"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// A lock that panics or calls FailNow ends the run with one line: where, and the command that repeats the run.
func TestWhatEndsARunIsOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	in := func(acquire func(d Deps)) func(Deps) lock.Locker {
		return func(d Deps) lock.Locker {
			return Locker(func(context.Context, string) (Lease, error) {
				acquire(d)
				return nil, lock.ErrNotObtained
			})
		}
	}
	for _, tt := range []struct {
		name string
		new  func(Deps) lock.Locker
		want string // a pattern, before the command
	}{
		{"FailNow", in(func(Deps) { runtime.Goexit() }), `the lock called t\.FailNow or t\.SkipNow at \S+/explain_test\.go:\d+`},
		{"FailNow while the lock is made", func(Deps) lock.Locker { runtime.Goexit(); return nil }, `the lock called t\.FailNow or t\.SkipNow at \S+/explain_test\.go:\d+`},
		{"panic", in(func(Deps) { panic("bad") }), `the lock panics: bad at \S+/explain_test\.go:\d+`},
		{"panic while the lock is made", func(Deps) lock.Locker { panic("bad") }, `the lock panics: bad at \S+/explain_test\.go:\d+`},
		{
			"no client of a database", in(func(d Deps) { _ = d.DB.Ping() }),
			`the lock panics: .*nil pointer dereference at \S+/explain_test\.go:\d+ \(gc-pause runs on redis, so the clients of other servers in Deps are nil\)`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := regexp.MustCompile(`^locktest: ` + tt.want + `; run it again with: go test -run '\S+' -lockquake\.replay gc-pause@\S+:1:[\d.]+:unfinished$`)
			if got := outcome(t, "gc-pause", tt.new, Seeds(1)); !want.MatchString(got) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// A placement of Explore has no command of its own, so the line names it.
func TestWhatEndsARunOfExploreNamesThePlacement(t *testing.T) {
	t.Chdir(t.TempDir())
	bad := func(d Deps) lock.Locker {
		return Locker(func(context.Context, string) (Lease, error) {
			if _, err := d.Redis.Get(t.Context(), "x").Result(); err != nil && !errors.Is(err, redis.Nil) {
				panic(err)
			}
			return nil, lock.ErrNotObtained
		})
	}
	var got error
	withLibrary(t, "kleppmann", lockerOf(bad), []Option{Kinds("error")}, func(r *request) {
		_, err := r.explore(t.Context())
		got = r.explain(err)
	})
	want := regexp.MustCompile(`^locktest: the lock panics: BUSY Redis is busy running a script\. at \S+/explain_test\.go:\d+, with the placement when worker-\d \S+ \d error BUSY Redis is busy running a script\.$`)
	if got == nil || !want.MatchString(got.Error()) {
		t.Errorf("got %v", got)
	}
}

// If no call gets the lock, the failure has the error of the first one.
func TestAFailureSaysWhyTheLockIsNeverAcquired(t *testing.T) {
	t.Chdir(t.TempDir())
	path := write(t, "calm.yaml", strings.Replace(strings.Replace(calm, "[none]", "[redis]", 1), "workers: 3", "workers: 3\nsections: 5", 1))
	got := outcome(t, path, func(Deps) lock.Locker {
		n := 0
		return Locker(func(context.Context, string) (Lease, error) {
			if n++; n == 1 {
				return nil, errors.New("no password")
			}
			return nil, os.ErrClosed
		})
	}, Seeds(2))
	want := regexp.MustCompile(`\nwith seed 1 the lock was not acquired by 15 of 15 calls, the first with the error: .*no password\n`)
	if !want.MatchString(got) {
		t.Errorf("got %s", got)
	}
}
