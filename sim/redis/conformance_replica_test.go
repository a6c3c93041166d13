package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/servers"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// couple is a real primary with its replica, for comparison with a simulated pair. A promotion
// swaps the two.
type couple struct {
	primary, replica *servers.RedisServer
	met              *replicaCoverage
}

// The first words of the lines of a sequence for two servers: a connection (two of them to the
// primary and one to the replica), or an event of the servers.
const (
	connA = "a"
	connB = "b"
	connR = "r"
	// doFresh opens connection b again.
	doFresh = "fresh"
	// doStop stops the replica, and a third party writes something.
	doStop = "stop"
	doGoOn = "go-on"
	// doPromote makes the replica the primary, and the primary its replica. All connections are
	// opened again.
	doPromote = "promote"
	// doKill kills the primary, which persists nothing, and starts it again.
	doKill = "kill"
)

// step is a command or a transaction on a connection, or an event of the servers.
type step struct {
	at   string   // the first word of its line
	unit sequence // of a connection
	ms   string   // of a pause
}

func (s step) String() string {
	var b strings.Builder
	for _, words := range s.unit {
		fmt.Fprintf(&b, "%s %s\n", s.at, line(words))
	}
	if s.unit == nil {
		fmt.Fprintf(&b, "%s %s\n", s.at, s.ms)
	}
	return b.String()
}

// steps parses a sequence whose lines each begin with one of these words.
func steps(s sequence) []step {
	var all []step
	for i := 0; i < len(s); {
		at, from := s[i][0], i
		switch at {
		case connA, connB, connR:
			for i < len(s) && s[i][0] == at {
				i++
			}
			var own sequence
			for _, words := range s[from:i] {
				own = append(own, words[1:])
			}
			for _, unit := range own.units() {
				all = append(all, step{at: at, unit: unit})
			}
			continue
		case pause:
			all = append(all, step{at: at, ms: s[i][1]})
		default:
			all = append(all, step{at: at})
		}
		i++
	}
	return all
}

// done is a step that the real servers have run.
type done struct {
	step
	now     time.Time // just before
	replies [][]byte
}

// realRun runs steps on the real couple.
type realRun struct {
	*couple
	conns   map[string]*realRedis // a, b and r
	clocks  map[string]*realRedis // of the primary and the replica, to be asked besides
	stopped bool
	told    map[string]bool // connections that ran a command since the stop, or none ever
	behind  bool            // the replica may not have everything
}

// errRace means that the answer of the real servers depends on chance, or on the acknowledgement
// that a replica sends every second.
var errRace = errors.New("the answer is a matter of chance")

// attempt runs the steps on two empty servers. It reports whether each command ran within a
// millisecond.
func (c *couple) attempt(all []step) (log []done, steady bool, err error) {
	r := &realRun{couple: c, conns: map[string]*realRedis{}, clocks: map[string]*realRedis{}}
	defer func() {
		r.hangUp()
		err = errors.Join(err, r.goOn())
	}()
	if err := r.begin(); err != nil {
		return nil, false, err
	}
	for _, s := range all {
		d, steady, err := r.perform(s)
		if err != nil || !steady {
			return nil, false, err
		}
		log = append(log, d)
	}
	return log, true, nil
}

