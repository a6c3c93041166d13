package zookeeper

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/zookeeper/tree"
	"lockquake/sim/zookeeper/wire"
)

// lockWatch records who holds the locks of the run. A lock is a znode, and the znodes of its
// contenders are the children.
type lockWatch struct {
	ensemble *Ensemble
	zxid     int64                    // of the last transaction that was recorded
	held     map[string][]lock.Holder // by the path of the lock
	made     map[string]maker         // who created the znode of a contender, by path
}

// maker is the request that created a znode.
type maker struct {
	worker  string
	request int64
	sent    time.Duration
}

func newLockWatch(e *Ensemble) *lockWatch {
	return &lockWatch{ensemble: e, held: map[string][]lock.Holder{}, made: map[string]maker{}}
}

// committed records what a transaction has changed. A new leader may commit one again.
func (w *lockWatch) committed(p *proposal, t *tree.Tree) {
	if p.txn.Zxid <= w.zxid {
		return
	}
	w.zxid = p.txn.Zxid
	for i := range p.txn.Steps {
		s := &p.txn.Steps[i]
		path := tree.Parent(s.Path)
		key := w.ensemble.options.Locks.Of(path)
		if key == "" || s.Kind != wire.Create && s.Kind != wire.Delete {
			continue
		}
		if s.Kind == wire.Create && p.from != nil {
			w.made[s.Path] = maker{p.from.call.Worker, p.from.call.Request, p.from.call.Sent}
		}
		w.settle(key, path, t, p, s)
		if s.Kind == wire.Delete {
			delete(w.made, s.Path)
		}
	}
}

// settle compares the holders of a lock with those before.
func (w *lockWatch) settle(key, path string, t *tree.Tree, p *proposal, s *tree.Step) {
	now, err := w.holders(key, path, t)
	if err != nil {
		w.ensemble.options.Locks.Unread(key, err.Error())
		return
	}
	before := w.held[path]
	w.held[path] = now
	for _, h := range before {
		if !slices.ContainsFunc(now, func(o lock.Holder) bool { return o.Owner == h.Owner }) {
			w.end(key, path, h, p)
		}
	}
	name := tree.Name(s.Path)
	if s.Kind == wire.Delete && p.expired && !slices.ContainsFunc(before, func(o lock.Holder) bool { return o.Owner == name }) {
		w.record(history.Event{Type: history.LeftQueue, Key: key, Owner: name, Worker: w.made[s.Path].worker, With: "session"})
	}
	granted := false
	for _, h := range now {
		if slices.ContainsFunc(before, func(o lock.Holder) bool { return o.Owner == h.Owner }) {
			continue
		}
		granted = granted || path+"/"+h.Owner == s.Path
		by := w.made[path+"/"+h.Owner]
		w.record(history.Event{
			Type: history.Granted, Key: key, Owner: h.Owner, Token: h.Token, Mode: string(h.Mode),
			Worker: by.worker, Request: by.request, Sent: by.sent,
		})
	}
	if by, ok := w.made[s.Path]; ok && s.Kind == wire.Create && !granted && len(now) > 0 {
		w.record(history.Event{Type: history.Refused, Key: key, Owner: now[0].Owner, Worker: by.worker, Request: by.request, Sent: by.sent})
	}
}

// end records the end of a grant: by a request of its worker, with its session, or by a third party.
func (w *lockWatch) end(key, path string, h lock.Holder, p *proposal) {
	e := history.Event{Type: history.Evicted, Key: key, Owner: h.Owner, Worker: w.made[path+"/"+h.Owner].worker}
	switch {
	case p == nil:
	case p.expired:
		e.Type = history.Expired
	case p.from != nil:
		call := p.from.call
		e.Type, e.Worker, e.Request, e.Sent = history.Freed, call.Worker, call.Request, call.Sent
	}
	w.record(e)
}

// holders reads the holders of a lock. The value of a member is the zxid of its creation.
func (w *lockWatch) holders(key, path string, t *tree.Tree) ([]lock.Holder, error) {
	r := lock.Record{Name: path, Kind: lock.RecordHash}
	for _, name := range t.Children(path) {
		stat, _ := t.Stat(path + "/" + name)
		r.Members = append(r.Members, lock.Member{Name: name, Value: strconv.FormatInt(stat.Czxid, 10)})
	}
	read := w.ensemble.options.Locks.Holders
	if read == nil {
		read = lock.ReadHolders
	}
	state := lock.State{Key: key, Records: []lock.Record{r}, Permits: w.ensemble.options.Locks.Permits}
	return read(state)
}

// lost records that all data is gone.
func (w *lockWatch) lost() {
	for _, path := range slices.Sorted(maps.Keys(w.held)) {
		for _, h := range w.held[path] {
			w.end(w.ensemble.options.Locks.Of(path), path, h, nil)
		}
	}
	clear(w.held)
	clear(w.made)
}

func (w *lockWatch) record(e history.Event) {
	e.At, e.Node = w.ensemble.World.Time(), w.ensemble.Layout.Names[0]
	w.ensemble.options.Locks.Record(e)
}
