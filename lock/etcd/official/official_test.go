package official_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockquake/internal/servers"
	"lockquake/internal/twoworlds"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/lock/etcd"
	"lockquake/lock/etcd/official"
)

// connect returns a client of a real cluster.
func connect(t *testing.T, endpoints []string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// strategy returns a lock of the catalogue on a client.
func strategy(t *testing.T, name string, c *clientv3.Client) lock.Strategy {
	t.Helper()
	for _, e := range etcd.Family().Strategies {
		if e.Name == name {
			p := e.Defaults
			p.TTL = 2 * time.Second
			return e.New(lock.Deps{Env: env.Real(), Params: p, Port: etcd.Port{Client: official.New(c)}})
		}
	}
	t.Fatalf("no lock is called %s", name)
	return nil
}

// data is a counter that refuses stale tokens. Its users do not protect it from each other.
type data struct {
	mu      sync.Mutex
	value   string
	mark    int64
	inside  int
	overlap bool
}

func (d *data) Read(_ context.Context, _ string, token int64) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token < d.mark {
		return "", lock.ErrRefused
	}
	d.mark = token
	return d.value, nil
}

func (d *data) Write(_ context.Context, _, value string, token int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token < d.mark {
		return lock.ErrRefused
	}
	d.mark, d.value = token, value
	return nil
}

func (d *data) enter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside += n
	d.overlap = d.overlap || d.inside > 1
}

// increment is the work of a section.
func (d *data) increment(ctx context.Context, s lock.Section) error {
	d.enter(1)
	defer d.enter(-1)
	text, err := s.Read(ctx, "n")
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(text)
	time.Sleep(time.Millisecond)
	return s.Write(ctx, "n", strconv.Itoa(n+1))
}

// The lock works on a real cluster with the official client: no two workers are inside at once, every
// increment counts, and the tokens rise.
func TestTheLockOnARealCluster(t *testing.T) {
	const workers, sections = 4, 10
	server := servers.Etcd(t, 1)
	d := &data{value: "0"}
	var all sync.WaitGroup
	for range workers {
		s := strategy(t, "etcd", connect(t, server.Endpoints()))
		all.Go(func() {
			for range sections {
				if err := s.Do(context.Background(), "key", d, d.increment); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if want := fmt.Sprint(workers * sections); d.value != want || d.overlap || d.mark == 0 {
		t.Errorf("%s increments, want %s; overlap %t; last token %d", d.value, want, d.overlap, d.mark)
	}
}

// A holder whose lease is revoked is told within a third of its TTL, and its release says that the lock
// was lost.
func TestALossIsToldOnARealCluster(t *testing.T) {
	server := servers.Etcd(t, 1)
	c := connect(t, server.Endpoints())
	admin := official.New(connect(t, server.Endpoints()))
	err := strategy(t, "etcd", c).Do(context.Background(), "key", &data{}, func(ctx context.Context, _ lock.Section) error {
		leases, err := admin.Do(ctx, &etcd.Leases{})
		if err != nil {
			return err
		}
		for _, id := range leases.IDs {
			if _, err := admin.Do(ctx, &etcd.Revoke{ID: id}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			if !errors.Is(context.Cause(ctx), lock.ErrLost) {
				t.Errorf("the holder was told %v", context.Cause(ctx))
			}
		case <-time.After(5 * time.Second):
			t.Error("nobody told the holder")
		}
		return nil
	})
	if !errors.Is(err, lock.ErrLost) {
		t.Errorf("the release answered %v", err)
	}
}

// Readers share the lock, and a writer waits for them.
func TestReadersShareOnARealCluster(t *testing.T) {
	server := servers.Etcd(t, 1)
	var inside sync.WaitGroup
	inside.Add(2)
	var all sync.WaitGroup
	for range 2 {
		s := strategy(t, "etcd-rwlock", connect(t, server.Endpoints())).(lock.Sharer)
		all.Go(func() {
			if err := s.DoShared(context.Background(), "key", &data{}, func(context.Context, lock.Section) error {
				inside.Done()
				inside.Wait() // both are inside, or this never ends
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// All renewals of a client go to one member. While that member is stopped they get no answer, and the other members do not
// help. When it is killed the client learns that, and repeats the renewal at another member. Three clients of one connection renew at three
// members, since each opens its stream at the next one.
func TestAllRenewalsOfAClientGoToOneMember(t *testing.T) {
	server := servers.Etcd(t, 3)
	c := connect(t, server.Endpoints())
	connected := map[uint64]bool{}
	for len(connected) < 3 {
		answer, err := c.Get(t.Context(), "key")
		if err != nil {
			t.Fatal(err)
		}
		connected[answer.Header.MemberId] = true
	}
	var clients []etcd.Client
	var lease int64
	once := func(c etcd.Client) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Do(ctx, &etcd.KeepAlive{ID: lease})
		return err
	}
	renew := func(c etcd.Client) error { // each time with another member, if there were no stream
		return twoworlds.Repeat(3, func() error { return once(c) })
	}
	for range 3 {
		clients = append(clients, official.New(c))
	}
	granted, err := clients[0].Do(t.Context(), &etcd.Grant{TTL: 60})
	if err != nil {
		t.Fatal(err)
	}
	lease = granted.ID
	for _, c := range clients {
		if err := once(c); err != nil {
			t.Fatal(err)
		}
	}
	// A leader that changes, on a busy machine, ends streams too.
	const attempts = 5
	for attempt := range attempts * len(server.Members) {
		member := server.Members[attempt%len(server.Members)]
		status, err := c.Status(t.Context(), server.Endpoints()[attempt%len(server.Members)])
		if err != nil {
			t.Fatal(err)
		}
		if status.Header.MemberId == status.Leader {
			continue // without the leader no member can renew
		}
		if err := syscall.Kill(member.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var silent []etcd.Client
		for _, c := range clients {
			if renew(c) != nil {
				silent = append(silent, c)
			}
		}
		if len(silent) == 1 {
			var killed sync.WaitGroup
			killed.Go(func() {
				time.Sleep(100 * time.Millisecond)
				member.Kill()
			})
			if err := once(silent[0]); err != nil {
				t.Errorf("a renewal answers %v, though the member is killed while it waits", err)
			}
			killed.Wait()
			return
		}
		t.Logf("%d clients get no answer", len(silent))
		if err := syscall.Kill(member.PID(), syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("no member was the one at which one of three clients renews")
}
