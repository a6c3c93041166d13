package scenarios

import (
	"cmp"
	"fmt"

	"lockquake/faults"
	"lockquake/sim/redis"
)

// serverOptions are what the lock's servers are told of the locks: which of the
// records are theirs, and how their holders are read. A lock of the catalogue is a
// string. One of the caller's own says how it is read, or that is guessed.
func (r *run) serverOptions(s Servers, resources map[string]bool) redis.Options {
	_, own := r.own[r.use.Name]
	o := redis.Options{
		Persistence: s.Persistence, Monotonic: s.Clock == faults.ClockMonotonic,
		Locks:  func(key string) bool { return resources[resourceOf(key)] },
		Record: r.recordServer, Scripts: r.scripts,
		Holders: r.entry.Holders, Guess: own && r.entry.Holders == nil,
		Unread: func(key, why string) { r.unread = cmp.Or(r.unread, fmt.Sprintf("lock %s: %s", key, why)) },
	}
	if r.entry.Records != nil {
		o.Records = r.entry.Records
		o.LockOf = func(key string) string { return r.records[key] }
		o.Locks = func(key string) bool { return r.records[key] != "" }
	}
	return o
}

// know notes which records a lock has, before anybody asks for it.
func (r *run) know(key string) {
	if r.entry.Records != nil {
		for _, record := range r.entry.Records(key) {
			r.records[record] = key
		}
	}
}
