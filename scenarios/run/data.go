package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/resource"
)

// data is the protected resource of a run. It has a server of its own, or its items are in a
// database: that of the lock, or another one.
type data struct {
	server   *resource.Server
	database backend.Database
	apart    backend.Cluster // the servers of a database that is not that of the lock
}

// startData adds the protected resource to the world. The servers of the lock have been started.
func (r *run) startData() error {
	s := r.Scenario
	policy := resource.Policy(s.ResourceOf(r.use).Fence)
	if s.WorkloadInfo().Outside {
		resource.NewServer(r.world.AddNode(scenarios.OutsideNode, sim.NodeConfig{}), resource.Off, nil, r.recordResource)
	}
	if s.HomeOf(r.entry, r.use) == scenarios.HomeServer {
		r.data.server = resource.NewServer(r.world.AddNode(scenarios.ResourceNode, sim.NodeConfig{}), policy, r.initial(), r.recordResource)
		return nil
	}
	database, ok := r.cluster.(backend.Database)
	if !ok {
		family, err := scenarios.DatabaseFamily()
		if err != nil {
			return err
		}
		layout := backend.Layout{
			Names: []string{scenarios.ResourceNode}, WallOffset: r.servers.Layout(0).WallOffset, Record: r.recordSilently,
		}
		none := backend.Locks{IsLock: func(string) bool { return false }, Record: func(history.Event) {}}
		apart, err := family.Start(backend.Start{World: r.world, Layout: layout, Settings: r.servers.Families, Locks: none, Cache: r.Caches[family.Name]})
		if err != nil {
			return err
		}
		r.data.apart, database = apart, apart.(backend.Database)
	}
	r.data.database = database
	return database.Keep(backend.Items{Policy: policy, Initial: r.initial(), Record: r.recordResource})
}

// access returns the access of a worker's process to the resource.
func (r *run) access(p *sim.Process, worker string) backend.Access {
	if r.data.server != nil {
		return resource.NewClient(p, scenarios.ResourceNode)
	}
	return r.data.database.Access(p, r.Scenario.FamilySettings(r.use, worker))
}

// serviceOf returns the access of a worker's process to the service of effects outside.
func serviceOf(p *sim.Process) backend.Access { return resource.NewClient(p, scenarios.OutsideNode) }

// value returns the present value of an item.
func (r *run) value(item string) string {
	if r.data.server != nil {
		return r.data.server.Value(item)
	}
	return r.data.database.Value(item)
}

// crashData turns the server of the resource off for d.
func (e effects) crashData(data faults.Data, d time.Duration) {
	if e.data.server == nil {
		e.data.apart.(backend.Crasher).Crash([]string{scenarios.ResourceNode}, data, d)
		return
	}
	e.data.server.Crash()
	e.later(d, e.data.server.Restart)
}

// setStale makes a server answer reads with the data of that time ago.
func (e effects) setStale(name string, by time.Duration) {
	switch {
	case e.serves(name):
		e.cluster.(backend.StaleReader).SetStale(name, by)
	case e.data.server != nil:
		e.data.server.SetStale(by)
	default:
		e.data.apart.(backend.StaleReader).SetStale(name, by)
	}
}

// outside is the way of a request that has its effect outside of the resource. No transaction and
// no fence covers it.
type outside struct{ *call }

func (o outside) through() backend.Access { return o.service }

// transactional is a call whose resource is in the database of its lock.
type transactional struct{ *call }

// By implements lock.Transactional.
func (t transactional) By(session any) lock.Resource {
	return t.by(session, false)
}

// In implements lock.Transactional.
func (t transactional) In(session any) (lock.Resource, func(error)) {
	s := t.by(session, true)
	return s, s.ended
}

// by returns the resource as a session of the strategy accesses it, in a transaction that is open or
// by statements on their own.
func (c *call) by(session any, open bool) *statements {
	return &statements{call: c, by: c.access.(backend.SessionAccess).By(session), open: open}
}

// statements is the resource as a session of the strategy accesses it.
type statements struct {
	*call
	by   backend.Access
	open bool // in a transaction, whose writes take effect when it commits
	// pending are the writes of the transaction that were done or may have been, with one of each
	// item that was done: a later write of the same item replaces the earlier one.
	pending []history.Event
}

// Read implements lock.Resource. What the transaction has written itself is no request to the
// resource as others see it, and is not recorded.
func (s *statements) Read(ctx context.Context, item string, token int64) (string, error) {
	reply, err := s.readItem(ctx, item, token)
	return reply.Value, err
}

func (s *statements) readItem(ctx context.Context, item string, token int64) (resource.Reply, error) {
	if !s.wrote(item) {
		return s.read(ctx, s, item, token)
	}
	s.run.requests++
	return s.by.Ask(ctx, &resource.Request{ID: s.run.requests, Peek: true, Item: item})
}

// Write implements lock.Resource.
func (s *statements) Write(ctx context.Context, item, value string, token int64) error {
	_, err := s.write(ctx, s, "lease-checked", &resource.Request{Item: item, Value: value, Token: token})
	return err
}

// ReadVersion implements lock.Conditional.
func (s *statements) ReadVersion(ctx context.Context, item string) (string, int64, error) {
	reply, err := s.readItem(ctx, item, 0)
	return reply.Value, reply.Version, err
}

// WriteIf implements lock.Conditional.
func (s *statements) WriteIf(ctx context.Context, item, value string, condition lock.Condition) (int64, error) {
	reply, err := s.write(ctx, s, "lease-checked", &resource.Request{Item: item, Value: value, If: &condition})
	return reply.Version, err
}

func (s *statements) through() backend.Access { return s.by }

func (s *statements) wrote(item string) bool {
	return slices.ContainsFunc(s.pending, func(e history.Event) bool { return e.Key == item })
}

// answered records what the worker learned of a request. The outcome of a write in a transaction is
// known when that has ended.
func (s *statements) answered(e *history.Event) {
	if !s.open || e.Op != "write" || e.Type == history.Fail {
		s.run.record(e)
		return
	}
	s.pending = slices.DeleteFunc(s.pending, func(earlier history.Event) bool {
		if earlier.Key != e.Key || e.Type != history.OK {
			return false
		}
		earlier.Type, earlier.Err = history.Fail, "replaced by a later write of the transaction"
		s.run.record(&earlier)
		return true
	})
	s.pending = append(s.pending, *e)
}

// ended records the outcome of the transaction's writes.
func (s *statements) ended(err error) {
	for _, e := range s.pending {
		switch {
		case err == nil:
			s.run.record(&e)
			continue
		case errors.Is(err, lock.ErrUnknown):
			e.Type = history.Info
		default:
			e.Type = history.Fail
		}
		e.Err = text(err)
		s.run.record(&e)
	}
	s.pending, s.open = nil, false
}