// begin empties both servers and opens all connections.
func (r *realRun) begin() error {
	if err := r.dialAll(); err != nil {
		return err
	}
	if _, err := r.clocks[connR].do([]string{"SCRIPT", "FLUSH"}); err != nil {
		return err
	}
	if _, err := r.clocks[connA].pipeline(sequence{{"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"SET", "a key", "of nobody"}}); err != nil {
		return err
	}
	r.behind = true
	return r.catchUp()
}

// server returns the server of a connection.
func (r *realRun) server(at string) *servers.RedisServer {
	if at == connR {
		return r.replica
	}
	return r.primary
}

func (r *realRun) dialAll() error {
	r.hangUp()
	for _, at := range []string{connA, connB, connR} {
		var err error
		if r.conns[at], err = connect(r.server(at)); err != nil {
			return err
		}
		if r.clocks[at], err = connect(r.server(at)); err != nil {
			return err
		}
	}
	return nil
}

func (r *realRun) hangUp() {
	for _, conns := range []map[string]*realRedis{r.conns, r.clocks} {
		for _, c := range conns {
			c.close()
		}
		clear(conns)
	}
}

// catchUp waits until the replica has all writes.
func (r *realRun) catchUp() error {
	if !r.behind {
		return nil
	}
	r.behind = false
	return r.replica.AwaitStep()
}

func (r *realRun) goOn() error {
	r.stopped = false
	return syscall.Kill(r.replica.PID(), syscall.SIGCONT)
}

// perform runs one step.
func (r *realRun) perform(s step) (done, bool, error) {
	d := done{step: s}
	var err error
	switch s.at {
	case connA, connB, connR:
		return r.tell(s)
	case pause:
		n, _ := strconv.Atoi(s.ms)
		time.Sleep(time.Duration(n) * time.Millisecond)
	case doFresh:
		r.conns[connB].close()
		if r.stopped {
			r.told[connB] = true
		}
		r.conns[connB], err = connect(r.primary)
	case doStop:
		err = r.stop()
	case doGoOn:
		err = r.goOn()
	case doPromote:
		err = r.promote()
	case doKill:
		r.primary.Kill()
		if err = r.primary.Start(); err == nil {
			err = errors.Join(r.replica.AwaitStep(), r.dialAll())
		}
	default:
		err = fmt.Errorf("nothing is called %q", s.at)
	}
	if err != nil {
		return done{}, false, err
	}
	d.now, err = r.clocks[connA].now()
	return d, true, err
}

// stop lets the replica fall behind.
func (r *realRun) stop() error {
	if r.stopped {
		return errRace
	}
	if err := r.catchUp(); err != nil {
		return err
	}
	if err := syscall.Kill(r.replica.PID(), syscall.SIGSTOP); err != nil {
		return err
	}
	r.stopped, r.behind, r.told = true, true, map[string]bool{}
	_, err := r.clocks[connA].do(thirdParty())
	return err
}

// thirdParty returns a write of another client while the replica is stopped.
func thirdParty() []string { return []string{"INCR", "stops"} }

func (r *realRun) promote() error {
	if r.stopped {
		return errRace
	}
	if err := r.catchUp(); err != nil {
		return err
	}
	if _, err := r.clocks[connR].do([]string{"REPLICAOF", "NO", "ONE"}); err != nil {
		return err
	}
	old := r.clocks[connA]
	r.primary, r.replica = r.replica, r.primary
	host, port, _ := strings.Cut(r.primary.Addr, ":")
	if _, err := old.do([]string{"REPLICAOF", host, port}); err != nil {
		return err
	}
	return errors.Join(r.replica.AwaitStep(), r.dialAll())
}

// tell sends a server a command or a transaction.
func (r *realRun) tell(s step) (done, bool, error) {
	waits := (&keyspace.Connection{}).FirstBlocking(s.unit) < len(s.unit)
	switch {
	case s.at == connR && r.stopped:
		return done{}, false, errRace
	case s.at == connR:
		if err := r.catchUp(); err != nil {
			return done{}, false, err
		}
	case waits && r.stopped && (s.unit[0][len(s.unit[0])-1] == "0" || !r.told[s.at]):
		return done{}, false, errRace
	default:
		r.behind = true
	}
	d := done{step: s}
	clock := r.clocks[s.at]
	if err := clock.newMillisecond(); err != nil {
		return d, false, err
	}
	var err error
	if d.now, err = clock.now(); err != nil {
		return d, false, err
	}
	if d.replies, err = r.conns[s.at].pipeline(s.unit); err != nil {
		return d, false, err
	}
	if r.stopped {
		r.told[s.at] = true
	}
	if waits {
		// It may end up to a millisecond before its time, and what follows is to
		// come later than that.
		time.Sleep(2 * time.Millisecond)
		return d, true, nil
	}
	after, err := clock.now()
	return d, after.UnixMilli() == d.now.UnixMilli(), err
}

// now asks for the time.
func (c *realRedis) now() (time.Time, error) {
	raw, err := c.do([]string{"TIME"})
	if err != nil {
		return time.Time{}, err
	}
	return timeOf(raw)
}

// simRun carries the same steps out in a world, at the same times.
type simRun struct {
	world  *sim.World
	group  *Group
	worker *sim.Worker
	conns  map[string]*sim.Conn
	third  *sim.Conn
	start  time.Time
	err    error
}

// early is how long the world is there before the first step.
const early = 10 * time.Millisecond

func newSimRun(cache *lua.Cache, first time.Time) (*simRun, error) {
	s := &simRun{world: sim.New(sim.Config{}), conns: map[string]*sim.Conn{}, start: first.Add(-early)}
	node := s.world.AddNode("worker-1", sim.NodeConfig{})
	s.worker = node.Process("worker-1").Worker("worker-1")
	clock := sim.NodeConfig{WallOffset: s.start.Sub(node.Now())}
	var err error
	s.group, err = NewReplicated(s.world.AddNode("lock", clock), s.world.AddNode("lock-replica", clock),
		Options{Scripts: cache}, Replication{Lag: draw.Fixed(time.Microsecond)})
	return s, err
}

// replay runs the same steps as the real servers did. It returns the simulated replies to each
// step.
func (s *simRun) replay(log []done) ([][]exchange, error) {
	all := make([][]exchange, len(log))
	s.worker.Go("main", func() {
		s.dialAll()
		for i := range log {
			_ = s.worker.Sleep(context.Background(), log[i].now.Sub(s.start)-s.world.Time())
			all[i] = s.perform(log, i)
		}
	})
	err := s.world.Run()
	return all, errors.Join(err, s.err)
}

func (s *simRun) dial(node string) *sim.Conn {
	c, err := s.worker.Process().Dial(context.Background(), node, 0)
	s.err = errors.Join(s.err, err)
	return c
}

func (s *simRun) dialAll() {
	primary, replica := s.group.Resolve(), s.group.Replica().node.Name()
	s.conns = map[string]*sim.Conn{connA: s.dial(primary), connB: s.dial(primary), connR: s.dial(replica)}
	s.third = s.dial(primary)
}

func (s *simRun) call(c *sim.Conn, request any) *resp.Reply {
	answer, err := c.Call(context.Background(), "do", request, 0)
	s.err = errors.Join(s.err, err)
	r, ok := answer.(*resp.Reply)
	if !ok {
		return &resp.Reply{}
	}
	return r
}

func (s *simRun) perform(log []done, i int) []exchange {
	d := log[i]
	switch d.at {
	case connA, connB, connR:
		return s.tell(d)
	case doFresh:
		s.conns[connB] = s.dial(s.group.Resolve())
	case doStop:
		until := log[len(log)-1].now
		for _, later := range log[i:] {
			if later.at == doGoOn {
				until = later.now
				break
			}
		}
		s.group.Replica().node.Freeze(until.Sub(d.now))
		s.call(s.third, &resp.Command{Args: thirdParty()})
	case doPromote:
		s.group.Promote()
		s.dialAll()
	case doKill:
		s.group.Primary().Crash(faults.DataWritten)
		s.group.Primary().Restart()
		s.dialAll()
	}
	return nil
}

// tell sends a server a command or a transaction.
func (s *simRun) tell(d done) []exchange {
	replies := make([][]byte, 0, len(d.unit))
	if len(d.unit) == 1 {
		replies = append(replies, s.call(s.conns[d.at], &resp.Command{Args: d.unit[0]}).AppendRESP(nil))
	} else {
		for _, elem := range s.call(s.conns[d.at], &resp.Pipeline{Commands: d.unit}).Elems {
			replies = append(replies, elem.AppendRESP(nil))
		}
	}
	var all []exchange
	for i := range min(len(d.unit), len(replies)) {
		x := exchange{words: d.unit[i], now: d.now, real: d.replies[i], sim: replies[i]}
		s.err = errors.Join(s.err, x.comparable())
		all = append(all, x)
	}
	return all
}

// run tells both couples the steps. It returns what they say to each step.
func (c *couple) run(cache *lua.Cache, all []step) ([][]exchange, error) {
	const attempts = 1000
	for range attempts {
		log, steady, err := c.attempt(all)
		if err != nil {
			return nil, err
		}
		if !steady || len(log) == 0 {
			continue
		}
		s, err := newSimRun(cache, log[0].now)
		if err != nil {
			return nil, err
		}
		exchanges, err := s.replay(log)
		s.group.Close()
		s.world.Close()
		return exchanges, err
	}
	return nil, fmt.Errorf("%d times a command did not fit into a millisecond", attempts)
}

// differ runs the steps and returns the first exchange in which the couples
// differ, nil if there is none.
func (c *couple) differ(cache *lua.Cache, all []step) (*exchange, error) {
	exchanges, err := c.run(cache, all)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for j := range exchanges[i] {
			if !exchanges[i][j].same() {
				return &exchanges[i][j], nil
			}
		}
		c.met.note(all[:i+1], exchanges[i])
	}
	return nil, nil
}

// try runs steps, and shrinks and shows them if the couples differ. It reports
// whether they agree.
func (c *couple) try(t *testing.T, name string, cache *lua.Cache, all []step) bool {
	t.Helper()
	x, err := c.differ(cache, all)
	if err != nil {
		t.Errorf("%s: %v\n%v", name, err, all)
		return false
	}
	if x == nil {
		return true
	}
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(all) {
			fewer := slices.Delete(slices.Clone(all), i, i+1)
			if y, err := c.differ(cache, fewer); err == nil && y != nil {
				all, x, shrunk = fewer, y, true
				break
			}
		}
	}
	t.Errorf("%s, made shorter:\n%v%v", name, all, x)
	return false
}

