package clientgo

import (
	"context"
	"testing"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/twoworlds"
	"lockquake/lock"
	"lockquake/lock/kubernetes"
	"lockquake/sim"
	"lockquake/sim/kubernetes/api"
	simclient "lockquake/sim/kubernetes/client"
)

// inWorld runs a script with the model.
func inWorld(t *testing.T, s script) []string {
	t.Helper()
	world := sim.New(sim.Config{Latency: draw.Fixed(twoworlds.OneWay), Limit: time.Hour})
	defer world.Close()
	log := &twoworlds.Log{Elapsed: world.Time}
	node := world.AddNode("kubernetes", sim.NodeConfig{})
	server := newServer(s, log, node.Now())
	node.Listen(simServer{server})
	for _, at := range s.deletes {
		world.At(at, server.remove)
	}
	for _, c := range s.candidates {
		process := world.AddNode(c.name, sim.NodeConfig{}).Process(c.name)
		worker := process.Worker(c.name)
		for _, trouble := range s.troubles {
			if trouble.does == stops && trouble.client == c.name {
				world.At(trouble.from, func() { process.Pause(trouble.to - trouble.from) })
			}
		}
		o := simclient.Defaults()
		o.Timeout = s.clientTimeout()
		strategy := strategyOf(t, s, worker, simclient.New(process, func() string { return "kubernetes" }, o))
		worker.Go("main", func() {
			_ = worker.Sleep(context.Background(), c.start)
			end := s.end
			if c.stop > 0 {
				end = c.stop
			}
			ctx, cancel := worker.WithTimeout(context.Background(), end-c.start)
			defer cancel()
			_ = strategy.Do(ctx, leaseName, nil, func(ctx context.Context, _ lock.Section) error { // its error is in the log
				server.add("%s leads", c.name)
				_ = worker.Sleep(ctx, time.Hour)
				server.add("%s stops", c.name)
				if !s.release { // client-go frees no lease then
					_ = worker.Sleep(context.Background(), s.end-world.Time())
				}
				return nil
			})
		})
	}
	if err := world.Run(); err != nil {
		t.Fatal(err)
	}
	return log.Sorted()
}

// strategyOf returns the strategy that does what client-go does.
func strategyOf(t *testing.T, s script, worker *sim.Worker, leases kubernetes.Leases) lock.Strategy {
	t.Helper()
	name := "kube-lease"
	if s.release {
		name = "kube-lease-trusting-release"
	}
	for _, e := range kubernetes.Family().Strategies {
		if e.Name == name {
			p := e.Defaults
			p.Retry.Delay += time.Duration(middle * float64(p.Retry.Jitter))
			p.Retry.Jitter = 0
			p.RenewDeadline = renewDeadline
			return e.New(lock.Deps{Env: worker, Params: p, Port: kubernetes.Port{Leases: leases}})
		}
	}
	t.Fatalf("no strategy %s", name)
	return nil
}

// simServer is the server as one of package sim.
type simServer struct{ server *server }

// Serve implements sim.Server.
func (s simServer) Serve(c *sim.Call) {
	c.Applied()
	if r, ok := c.Req.(*api.Request); !ok {
		c.Reply(nil)
	} else if response := s.server.handle(c.Worker, r); response != nil {
		c.Reply(response)
	}
}

// Closed implements sim.Server.
func (simServer) Closed(*sim.Session, error) {}
