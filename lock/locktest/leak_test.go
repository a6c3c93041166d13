package locktest

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/run"
)

// crashes has processes that crash in the middle of their sections and start again.
const crashes = `name: crashes
duration: 10s
seeds: 10
workers: 4
workload: {kind: counter, hold: 50ms, think: 50ms}
lock: {ttl: 1s}
strategies: [%s]
faults:
  - crash: {target: each worker, every: {dist: exponential, mean: 3s}, for: 500ms}
checks: [lost-update]
`

// beating is a lock with a goroutine that outlives its release, and with another one that retries for ever.
func beating(d Deps) lock.Locker {
	go func() {
		for {
			time.Sleep(300 * time.Millisecond)
			_ = d.Redis.Ping(context.Background()).Err()
		}
	}()
	return Locker(func(ctx context.Context, key string) (Lease, error) {
		lease, err := (&setNX{d: d}).acquire(ctx, key)
		go func() {
			ticker := time.NewTicker(d.TTL / 3)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
			}
		}()
		return lease, err
	})
}

// onDatabase is a lock with a session of a database for each lease.
func onDatabase(d Deps) lock.Locker {
	return Locker(func(ctx context.Context, _ string) (Lease, error) {
		conn, err := d.DB.Conn(ctx)
		if err == nil {
			_, err = conn.ExecContext(ctx, "select pg_advisory_lock(1)")
		}
		return session{conn}, err
	})
}

type session struct{ conn *sql.Conn }

// Release implements Lease.
func (s session) Release(ctx context.Context) error {
	if _, err := s.conn.ExecContext(ctx, "select pg_advisory_unlock(1)"); err != nil {
		return err
	}
	return s.conn.Close()
}

// After the end of its run nothing of a process remains, also if it crashed: its clients are closed, its contexts
// end, and its goroutines too.
func TestNoGoroutineOutlivesItsRun(t *testing.T) {
	times := uint64(20)
	if *long {
		times = 200
	}
	for _, test := range []struct {
		name, strategy string
		new            func(Deps) lock.Locker
	}{{"redis", "redis", beating}, {"database", "pg-advisory-session", onDatabase}} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			path := write(t, "crashes.yaml", fmt.Sprintf(crashes, test.strategy))
			withLibrary(t, path, lockerOf(test.new), nil, func(r *request) {
				s, err := r.load(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				var before, after int
				var heap [2]runtime.MemStats
				for seed := range times {
					if _, err := run.Once(s, run.Request{Label: r.entry.Name, Seed: seed + 1}); err != nil {
						t.Fatal(err)
					}
					runtime.Gosched()
					if after = runtime.NumGoroutine(); seed == 0 {
						before = after
						runtime.GC()
						runtime.ReadMemStats(&heap[0])
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&heap[1])
				t.Logf("%d goroutines after the first run and %d after the last of %d; a heap of %d kB and %d kB", before, after, times, heap[0].HeapAlloc>>10, heap[1].HeapAlloc>>10)
				if after > before+5 {
					t.Errorf("%d goroutines after the first run, and %d after run %d", before, after, times)
				}
			})
		})
	}
}
