package run_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
	"lockquake/sim"
	"lockquake/sim/redis"
	"lockquake/sim/redis/client"
)

// rig is a world without chance for one strategy: messages take 1 ms, steps no
// time, and a refused acquire is repeated after 100 ms. So a client's first request
// is served after 5 ms (to connect, to greet, to arrive) and answered after 6, a
// later one after 1 ms and 2, and a script that the server does not know takes
// two requests.
type rig struct {
	t       *testing.T
	world   *sim.World
	entry   lock.Entry
	servers []*redis.Server
	group   *redis.Group // of a strategy with a replica
	workers []*sim.Worker
	clients [][]goredis.Cmdable // of each worker, by server
	lines   []string
	told    []history.Type // what the servers say that is of interest

	subscriber, shared lockredis.Subscriber // see inOneProcess
}

// visit is one section of a worker.
type visit struct {
	worker      int // from 1
	start, hold time.Duration
}

func newRig(t *testing.T, name string, tune func(*lock.Params)) *rig {
	t.Helper()
	entries := scenarios.Strategies()
	i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("no strategy is called %s", name)
	}
	entry := entries[i]
	entry.Defaults.Retry = lock.Retry{Attempts: lock.Unlimited, Delay: 100 * time.Millisecond}
	if tune != nil {
		tune(&entry.Defaults)
	}
	r := &rig{t: t, entry: entry, world: sim.New(sim.Config{Seed: 1, Latency: draw.Fixed(time.Millisecond)})}
	t.Cleanup(r.world.Close)
	resolve := r.serve()
	for n := range 2 {
		name := fmt.Sprintf("worker-%d", n+1)
		process := r.world.AddNode(name, sim.NodeConfig{}).Process(name)
		process.OnExit(func(worker string, err error) { r.say(worker, "exits: "+err.Error()) })
		r.workers = append(r.workers, process.Worker(name))
		var clients []goredis.Cmdable
		for _, server := range resolve {
			clients = append(clients, client.New(process, server, client.Options{}))
		}
		r.clients = append(r.clients, clients)
	}
	return r
}

// inOneProcess puts n workers into one process. Each has a client of its
// own.
func (r *rig) inOneProcess(workers int) {
	process := r.world.AddNode("workers", sim.NodeConfig{}).Process("workers")
	server := func() string { return "lock-1" }
	r.workers, r.clients = nil, nil
	for n := range workers {
		r.workers = append(r.workers, process.Worker(fmt.Sprintf("worker-%d", n+1)))
		r.clients = append(r.clients, []goredis.Cmdable{client.New(process, server, client.Options{})})
	}
	r.subscriber = client.NewSubscriber(process, server, client.Options{})
	r.shared = client.NewSharedSubscriber(process, server, client.Options{})
}

// serve starts the servers of the strategy, and returns how clients find them.
func (r *rig) serve() (resolve []func() string) {
	options := redis.Options{Locks: func(key string) bool { return key == "x" }, Record: r.record}
	if r.entry.Topology.Replicas > 0 {
		group, err := redis.NewReplicated(r.world.AddNode("lock", sim.NodeConfig{}), r.world.AddNode("lock-replica", sim.NodeConfig{}),
			options, redis.Replication{Lag: draw.Fixed(2 * time.Millisecond)})
		if err != nil {
			r.t.Fatal(err)
		}
		r.group = group
		return []func() string{group.Resolve}
	}
	for n := range max(r.entry.Topology.Nodes, 1) {
		name := fmt.Sprintf("lock-%d", n+1)
		server, err := redis.New(r.world.AddNode(name, sim.NodeConfig{}), options)
		if err != nil {
			r.t.Fatal(err)
		}
		r.servers = append(r.servers, server)
		resolve = append(resolve, func() string { return name })
	}
	return resolve
}

func (r *rig) say(who, what string) {
	r.lines = append(r.lines, fmt.Sprintf("%g %s %s", float64(r.world.Time())/float64(time.Millisecond), who, what))
}

func (r *rig) record(e history.Event) {
	if !slices.Contains(r.told, e.Type) {
		return
	}
	what := fmt.Sprintf("%s %s on", e.Type, e.Worker)
	n := len(r.lines)
	r.say("lock", what+" "+e.Node)
	// What several servers do at one moment is one line.
	if begins, _, _ := strings.Cut(r.lines[n], " on"); n > 0 && strings.HasPrefix(r.lines[n-1], begins+" on ") {
		r.lines = append(r.lines[:n-1], r.lines[n-1]+" "+e.Node)
	}
}

