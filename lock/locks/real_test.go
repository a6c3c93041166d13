package locks

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
	lockredis "lockquake/lock/redis"
)

// A lock runs unchanged on the machine itself: with goroutines, real time and
// clients that speak to sockets. Under the race detector this also shows that its
// tasks share no memory without synchronisation.
func TestLocksRunOnTheMachineItself(t *testing.T) {
	const nodes, workers, rounds = 3, 3, 4
	for _, e := range Catalogue() {
		renews := e.Defaults.Renews()
		if e.Defaults.Wait > 0 || !strings.HasPrefix(e.Name, "redlock") && !renews && e.Flawed {
			continue // the flaws of one server that start no task; and miniredis has no replicas
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var addresses []string
			for range nodes {
				addresses = append(addresses, miniredis.RunT(t).Addr())
			}
			e.Defaults.TTL, e.Defaults.Renew, e.Defaults.NodeTimeout = 2*time.Second, 2*time.Millisecond, time.Second
			e.Defaults.Retry = lock.Retry{Attempts: lock.Unlimited, Delay: time.Millisecond, Jitter: time.Millisecond}
			e.Defaults.MaxHold = 50 * time.Millisecond
			machine := env.Real()
			entered := machine.NewSem(0)
			var ends []env.Sem
			for range workers {
				var port lockredis.Port
				for _, a := range addresses {
					client := redis.NewClient(&redis.Options{Addr: a, MaxRetries: -1})
					t.Cleanup(func() { _ = client.Close() })
					port.Nodes = append(port.Nodes, client)
					if port.Subscriber == nil {
						port.Subscriber = lockredis.NewSubscriber(client)
					}
				}
				port.Client = port.Nodes[0]
				ends = append(ends, machine.Go("worker", func() {
					s := e.New(lock.Deps{Env: machine, Params: e.Defaults, Port: port})
					for range rounds {
						_ = s.Do(t.Context(), "key", nil, func(ctx context.Context, _ lock.Section) error {
							entered.Release()
							return machine.Sleep(ctx, 5*time.Millisecond)
						})
					}
				}))
			}
			for _, end := range ends {
				if err := end.Acquire(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for n := range workers * rounds {
				if !entered.TryAcquire() {
					t.Fatalf("%d sections were entered, want %d", n, workers*rounds)
				}
			}
		})
	}
}
