package run

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/lock"
	"lockquake/sim/backend"
)

// processClients holds what the workers of a process share.
type processClients struct {
	port  any
	state *lock.Process // of its workers' locks
}

// startServers adds the lock's servers to the world. Silence is the time for which a restarted
// server stays away, if the strategy delays it.
func (r *run) startServers(silence time.Duration) error {
	r.servers = r.Scenario.ServersOf(r.entry.Topology, r.use)
	layout := r.servers.Layout(silence)
	layout.Record = r.recordSilently
	_, own := r.Own[r.use.Name]
	cluster, err := r.family.Start(backend.Start{
		World: r.world, Layout: layout, Settings: r.servers.Families, Locks: r.locks(), Cache: r.Caches[r.family.Name],
		Catalogue: !own,
	})
	if err != nil {
		return err
	}
	r.cluster = cluster
	for _, name := range r.cluster.Names() {
		r.restoreService(name)
	}
	return nil
}

// restoreService sets the service time of a server to that of the settings.
func (r *run) restoreService(name string) {
	if r.servers.Service.IsZero() {
		r.world.Node(name).SetService(nil)
	} else {
		r.world.Node(name).SetService(&r.servers.Service)
	}
}

// locks returns which records are locks, and how to read their holders. A lock of the catalogue is
// a string. The entry of a lock of the caller's own tells how to read it; otherwise the format is
// guessed.
func (r *run) locks() backend.Locks {
	_, own := r.Own[r.use.Name]
	l := backend.Locks{
		IsLock: func(record string) bool { return r.records[record] != "" },
		Record: r.recordServer, Holders: r.entry.Holders, Guess: own && r.entry.Holders == nil,
		Unread: func(key, why string) { r.unread = cmp.Or(r.unread, fmt.Sprintf("lock %s: %s", key, why)) },
	}
	if r.entry.Permits { // outside a workload with permits a lock has one
		l.Permits = max(1, r.Scenario.WorkloadOf(r.use).Permits)
	}
	if r.entry.Records != nil {
		l.Records = r.entry.Records
		l.LockOf = func(record string) string { return r.records[record] }
	}
	return l
}

// know stores which records a lock has, before the first request for it.
func (r *run) know(key string) {
	if r.entry.Records == nil {
		r.records[key] = key
		return
	}
	for _, record := range r.entry.Records(key) {
		r.records[record] = key
	}
}

// answer returns how long a client waits for a reply; 0 if its family does not say.
func (r *run) answer() time.Duration {
	if r.family.ReplyTimeout.Of == nil {
		return 0
	}
	return r.family.ReplyTimeout.Of(r.Scenario.FamilySettings(r.use, ""))
}

// serves reports whether a node is a server of the lock.
func (r *run) serves(node string) bool { return slices.Contains(r.cluster.Names(), node) }