// run lets the workers make their visits, and returns what happened.
func (r *rig) run(visits []visit) []string {
	strategies := make([]lock.Strategy, len(r.workers))
	for _, v := range visits {
		worker := r.workers[v.worker-1]
		r.world.At(0, func() {
			worker.Go("main", func() {
				if worker.Sleep(context.Background(), v.start) != nil {
					return
				}
				if strategies[v.worker-1] == nil {
					clients := r.clients[v.worker-1]
					strategies[v.worker-1] = r.entry.New(lock.Deps{
						Env: worker, Params: r.entry.Defaults,
						Port: lockredis.Port{Client: clients[0], Nodes: clients, Subscriber: r.subscriber, SharedSubscriber: r.shared},
					})
				}
				err := strategies[v.worker-1].Do(context.Background(), "x", nil, func(ctx context.Context, s lock.Section) error {
					r.say(worker.Name(), strings.TrimSuffix(fmt.Sprintf("enters %d", s.Token()), " 0"))
					err := worker.Sleep(ctx, v.hold)
					r.say(worker.Name(), "leaves")
					return err
				})
				r.say(worker.Name(), strings.TrimSpace("ends "+string(run.Classify(err))))
			})
		})
	}
	if err := r.world.Run(); err != nil {
		r.t.Fatal(err)
	}
	return r.lines
}

// afterAcquire calls do when worker 1 has received that many answers to its acquire.
func (r *rig) afterAcquire(answers int, do func(w *sim.Worker)) {
	w := r.workers[0]
	w.OnPoint("acquire.taken", answers, func() { do(w) })
}

// freezeFor stops the last server for d.
func (r *rig) freezeFor(d time.Duration) { r.world.Node("lock-5").Freeze(d) }

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// story has the outcome of the same visits, under the same fault, for each of several strategies.
type story struct {
	name    string
	tune    func(*lock.Params)
	arrange func(*rig)
	told    []history.Type
	visits  []visit
	want    map[string]string // by strategy
}

func (s story) run(t *testing.T) {
	for _, strategy := range slices.Sorted(maps.Keys(s.want)) {
		t.Run(s.name+"/"+strategy, func(t *testing.T) {
			r := newRig(t, strategy, s.tune)
			r.told = s.told
			if s.arrange != nil {
				s.arrange(r)
			}
			compareEvents(t, s.want[strategy], r.run(s.visits))
		})
	}
}

