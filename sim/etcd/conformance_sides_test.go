package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/internal/servers"
	"lockquake/lock/env"
	"lockquake/lock/etcd"
	"lockquake/lock/etcd/official"
	"lockquake/sim"
	"lockquake/sim/backend"
	simetcd "lockquake/sim/etcd"
	"lockquake/sim/etcd/client"
)

// The settings of both sides, so that the shortest TTL is 1 s.
const (
	heartbeat = 20 * time.Millisecond
	election  = 200 * time.Millisecond
)

// side is a cluster: the real one, or a simulated one for each sequence.
type side interface {
	run(s sequence, want []sight) ([]sight, error)
}

// model is a simulated cluster.
type model struct{ members int }

func (m model) run(s sequence, want []sight) ([]sight, error) {
	w := sim.New(sim.Config{Seed: 1, Step: time.Microsecond, Latency: draw.Fixed(100 * time.Microsecond), Limit: time.Hour})
	defer w.Close()
	var names []string
	for i := range m.members {
		names = append(names, fmt.Sprintf("lock-%d", i+1))
	}
	layout := backend.Layout{
		Names: names, Ensemble: true, WallOffset: func(string) time.Duration { return 0 }, Record: func(history.Event) {},
	}
	c := simetcd.NewCluster(w, layout, simetcd.Options{Heartbeat: heartbeat, Election: election})
	node := w.AddNode("client", sim.NodeConfig{})
	worker := node.Process("client").Worker("client")
	d := &driver{env: worker, fault: func(name string) error { return m.fault(c, name) }}
	for i := range clients {
		d.clients = append(d.clients, client.New(node.Process(fmt.Sprintf("client-%d", i)), names, client.Options{}))
	}
	var all []sight
	var err error
	worker.Go("driver", func() {
		all, err = d.run(s, want)
		w.Stop()
	})
	return all, errors.Join(w.Run(), err)
}

func (m model) fault(c *simetcd.Cluster, name string) error {
	switch name {
	case moveLeader:
		c.ChangeLeader(0)
	case killLeader:
		c.Crash([]string{c.Leader()}, "", time.Hour)
	case restart:
		for _, node := range c.Names() {
			c.World.Node(node).Restart()
		}
	default:
		return fmt.Errorf("no fault is called %s", name)
	}
	return nil
}

// The faults of a sequence.
const (
	moveLeader = "the leader hands over to another member"
	killLeader = "the leader is killed"
	restart    = "the member is started again"
)

// clients is the number of clients of a sequence.
const clients = 3

// reality is a real cluster.
type reality struct {
	server *servers.EtcdServer
	killed *servers.Server
	made   []*clientv3.Client
}

func newReality(t testing.TB, members int) *reality {
	r := &reality{server: servers.Etcd(t, members)}
	for range clients {
		c, err := clientv3.New(clientv3.Config{Endpoints: r.server.Endpoints(), Logger: zap.NewNop(), DialTimeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		r.made = append(r.made, c)
	}
	return r
}

func (r *reality) run(s sequence, want []sight) ([]sight, error) {
	d := &driver{env: env.Real(), fault: r.fault}
	for _, c := range r.made {
		d.clients = append(d.clients, official.New(c))
	}
	return d.run(s, want)
}

// leader returns the index of the leader, and its member ID and that of another member.
func (r *reality) leader(ctx context.Context) (leader int, other uint64, err error) {
	for i, address := range r.server.Endpoints() {
		status, err := r.made[0].Status(ctx, address)
		if err != nil {
			return 0, 0, err
		}
		if status.Header.MemberId == status.Leader {
			leader = i
		} else {
			other = status.Header.MemberId
		}
	}
	return leader, other, nil
}

func (r *reality) fault(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if name == restart {
		return r.killed.Start()
	}
	leader, other, err := r.leader(ctx)
	if err != nil {
		return err
	}
	switch name {
	case moveLeader:
		c, err := clientv3.New(clientv3.Config{Endpoints: []string{r.server.Endpoints()[leader]}, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		_, err = c.MoveLeader(ctx, other)
		return errors.Join(err, c.Close())
	case killLeader:
		r.killed = r.server.Members[leader]
		r.killed.Kill()
	}
	return nil
}

var _ = []side{model{}, (*reality)(nil)}

func put(client int, key, value string) step {
	return step{client: client, request: &etcd.Put{Key: key, Value: value}}
}