// newCouple starts a real primary and a replica. They look at what has timed out
// every 2 ms, also if nobody asks them anything, and send each other nothing of
// their own accord that would count as written.
func newCouple(t *testing.T) *couple {
	t.Helper()
	settings := []string{"--hz", "500", "--repl-ping-replica-period", "3600"}
	primary := servers.Redis(t, settings...)
	c := &couple{primary: primary, replica: servers.RedisReplica(t, primary, settings...), met: newReplicaCoverage()}
	conn, err := connect(primary)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	conn.mustFit(t)
	return c
}

// TestConformanceOfReplication compares a simulated primary and replica with two real servers:
// WAIT, the replica's answers, and its data after a promotion.
func TestConformanceOfReplication(t *testing.T) {
	c, cache := newCouple(t), lua.NewCache()
	t.Run("by hand", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(handWrittenReplicated())) {
			t.Run(name, func(t *testing.T) {
				all := steps(parseSequence(t, handWrittenReplicated()[name]))
				exchanges, err := c.run(cache, all)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range slices.Concat(exchanges...) {
					if !x.same() {
						t.Error(x.String())
					}
				}
			})
		}
	})
	t.Run("by chance", func(t *testing.T) {
		c.met = newReplicaCoverage()
		first, last := servers.Sequences(t)
		const share, mostFailures = 10, 3 // one sequence for every ten of a single server
		n := max(1, (last-first+1)/share)
		for seed, failed := first, 0; seed < first+n && failed < mostFailures; seed++ {
			g := replicaGenerator{generator: generator{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}}
			if !c.try(t, fmt.Sprintf("sequence %d", seed), cache, g.steps()) {
				failed++
			}
		}
		if n >= servers.EnoughSequences/share && !t.Failed() {
			t.Log(tableOf(c.met.parts()))
			checkAll(t, c.met.parts())
		}
	})
}
