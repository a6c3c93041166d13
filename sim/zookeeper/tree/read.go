package tree

import (
	"maps"
	"slices"

	"lockquake/sim/zookeeper/wire"
)

// Read answers Exists, GetData and Children.
func (t *Tree) Read(q *wire.Request) *wire.Reply {
	r := &wire.Reply{Xid: q.Xid, Zxid: t.zxid}
	n := t.nodes[q.Path]
	if n == nil {
		r.Code = wire.ErrNoNode
		return r
	}
	r.Stat = n.statOf()
	switch q.Kind {
	case wire.GetData:
		r.Data = n.data
	case wire.Children:
		r.Children = slices.Sorted(maps.Keys(n.children))
	default:
	}
	return r
}

// Stat returns the Stat of a znode, and whether it exists.
func (t *Tree) Stat(path string) (wire.Stat, bool) {
	n := t.nodes[path]
	if n == nil {
		return wire.Stat{}, false
	}
	return n.statOf(), true
}

// Children lists the names of the children of a znode, sorted.
func (t *Tree) Children(path string) []string {
	n := t.nodes[path]
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.children))
}
