package zookeeper

import (
	"slices"

	"lockquake/sim/zookeeper/wire"
)

// watches has the one-time watches of the connections with a member. A watch of the data fires at
// the creation too, if it was left by an Exists without a znode.
type watches struct {
	data, children map[string][]*connection // by path, in order
}

// add leaves a watch.
func (w *watches) add(children bool, path string, c *connection) {
	m := &w.data
	if children {
		m = &w.children
	}
	if *m == nil {
		*m = map[string][]*connection{}
	}
	if !slices.Contains((*m)[path], c) {
		(*m)[path] = append((*m)[path], c)
	}
}

// take removes the watches of a path and returns their connections.
func take(m map[string][]*connection, path string) []*connection {
	list := m[path]
	delete(m, path)
	return list
}

// drop removes the watches of a connection.
func (w *watches) drop(c *connection) {
	for _, m := range []map[string][]*connection{w.data, w.children} {
		for path, list := range m { // the order does not matter
			if i := slices.Index(list, c); i >= 0 {
				m[path] = slices.Delete(list, i, i+1)
			}
		}
	}
}

// fired sends the events of a change of the tree. A connection with two watches of a deleted znode
// gets one event.
func (m *member) fired(what wire.EventType, path string) {
	var list []*connection
	switch what {
	case wire.NodeChildrenChanged:
		list = take(m.watches.children, path)
	case wire.NodeDeleted:
		list = take(m.watches.data, path)
		for _, c := range take(m.watches.children, path) {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	case wire.NodeCreated, wire.NodeDataChanged:
		list = take(m.watches.data, path)
	}
	for _, c := range list {
		c.push(wire.Event{Type: what, Path: path})
	}
}

// setWatches leaves the watches of a client that has connected again, or sends the events that it has
// missed.
func (m *member) setWatches(c *connection, q *wire.Request) {
	for _, path := range q.DataWatches {
		switch stat, ok := m.tree.Stat(path); {
		case !ok:
			c.push(wire.Event{Type: wire.NodeDeleted, Path: path})
		case stat.Mzxid > q.Seen:
			c.push(wire.Event{Type: wire.NodeDataChanged, Path: path})
		default:
			m.watches.add(false, path, c)
		}
	}
	for _, path := range q.ExistWatches {
		if _, ok := m.tree.Stat(path); ok {
			c.push(wire.Event{Type: wire.NodeCreated, Path: path})
		} else {
			m.watches.add(false, path, c)
		}
	}
	for _, path := range q.ChildWatches {
		switch stat, ok := m.tree.Stat(path); {
		case !ok:
			c.push(wire.Event{Type: wire.NodeDeleted, Path: path})
		case stat.Pzxid > q.Seen:
			c.push(wire.Event{Type: wire.NodeChildrenChanged, Path: path})
		default:
			m.watches.add(true, path, c)
		}
	}
}
