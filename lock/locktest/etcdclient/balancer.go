package etcdclient

import (
	"hash/fnv"
	"slices"
	"sync"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/base"
	"google.golang.org/grpc/resolver"
)

// balancerName is the name of the balancer in a service configuration of gRPC.
const balancerName = "lockquake_turns"

func init() { //nolint:gochecknoinits // gRPC wants balancers to be registered before any connection is made
	balancer.Register(builder{})
}

// builder makes the balancer of a client.
type builder struct{}

// Name implements balancer.Builder.
func (builder) Name() string { return balancerName }

// Build implements balancer.Builder.
func (builder) Build(cc balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	t := &turns{next: map[string]int{}}
	return &turning{base.NewBalancerBuilder(balancerName, t, base.Config{}).Build(cc, options), t}
}

// turning keeps a connection to each member, and gives requests to those that are connected, in turn.
type turning struct {
	balancer.Balancer
	turns *turns
}

// UpdateClientConnState implements balancer.Balancer.
func (b *turning) UpdateClientConnState(s balancer.ClientConnState) error {
	s.ResolverState.Addresses = nil
	for _, e := range s.ResolverState.Endpoints {
		s.ResolverState.Addresses = append(s.ResolverState.Addresses, e.Addresses...)
	}
	b.turns.members = s.ResolverState.Addresses
	return b.Balancer.UpdateClientConnState(s)
}

// turns has the turns of a client. Each kind of request has its own, so that they do not depend on the order of
// goroutines that send different requests at one instant. They begin at different members.
type turns struct {
	members []resolver.Address

	mu   sync.Mutex
	next map[string]int // by method
}

// Build implements base.PickerBuilder.
func (t *turns) Build(info base.PickerBuildInfo) balancer.Picker {
	if len(info.ReadySCs) == 0 {
		return base.NewErrPicker(balancer.ErrNoSubConnAvailable)
	}
	p := &picker{turns: t, ready: make([]balancer.SubConn, len(t.members))}
	for c, of := range info.ReadySCs {
		p.ready[slices.IndexFunc(t.members, func(a resolver.Address) bool { return a.Addr == of.Address.Addr })] = c
	}
	return p
}

// picker picks among the members that are connected.
type picker struct {
	turns *turns
	ready []balancer.SubConn // by member; nil: not connected
}

// Pick implements balancer.Picker. It passes over the members that are not connected, so it does not matter whether a
// request comes right before or after a connection breaks.
func (p *picker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	t := p.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	turn, begun := t.next[info.FullMethodName]
	if !begun {
		h := fnv.New32a()
		_, _ = h.Write([]byte(info.FullMethodName))
		turn = int(h.Sum32() % uint32(len(p.ready)))
	}
	for p.ready[turn] == nil {
		turn = (turn + 1) % len(p.ready)
	}
	t.next[info.FullMethodName] = (turn + 1) % len(p.ready)
	return balancer.PickResult{SubConn: p.ready[turn]}, nil
}
