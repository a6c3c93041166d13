package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/sim/backend"
)

// Servers has the settings of the servers of the lock: their number, and what happens after a
// crash.
type Servers struct {
	Nodes    int           `yaml:"nodes" doc:"number of independent servers; the only one is called lock, several are lock-1, lock-2, ..."`
	Members  int           `yaml:"members" doc:"number of members of one replicated service, such as an etcd cluster, called lock-1, lock-2, ...; only for strategies that use such a service"`
	Replicas int           `yaml:"replicas" doc:"number of replicas of a single server: 0, or 1, which is called lock-replica"`
	Lag      draw.Dist     `yaml:"lag" doc:"replication lag of a write"`
	Failover time.Duration `yaml:"failover" doc:"time from a crash of the primary to the promotion of its replica; 0s for no promotion except by a fault"`
	// Families has the keys of the families, such as what a server knows after a crash.
	Families       strictyaml.Extension `yaml:"*servers"`
	DelayedRestart bool                 `yaml:"delayed-restart" doc:"whether a server stays silent for the longest ttl after a restart"`
	Service        draw.Dist            `yaml:"service" doc:"service time of a request; a server handles one request after another"`
	Clocks         []ServerClock        `yaml:"clocks" doc:"servers of the lock whose wall clock is wrong from the start"`
}

// ServerClock is the wall-clock offset of one server of the lock.
type ServerClock struct {
	Server     string        `yaml:"server" doc:"which server; lock stands for all of them"`
	WallOffset time.Duration `yaml:"wall-offset" doc:"offset of its wall clock; negative if the clock is slow"`
}

// wallOffset returns by how much the wall clock of a server is fast. The last entry for the server
// counts.
func (s Servers) wallOffset(name string) time.Duration {
	var offset time.Duration
	for _, c := range s.Clocks {
		if c.Server == name || c.Server == LockNode {
			offset = c.WallOffset
		}
	}
	return offset
}

// WrongClocks returns how far the wall clocks of the workers, and of the servers of one use of a strategy, are ahead from the start.
// It leaves out those that are right. If all servers are equally wrong, they share the entry LockNode.
func (s *Scenario) WrongClocks(servers Servers) map[string]time.Duration {
	clocks := map[string]time.Duration{}
	if len(servers.Clocks) > 0 {
		names := servers.nodeNames()
		first := servers.wallOffset(names[0])
		if slices.ContainsFunc(names, func(name string) bool { return servers.wallOffset(name) != first }) {
			for _, name := range names {
				clocks[name] = servers.wallOffset(name)
			}
		} else {
			clocks[LockNode] = first
		}
	}
	if len(s.Each) > 0 {
		workers := s.WorkerNames() // in a search they may be fewer than in the file
		for _, e := range s.Each {
			if e.WallOffset != 0 && slices.Contains(workers, e.Worker) {
				clocks[e.Worker] = e.WallOffset
			}
		}
	}
	maps.DeleteFunc(clocks, func(_ string, ahead time.Duration) bool { return ahead == 0 })
	return clocks
}

// ServersParams are those settings of the lock's servers that a part of a file
// sets.
type ServersParams = strictyaml.Patch[Servers]

// ServersOf returns the servers of one use of a strategy. The settings of this use override those
// of the scenario, which override the needs of the strategy.
func (s *Scenario) ServersOf(own lock.Topology, use Strategy) Servers {
	servers := Servers{
		Nodes: max(own.Nodes, 1), Replicas: own.Replicas, DelayedRestart: own.DelayedRestart,
		Members: own.Members, Lag: draw.Fixed(time.Millisecond),
	}
	s.Servers.Apply(&servers)
	use.Servers.Apply(&servers)
	if own.Nodes == 1 { // it uses one server, even if other strategies have more
		servers.Nodes = 1
	}
	if own.Members == 0 { // it uses no replicated service
		servers.Members = 0
	} else {
		servers.Replicas = 0
	}
	return servers
}

// The nodes of every world beside those of the workers, which have the names of the workers.
const (
	LockNode     = "lock" // the server of the lock, or all of them
	ReplicaNode  = "lock-replica"
	ResourceNode = "resource"
	OutsideNode  = "outside" // the service of effects outside of the resource
)

