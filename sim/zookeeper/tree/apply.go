package tree

import "lockquake/sim/zookeeper/wire"

// Apply applies a transaction, and returns the reply to its request without the Xid.
func (t *Tree) Apply(x *Txn) *wire.Reply {
	t.zxid = x.Zxid
	r := &wire.Reply{Zxid: x.Zxid, Code: x.Code}
	switch {
	case x.Opens != nil:
		t.sessions[x.Session] = &session{timeout: x.Opens.Timeout, password: x.Opens.Password, ephemerals: map[string]bool{}}
		r.Session, r.Password, r.Timeout = x.Session, x.Opens.Password, x.Opens.Timeout
	case x.Multi && x.Code != wire.OK:
		r.Results = failedMulti(x)
	}
	for i := range x.Steps {
		result := t.apply(x, &x.Steps[i])
		if x.Multi {
			r.Results = append(r.Results, result)
		} else if !x.Closes {
			r.Path, r.Stat = result.Path, result.Stat
		}
	}
	if x.Closes {
		delete(t.sessions, x.Session)
	}
	return r
}

// failedMulti returns the results of a multi that changed nothing.
func failedMulti(x *Txn) []wire.Result {
	results := make([]wire.Result, x.Ops)
	results[x.Failed].Code = x.Code
	for i := x.Failed + 1; i < x.Ops; i++ {
		results[i].Code = wire.ErrRuntimeInconsistency
	}
	return results
}

// apply changes one znode.
func (t *Tree) apply(x *Txn, s *Step) wire.Result {
	switch s.Kind {
	case wire.Create:
		t.create(x, s)
		return wire.Result{Path: s.Path}
	case wire.Delete:
		t.remove(x, s.Path)
	case wire.SetData:
		n := t.nodes[s.Path]
		n.data = s.Data
		n.stat.Version++
		n.stat.Mzxid, n.stat.Mtime = x.Zxid, x.Time
		t.fire(wire.NodeDataChanged, s.Path)
		return wire.Result{Stat: n.statOf()}
	default: // a check
	}
	return wire.Result{}
}

func (t *Tree) create(x *Txn, s *Step) {
	parent := t.nodes[Parent(s.Path)]
	parent.children[Name(s.Path)] = true
	parent.created++
	parent.stat.Pzxid = x.Zxid
	t.nodes[s.Path] = &node{
		data: s.Data, children: map[string]bool{},
		stat: wire.Stat{Czxid: x.Zxid, Mzxid: x.Zxid, Pzxid: x.Zxid, Ctime: x.Time, Mtime: x.Time, EphemeralOwner: s.Owner},
	}
	if owner := t.sessions[s.Owner]; owner != nil {
		owner.ephemerals[s.Path] = true
	}
	t.fire(wire.NodeCreated, s.Path)
	t.fire(wire.NodeChildrenChanged, Parent(s.Path))
}

func (t *Tree) remove(x *Txn, path string) {
	n := t.nodes[path]
	delete(t.nodes, path)
	parent := t.nodes[Parent(path)]
	delete(parent.children, Name(path))
	parent.stat.Pzxid = x.Zxid
	if owner := t.sessions[n.stat.EphemeralOwner]; owner != nil {
		delete(owner.ephemerals, path)
	}
	t.fire(wire.NodeDeleted, path)
	t.fire(wire.NodeChildrenChanged, Parent(path))
}

func (t *Tree) fire(what wire.EventType, path string) {
	if t.Fired != nil {
		t.Fired(what, path)
	}
}