// Each flaw of the redlock family beside what it is a flaw of, under one fault.
func TestRedlockFlawsWorkedOutByHand(t *testing.T) {
	for _, test := range []story{
		{
			// An attempt that fails is undone by two requests, since no server knows the
			// script yet: worker 2 asks at 10, 120 ms, and would each 104 ms from there.
			name:   "no fault",
			visits: []visit{{1, 0, ms(50)}, {2, ms(10), ms(50)}},
			want: map[string]string{
				"redlock": `
6 worker-1 enters
56 worker-1 leaves
58 worker-1 ends
122 worker-2 enters
172 worker-2 leaves
174 worker-2 ends`,
				"redlock-counts-refusals": `
6 worker-1 enters
16 worker-2 enters
56 worker-1 leaves
60 worker-1 ends
66 worker-2 leaves
68 worker-2 ends lost`,
			},
		},
		{
			// The keys of 5 ms are gone after 10,005 ms. Worker 1 reads the last answer of
			// its attempt when it wakes at 15,006 ms.
			name:    "pause before the last answer is taken",
			arrange: func(r *rig) { r.afterAcquire(5, func(w *sim.Worker) { w.Process().Pause(15 * time.Second) }) },
			visits:  []visit{{1, 0, ms(50)}, {2, ms(10), 6 * time.Second}},
			want: map[string]string{
				"redlock": `
10106 worker-2 enters
16106 worker-2 leaves
16108 worker-2 ends
16150 worker-1 enters
16200 worker-1 leaves
16202 worker-1 ends`,
				"redlock-no-validity": `
10106 worker-2 enters
15006 worker-1 enters
15056 worker-1 leaves
15058 worker-1 ends lost
16106 worker-2 leaves
16108 worker-2 ends`,
			},
		},
		{
			name: "pause and step of the wall clock",
			arrange: func(r *rig) {
				r.afterAcquire(5, func(w *sim.Worker) {
					w.Process().Pause(15 * time.Second)
					w.Process().Node().StepWall(-15 * time.Second)
				})
			},
			visits: []visit{{1, 0, ms(50)}, {2, ms(10), 6 * time.Second}},
			want: map[string]string{
				"redlock": `
10106 worker-2 enters
16106 worker-2 leaves
16108 worker-2 ends
16150 worker-1 enters
16200 worker-1 leaves
16202 worker-1 ends`,
				"redlock-fixed-drift": `
10106 worker-2 enters
15006 worker-1 enters
15056 worker-1 leaves
15058 worker-1 ends lost
16106 worker-2 leaves
16108 worker-2 ends`,
			},
		},
		{
			// The fifth server greets at 4,001 ms, and then serves the SET, which its client
			// had not sent before. No call waits for the answer: the key is deleted when it comes.
			name:    "one frozen server",
			arrange: func(r *rig) { r.freezeFor(4 * time.Second) },
			told:    []history.Type{history.Granted, history.Freed, history.Expired},
			visits:  []visit{{1, 0, ms(50)}},
			want: map[string]string{
				"redlock": `
5 lock granted worker-1 on lock-1 lock-2 lock-3 lock-4
50 worker-1 enters
100 worker-1 leaves
103 lock freed worker-1 on lock-1 lock-2 lock-3 lock-4
150 worker-1 ends
4002 lock granted worker-1 on lock-5
4004 lock freed worker-1 on lock-5`,
				"redlock-no-node-timeout": `
5 lock granted worker-1 on lock-1 lock-2 lock-3 lock-4
4002 lock granted worker-1 on lock-5
4003 worker-1 enters
4053 worker-1 leaves
4056 lock freed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
4057 worker-1 ends`,
			},
		},
		{
			// Three replies are lost, so the first attempt of worker 1 is undone after 50 ms.
			// Its clients give up those replies at 5,004 ms, and delete its key to be sure.
			name: "lost replies of a first attempt",
			arrange: func(r *rig) {
				for n := 1; n <= 3; n++ {
					r.workers[0].OnPoint("acquire.replied", n, func() { _ = r.world.DropMessage(time.Minute) })
				}
			},
			told:   []history.Type{history.Freed},
			visits: []visit{{1, 0, 7 * time.Second}, {2, time.Second, ms(50)}},
			want: map[string]string{
				"redlock": `
53 lock freed worker-1 on lock-4 lock-5
57 lock freed worker-1 on lock-1 lock-2 lock-3
160 worker-1 enters
7160 worker-1 leaves
7161 lock freed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
7162 worker-1 ends
7246 worker-2 enters
7296 worker-2 leaves
7297 lock freed worker-2 on lock-1 lock-2 lock-3 lock-4 lock-5
7298 worker-2 ends`,
				"redlock-token-per-call": `
53 lock freed worker-1 on lock-4 lock-5
57 lock freed worker-1 on lock-1 lock-2 lock-3
160 worker-1 enters
5005 lock freed worker-1 on lock-1 lock-2 lock-3
5062 worker-2 enters
5112 worker-2 leaves
5113 lock freed worker-2 on lock-1 lock-2 lock-3
5114 worker-2 ends
7160 worker-1 leaves
7161 lock freed worker-1 on lock-4 lock-5
7162 worker-1 ends lost`,
			},
		},
		{
			name:   "work longer than the lease",
			visits: []visit{{1, 0, 12 * time.Second}},
			want: map[string]string{
				"redlock": `
6 worker-1 enters
12006 worker-1 leaves
12010 worker-1 ends lost`,
				"redlock-release-answered": `
6 worker-1 enters
12006 worker-1 leaves
12010 worker-1 ends`,
			},
		},
		{
			// The lease is counted from 0: it is over at 9,898 ms for its holder, and at
			// 10,005 ms for four of the servers. Two thirds of the TTL after its return is
			// 10,670 ms.
			name:    "an acquire that takes 4 s",
			tune:    func(p *lock.Params) { p.NodeTimeout = 5 * time.Second },
			arrange: func(r *rig) { r.freezeFor(4 * time.Second) },
			visits:  []visit{{1, 0, 9 * time.Second}, {2, 5 * time.Second, 2 * time.Second}},
			want: map[string]string{
				"redlock-extend": `
4003 worker-1 enters
13003 worker-1 leaves
13005 worker-1 ends
13016 worker-2 enters
15016 worker-2 leaves
15018 worker-2 ends`,
				"redlock-extend-late": `
4003 worker-1 enters
10104 worker-2 enters
10673.666666 worker-1 leaves
10675.666666 worker-1 ends lost
12104 worker-2 leaves
12106 worker-2 ends`,
			},
		},
		{
			// Half of the validity that is left at 6 ms, until 9,898 ms, is over at 4,952 ms.
			name: "a majority loses the key",
			arrange: func(r *rig) {
				r.world.At(3*time.Second, func() {
					for _, s := range r.servers[:3] {
						s.Delete("x", nil)
					}
				})
			},
			told:   []history.Type{history.Renewed},
			visits: []visit{{1, 0, 9 * time.Second}},
			want: map[string]string{
				"redlock-extend": `
6 worker-1 enters
4955 lock renewed worker-1 on lock-4 lock-5
4956 worker-1 leaves
4960 worker-1 ends lost`,
				"redlock-extend-deaf": `
6 worker-1 enters
4955 lock renewed worker-1 on lock-4 lock-5
9006 worker-1 leaves
9010 worker-1 ends lost`,
			},
		},
		{
			// The extension is applied at 5,009 ms and answered at 5,010. A lock that does not
			// wait for it needs a new connection for its release.
			name:   "an extension under way at the release",
			tune:   func(p *lock.Params) { p.Renew, p.MaxHold = 5*time.Second, 21*time.Second },
			told:   []history.Type{history.Renewed, history.NotRenewed, history.Freed},
			visits: []visit{{1, 0, ms(5003.5)}},
			want: map[string]string{
				"redlock-extend": `
6 worker-1 enters
5009 lock renewed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
5009.5 worker-1 leaves
5013 lock freed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
5014 worker-1 ends`,
				"redlock-handle-zombie": `
6 worker-1 enters
5009 lock renewed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
5009.5 worker-1 leaves
5016.5 lock freed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
5017.5 worker-1 ends
10011 lock not-renewed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
15013 lock not-renewed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5
20015 lock not-renewed worker-1 on lock-1 lock-2 lock-3 lock-4 lock-5`,
			},
		},
		{
			// The first server had counted to 10 for others, and worker 2 does not reach it in
			// time.
			name: "one server has counted further",
			arrange: func(r *rig) {
				w := r.workers[0]
				w.Go("other", func() { r.clients[0][0].Set(context.Background(), "x:fence", 10, 0) })
				r.workers[1].OnPoint("acquire.sent", 1, func() { _ = r.world.HoldMessage(time.Second) })
			},
			visits: []visit{{1, ms(20), ms(50)}, {2, ms(200), ms(50)}},
			want: map[string]string{
				"redlock-fenced-incr": `
28 worker-1 enters 11
78 worker-1 leaves
82 worker-1 ends
250 worker-2 enters 2
300 worker-2 leaves
306 worker-2 ends`,
			},
		},
		{
			// Two grants and three failures leave open whether the lock is held.
			name: "no majority can be reached",
			tune: func(p *lock.Params) { p.Retry.Attempts = 2 },
			arrange: func(r *rig) {
				for n := 3; n <= 5; n++ {
					_ = r.world.CutLink("worker-1", fmt.Sprintf("lock-%d", n), sim.CutHold, time.Second)
				}
			},
			told:   []history.Type{history.Granted, history.Freed, history.Expired},
			visits: []visit{{1, 0, ms(50)}},
			want: map[string]string{
				"redlock": `
5 lock granted worker-1 on lock-1 lock-2
53 lock freed worker-1 on lock-1 lock-2
201 lock granted worker-1 on lock-1 lock-2
251 lock freed worker-1 on lock-1 lock-2
300 worker-1 ends unknown`,
			},
		},
	} {
		test.run(t)
	}
}
