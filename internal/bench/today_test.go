package bench

import (
	"context"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
)

// newLock returns the lock of the benchmarks on a real client.
func newLock(tb testing.TB, client *redis.Client) lock.Strategy {
	for _, e := range scenarios.Strategies() {
		if e.Name == "redis" {
			p := e.Defaults
			p.TTL, p.Retry = ttl, lock.Retry{Attempts: lock.Unlimited, Delay: retryDelay, Jitter: jitter}
			return e.New(lock.Deps{Env: env.Real(), Params: p, Port: lockredis.Port{Client: client}})
		}
	}
	tb.Fatal("no strategy is called redis")
	return nil
}

type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// newClient returns a go-redis client that does nothing in the background. With a nil dial it dials
// as go-redis does.
func newClient(addr string, dial dialer) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, Dialer: dial, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1, PipelinePoolSize: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// memory is the protected resource, in the memory of the process.
type memory struct {
	mu    sync.Mutex
	value string
}

func (m *memory) Read(context.Context, string, int64) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value, nil
}

func (m *memory) Write(_ context.Context, _, value string, _ int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = value
	return nil
}

// increment is the work under the lock.
func increment(ctx context.Context, s lock.Section) error {
	text, err := s.Read(ctx, "counter")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	time.Sleep(hold)
	return s.Write(ctx, "counter", strconv.Itoa(n+1))
}

// contend runs a number of cycles with goroutines that share one lock.
func contend(tb testing.TB, total int, addr string, dial dialer) {
	var begun atomic.Int64
	var all sync.WaitGroup
	counter := &memory{value: "0"}
	for range workers {
		all.Go(func() {
			client := newClient(addr, dial)
			defer client.Close()
			l := newLock(tb, client)
			for begun.Add(1) <= int64(total) {
				if err := l.Do(context.Background(), "counter", counter, increment); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if counter.value != strconv.Itoa(total) {
		tb.Errorf("%d cycles left the counter at %s", total, counter.value)
	}
}

// BenchmarkToday measures the usual test suite: goroutines, real sleeps, and a server behind
// loopback TCP, on all cores.
func BenchmarkToday(b *testing.B) {
	m := miniredis.RunT(b)
	b.ResetTimer()
	contend(b, b.N, m.Addr(), nil)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), cycles)
}

// bubble runs a number of cycles in a synctest bubble and returns how many it did per second of
// real time. Only a test can make a bubble.
func bubble(t *testing.T, total int) float64 {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		defer m.Close()
		contend(t, total, "127.0.0.1:6379", func(context.Context, string, string) (net.Conn, error) { return m.Dial() })
	})
	return float64(total) / time.Since(began).Seconds()
}

// BenchmarkCommands measures the two commands of a cycle without contention,
// network or simulation: go-redis over a connection in memory, to a miniredis
// that makes a Lua state for every script.
func BenchmarkCommands(b *testing.B) {
	m := miniredis.NewMiniRedis()
	defer m.Close()
	client := newClient("127.0.0.1:6379", func(context.Context, string, string) (net.Conn, error) { return m.Dial() })
	defer client.Close()
	l, counter := newLock(b, client), &memory{value: "0"}
	nothing := func(context.Context, lock.Section) error { return nil }
	for b.Loop() {
		if err := l.Do(context.Background(), "counter", counter, nothing); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), cycles)
}
