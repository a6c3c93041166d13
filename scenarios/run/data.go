package run

import (
	"time"

	"lockquake/faults"
	"lockquake/history"
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