// nodeNames lists the nodes of the lock's servers.
func (s Servers) nodeNames() []string {
	if n := max(s.Nodes, s.Members); n > 1 {
		return numbered(LockNode, n)
	}
	if s.Replicas > 0 {
		return []string{LockNode, ReplicaNode}
	}
	return []string{LockNode}
}

// Layout returns the layout of the servers for their family. A restarted server stays away for
// silence if the settings delay it.
func (s Servers) Layout(silence time.Duration) backend.Layout {
	if !s.DelayedRestart {
		silence = 0
	}
	return backend.Layout{
		Names: s.nodeNames(), Replicated: s.Nodes == 1 && s.Replicas > 0, Ensemble: s.Members > 0, Lag: s.Lag, Failover: s.Failover, Silence: silence,
		WallOffset: s.wallOffset,
	}
}

// topology returns the servers as a strategy describes them.
func (s Servers) topology() lock.Topology {
	return lock.Topology{Nodes: s.Nodes, Members: s.Members, Replicas: s.Replicas}
}

// servers checks the settings of the lock's servers in all parts of the file.
func (v *validator) servers() error {
	if err := v.serversAt("servers", &v.Servers); err != nil {
		return err
	}
	for i := range v.Strategies {
		use := &v.Strategies[i]
		at := v.uses[i] + ".servers"
		if err := v.serversAt(at, &use.Servers); err != nil {
			return err
		}
		own := v.known.entries[use.Name].Topology
		if use.Servers.Has("nodes") && own.Nodes == 1 {
			return v.at.Errorf(at+".nodes", "%s takes its lock from one server", use.Name)
		}
		if use.Servers.Has("members") && own.Members == 0 {
			return v.at.Errorf(at+".members", "%s uses no replicated service", use.Name)
		}
		if err := v.ServersOf(own, *use).topology().Validate(); err != nil && !v.known.others() {
			if !v.at.Has(at) {
				at = v.uses[i]
			}
			return v.at.Errorf(at, "%s: %v", use.Label, err)
		}
	}
	return nil
}

func (v *validator) serversAt(at string, set *ServersParams) error {
	var s Servers
	set.Apply(&s)
	if err := judgeSettings(at, set.Has, append(v.countSettings(serverCounts(s)),
		v.durationSetting("failover", s.Failover, 0),
	)); err != nil {
		return err
	}
	if err := s.Families.Judge(v.at, at); err != nil {
		return err
	}
	for i, c := range s.Clocks {
		clock := fmt.Sprintf("%s.clocks[%d]", at, i)
		if c.Server == "" {
			return v.missing(clock + ".server")
		}
		if err := v.name(clock+".server", "server", c.Server, v.lockNodes()); err != nil {
			return err
		}
		if err := v.duration(clock+".wall-offset", c.WallOffset, -longestTime, longestTime); err != nil {
			return err
		}
	}
	return nil
}

// serverCounts are the whole numbers of the servers with their bounds.
func serverCounts(s Servers) []count {
	const mostNodes, mostMembers = 99, 9
	return []count{{"nodes", s.Nodes, 1, mostNodes}, {"members", s.Members, 1, mostMembers}, {"replicas", s.Replicas, 0, 1}}
}

// Nodes lists the servers of all uses of the scenario, and the resource.
func (s *Scenario) Nodes() []string {
	v := validator{Scenario: s, known: s.known()}
	return v.nodes()
}

// nodes returns the servers that a fault can name in this scenario.
func (v *validator) nodes() []string { return append(v.lockNodes(), ResourceNode) }

// lockNodes returns the servers of the lock under any of the strategies.
func (v *validator) lockNodes() []string {
	names := []string{LockNode}
	for i := range v.Strategies {
		use := v.Strategies[i]
		for _, name := range v.ServersOf(v.known.entries[use.Name].Topology, use).nodeNames() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range v.elsewhere() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nodePattern matches the names of servers in any scenario.
func nodePattern() string {
	return fmt.Sprintf("^(%s|%s|%s|%[1]s-[1-9][0-9]?)$", LockNode, ResourceNode, ReplicaNode)
}
