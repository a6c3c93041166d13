package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/sim/zookeeper/wire"
)

// Txn is a transaction: what a request changes, with everything decided.
type Txn struct {
	Zxid    int64
	Time    int64 // ms since 1970
	Session int64
	// Code is the error of a request that changes nothing. Such a request has a zxid too.
	Code  wire.CodeError
	Multi bool
	Steps []Step
	// Failed is the index of the operation of a multi that failed, and Ops the number of its
	// operations.
	Failed, Ops int
	// Opens has the new session, and Closes ends that of the transaction.
	Opens  *Opening
	Closes bool
}

// Opening is a new session.
type Opening struct {
	Timeout  time.Duration
	Password uint64
}

// Step is a change of one znode.
type Step struct {
	Kind  wire.Kind // Create, Delete, SetData or Check
	Path  string
	Data  string
	Owner int64 // of a Create: the session of an ephemeral znode
}

// Prepare turns a request that writes into a transaction, and applies it to the tree. The caller
// sets Zxid, Time and Session of the transaction first.
func (t *Tree) Prepare(x *Txn, q *wire.Request) {
	defer func() { t.zxid = x.Zxid }()
	if _, ok := t.sessions[x.Session]; !ok {
		x.Code = wire.ErrSessionExpired
		return
	}
	switch q.Kind {
	case wire.Close:
		t.PrepareClose(x)
	case wire.Multi:
		t.prepareMulti(x, q.Ops)
	default:
		step, code := t.prepare(x, q.Op)
		if x.Code = code; code == wire.OK {
			x.Steps = []Step{step}
			t.apply(x, &x.Steps[0])
		}
	}
}

// PrepareOpen makes the transaction that opens a session, and applies it.
func (t *Tree) PrepareOpen(x *Txn, o Opening) {
	x.Opens = &o
	t.Apply(x)
}

// PrepareClose makes the transaction that closes a session and deletes its ephemeral znodes, and
// applies it.
func (t *Tree) PrepareClose(x *Txn) {
	x.Closes = true
	if s := t.sessions[x.Session]; s != nil {
		for _, path := range slices.Sorted(maps.Keys(s.ephemerals)) {
			x.Steps = append(x.Steps, Step{Kind: wire.Delete, Path: path})
		}
	}
	t.Apply(x)
}

// prepareMulti applies all operations or none.
func (t *Tree) prepareMulti(x *Txn, ops []wire.Op) {
	x.Multi, x.Ops, x.Failed = true, len(ops), -1
	var undo []func()
	for i, op := range ops {
		step, code := t.prepare(x, op)
		if code != wire.OK {
			for _, f := range slices.Backward(undo) {
				f()
			}
			x.Code, x.Failed, x.Steps = code, i, nil
			return
		}
		undo = append(undo, t.saved(x.Session, step.Path))
		x.Steps = append(x.Steps, step)
		t.apply(x, &step)
	}
}

// saved returns a function that restores what an operation on the path can change.
func (t *Tree) saved(session int64, path string) func() {
	var restore []func()
	for _, p := range []string{path, Parent(path)} {
		if n := t.nodes[p]; n != nil {
			old := n.clone()
			restore = append(restore, func() { t.nodes[p] = old })
		} else {
			restore = append(restore, func() { delete(t.nodes, p) })
		}
	}
	owners := []int64{session}
	if n := t.nodes[path]; n != nil && n.stat.EphemeralOwner != 0 {
		owners = append(owners, n.stat.EphemeralOwner)
	}
	for _, id := range owners {
		if s := t.sessions[id]; s != nil {
			old := s.clone()
			restore = append(restore, func() { t.sessions[id] = old })
		}
	}
	return func() {
		for _, f := range restore {
			f()
		}
	}
}

// prepare checks an operation in the order in which the server does.
func (t *Tree) prepare(x *Txn, op wire.Op) (Step, wire.CodeError) {
	step := Step{Kind: op.Kind, Path: op.Path, Data: op.Data}
	if op.Kind == wire.Create {
		return t.prepareCreate(x, op, step)
	}
	if op.Kind == wire.Delete && op.Path == "/" {
		return step, wire.ErrBadArguments
	}
	n := t.nodes[op.Path]
	switch {
	case n == nil:
		return step, wire.ErrNoNode
	case op.Version != -1 && op.Version != n.stat.Version:
		return step, wire.ErrBadVersion
	case op.Kind == wire.Delete && len(n.children) > 0:
		return step, wire.ErrNotEmpty
	}
	return step, wire.OK
}

func (t *Tree) prepareCreate(x *Txn, op wire.Op, step Step) (Step, wire.CodeError) {
	parent := t.nodes[Parent(op.Path)]
	if parent == nil {
		return step, wire.ErrNoNode
	}
	if op.Mode&wire.Sequential != 0 {
		step.Path = fmt.Sprintf("%s%010d", op.Path, parent.created)
	}
	switch {
	case !valid(step.Path):
		return step, wire.ErrBadArguments
	case t.nodes[step.Path] != nil:
		return step, wire.ErrNodeExists
	case parent.stat.EphemeralOwner != 0:
		return step, wire.ErrNoChildrenForEphemerals
	}
	if op.Mode&wire.Ephemeral != 0 {
		step.Owner = x.Session
	}
	return step, wire.OK
}

// valid reports whether a path may name a znode.
func valid(path string) bool {
	if path == "/" {
		return true
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0) {
			return false
		}
	}
	return true
}
