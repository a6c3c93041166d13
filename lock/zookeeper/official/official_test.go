package official_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockquake/internal/servers"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/lock/zookeeper"
	"lockquake/lock/zookeeper/official"
)

// data is a counter that no lock protects but the one under test.
type data struct {
	mu     sync.Mutex
	value  int
	inside int
	twice  bool
	tokens []int64
}

func (d *data) Read(context.Context, string, int64) (string, error) { return "", nil }

func (d *data) Write(context.Context, string, string, int64) error { return nil }

// strategy returns a strategy with a session of its own.
func strategy(t *testing.T, name string, timeout time.Duration, addrs ...string) lock.Strategy {
	t.Helper()
	service := official.New(addrs)
	t.Cleanup(service.Close)
	for _, e := range zookeeper.Family().Strategies {
		if e.Name == name {
			e.Defaults.TTL = timeout
			return e.New(lock.Deps{Env: env.Real(), Params: e.Defaults, Port: service.Port(), Process: lock.NewProcess()})
		}
	}
	t.Fatalf("no strategy is called %s", name)
	return nil
}

// Workers of several sessions count with the official client and a real ensemble. No two of them are
// inside at once, and the tokens rise.
func TestTheLockWithTheOfficialClient(t *testing.T) {
	var addrs []string
	for _, member := range servers.ZooKeepers(t, 3, "tickTime=500") {
		addrs = append(addrs, member.Addr)
	}
	const workers, sections = 4, 10
	var d data
	var all sync.WaitGroup
	for range workers {
		s := strategy(t, "zookeeper", 5*time.Second, addrs...)
		all.Go(func() {
			for range sections {
				err := s.Do(context.Background(), "counter", &d, func(_ context.Context, in lock.Section) error {
					d.mu.Lock()
					d.inside++
					d.twice = d.twice || d.inside > 1
					d.tokens = append(d.tokens, in.Token())
					value := d.value
					d.mu.Unlock()
					time.Sleep(time.Millisecond)
					d.mu.Lock()
					d.value = value + 1
					d.inside--
					d.mu.Unlock()
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if d.twice || d.value != workers*sections {
		t.Errorf("the counter is %d, want %d; two inside at once: %v", d.value, workers*sections, d.twice)
	}
	for i := 1; i < len(d.tokens); i++ {
		if d.tokens[i] <= d.tokens[i-1] {
			t.Errorf("token %d follows %d", d.tokens[i], d.tokens[i-1])
		}
	}
}

// A holder whose server does not answer is told after two thirds of its session timeout, and its
// release says that the lock was lost.
func TestAHolderThatLosesItsServerIsTold(t *testing.T) {
	server := servers.ZooKeeper(t, "tickTime=500")
	const timeout = 3 * time.Second
	s := strategy(t, "zookeeper-unfenced", timeout, server.Addr)
	var told time.Duration
	err := s.Do(context.Background(), "x", &data{}, func(ctx context.Context, _ lock.Section) error {
		began := time.Now()
		if err := syscall.Kill(server.PID(), syscall.SIGSTOP); err != nil {
			return fmt.Errorf("stop: %w", err)
		}
		<-ctx.Done()
		told = time.Since(began)
		return errors.Join(syscall.Kill(server.PID(), syscall.SIGCONT), context.Cause(ctx))
	})
	if !errors.Is(err, lock.ErrLost) {
		t.Errorf("the section ends with %v, want a loss", err)
	}
	if told < timeout/3 || told > timeout {
		t.Errorf("told after %v, want about two thirds of %v", told, timeout)
	}
}
