package etcd

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/lock/etcd"
)

// lockWatch records who holds the locks of the run. The keys of a lock have its record as their
// prefix, and are in its queue by their creation revisions. The first one holds the lock. If it is
// shared, so do those after it up to the first one that is not. A lock with permits is held by as many
// of the first ones as it has permits.
type lockWatch struct {
	cluster *Cluster
	held    map[string][]grant // by record
	asked   map[string]asked   // by key
}

// grant is a key that holds a lock.
type grant struct {
	key   string
	lease int64
	token int64
	mode  lock.Mode
}

// asked is the request that created a key.
type asked struct {
	worker  string
	request int64
	sent    time.Duration
}

func newLockWatch(c *Cluster) *lockWatch {
	return &lockWatch{cluster: c, held: map[string][]grant{}, asked: map[string]asked{}}
}

// recordOf returns the record of the lock that a key belongs to: its directory.
func recordOf(key string) string { return key[:strings.LastIndex(key, "/")+1] }

// record records an event of the cluster's leader.
func (w *lockWatch) record(e history.Event) {
	if w.cluster.options.Locks.Record != nil {
		e.At, e.Node = w.cluster.World.Time(), w.cluster.Names()[0]
		w.cluster.options.Locks.Record(e)
	}
}

// applied compares the holders of the locks whose keys a request has changed with those before. The member l led when
// it applied the request.
func (w *lockWatch) applied(l *member, p *pending, before, now int64) {
	c := w.cluster
	all := &etcd.Watch{Keys: etcd.Keys{Key: "\x00", End: etcd.FromKey}}
	var records []string
	for _, e := range c.store.Changes(all, before+1, now, before) {
		record := recordOf(e.KV.Key)
		name := w.cluster.options.Locks.Of(record)
		if name == "" {
			continue
		}
		if !e.Deleted && e.KV.Version == 1 && p.call != nil {
			w.asked[e.KV.Key] = asked{p.call.Worker, p.call.Request, p.call.Sent}
		}
		if e.Deleted && w.grantOf(e.KV.Key) < 0 {
			w.left(p, name, e.KV.Key)
		}
		if !slices.Contains(records, record) {
			records = append(records, record)
		}
	}
	for _, record := range records {
		w.settle(l, p, record)
	}
}

// queue returns the keys of a lock in the order of their creation.
func (w *lockWatch) queue(record string) []etcd.KeyValue {
	answer, err := w.cluster.store.Range(&etcd.Range{Keys: etcd.Prefix(record)}, w.cluster.store.View())
	if err != nil {
		return nil
	}
	slices.SortFunc(answer.KVs, func(a, b etcd.KeyValue) int {
		return cmp.Or(cmp.Compare(a.Create, b.Create), cmp.Compare(a.Key, b.Key))
	})
	return answer.KVs
}

// holders returns the keys at the head of the queue that hold the lock.
func (w *lockWatch) holders(record string, queue []etcd.KeyValue) (now []grant) {
	permits := w.cluster.options.Locks.Permits
	for _, kv := range queue {
		g := grant{kv.Key, kv.Lease, kv.Create, lock.ModeExclusive}
		if permits > 0 || strings.HasPrefix(kv.Key, record+etcd.SharedKey) {
			g.mode = lock.ModeShared
		}
		if permits > 0 && len(now) == permits || len(now) > 0 && (now[0].mode != lock.ModeShared || g.mode != lock.ModeShared) {
			return now
		}
		now = append(now, g)
	}
	return now
}

func (w *lockWatch) settle(l *member, p *pending, record string) {
	name, queue := w.cluster.options.Locks.Of(record), w.queue(record)
	now := w.holders(record, queue)
	before := w.held[record]
	w.held[record] = now
	for _, g := range before {
		if !slices.ContainsFunc(now, func(o grant) bool { return o.token == g.token && o.key == g.key }) {
			w.end(p, name, g)
		}
	}
	for _, g := range now {
		if !slices.ContainsFunc(before, func(o grant) bool { return o.token == g.token && o.key == g.key }) {
			w.grant(l, name, g)
		}
	}
	w.refused(p, name, queue, now)
}

// grant records a new holder.
func (w *lockWatch) grant(l *member, name string, g grant) {
	by := w.asked[g.key]
	t := w.cluster.leases[g.lease]
	e := history.Event{
		Type: history.Granted, Key: name, Owner: g.key, Worker: by.worker, Request: by.request, Sent: by.sent, Token: g.token, Mode: string(g.mode),
	}
	if t != nil { // the holder counts its lease from the request that created it
		e.Until, e.Sent = t.until(l), min(t.sent, by.sent)
	}
	w.record(e)
	if t != nil && t.sent > by.sent { // it was renewed in the queue
		w.record(history.Event{Type: history.Renewed, Key: name, Owner: g.key, Worker: by.worker, Sent: t.sent, Until: e.Until, Mode: e.Mode})
	}
}

// end records the end of a grant.
func (w *lockWatch) end(p *pending, name string, g grant) {
	e := history.Event{Type: p.cause(), Key: name, Owner: g.key, Worker: w.asked[g.key].worker}
	if p.call != nil {
		e.Worker, e.Request, e.Sent = p.call.Worker, p.call.Request, p.call.Sent
	}
	delete(w.asked, g.key)
	w.record(e)
}

// left records that a key is no longer in the queue if that is the end of its lease.
func (w *lockWatch) left(p *pending, name, key string) {
	if p.expires {
		w.record(history.Event{Type: history.LeftQueue, Key: name, Owner: key, Worker: w.asked[key].worker})
	}
	delete(w.asked, key)
}

// grantOf returns the index of a key among the holders of its lock, -1 if it is none of them.
func (w *lockWatch) grantOf(key string) int {
	return slices.IndexFunc(w.held[recordOf(key)], func(g grant) bool { return g.key == key })
}

// refused records a request that has put its key behind others.
func (w *lockWatch) refused(p *pending, name string, queue []etcd.KeyValue, now []grant) {
	if p.call == nil || len(now) == 0 {
		return
	}
	for _, kv := range queue[len(now):] {
		if by := w.asked[kv.Key]; by.request == p.call.Request {
			w.record(history.Event{
				Type: history.Refused, Key: name, Owner: now[0].key, Worker: by.worker, Request: by.request, Sent: by.sent,
			})
		}
	}
}

// renewed records that the leases of grants last longer: by a request to the leader l, or since l is a new leader.
func (w *lockWatch) renewed(l *member, t *tenure, p *pending) {
	c := w.cluster
	for _, key := range c.store.KeysOf(t.id) {
		record := recordOf(key)
		i := w.grantOf(key)
		if i < 0 {
			continue
		}
		e := history.Event{
			Type: history.Renewed, Key: w.cluster.options.Locks.Of(record), Owner: key, Worker: w.asked[key].worker, Until: t.until(l), Mode: string(w.held[record][i].mode),
		}
		if p != nil {
			e.Worker, e.Request, e.Sent = p.call.Worker, p.call.Request, p.call.Sent
		}
		w.record(e)
	}
}

// lost records that all keys are gone.
func (w *lockWatch) lost() {
	var records []string
	for record := range w.held {
		records = append(records, record)
	}
	slices.Sort(records)
	for _, record := range records {
		for _, g := range w.held[record] {
			w.record(history.Event{Type: history.Evicted, Key: w.cluster.options.Locks.Of(record), Owner: g.key, Worker: w.asked[g.key].worker})
		}
	}
	clear(w.held)
	clear(w.asked)
}
