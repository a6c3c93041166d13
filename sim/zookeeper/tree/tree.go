package tree

import (
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/sim/zookeeper/wire"
)

// Tree has the znodes and the sessions of one server.
type Tree struct {
	// Fired is called for each change that a watch can be on, in the order in which the server
	// triggers watches; it may be nil.
	Fired func(wire.EventType, string)

	zxid     int64 // of the last transaction
	nodes    map[string]*node
	sessions map[int64]*session
}

// node is a znode.
type node struct {
	data     string
	children map[string]bool // by name
	created  int32           // children that it has ever had
	// stat lacks Cversion, NumChildren and DataLength, which follow from the rest.
	stat wire.Stat
}

// session is a session of a client.
type session struct {
	timeout    time.Duration
	password   uint64
	ephemerals map[string]bool // paths of its ephemeral znodes
}

// New returns a tree with the root and no session.
func New() *Tree {
	return &Tree{nodes: map[string]*node{"/": {children: map[string]bool{}}}, sessions: map[int64]*session{}}
}

// Clone returns a copy that shares nothing with the tree, without Fired.
func (t *Tree) Clone() *Tree {
	c := &Tree{zxid: t.zxid, nodes: make(map[string]*node, len(t.nodes)), sessions: make(map[int64]*session, len(t.sessions))}
	for path, n := range t.nodes {
		c.nodes[path] = n.clone()
	}
	for id, s := range t.sessions {
		c.sessions[id] = s.clone()
	}
	return c
}

func (n *node) clone() *node {
	c := *n
	c.children = maps.Clone(n.children)
	return &c
}

func (s *session) clone() *session {
	c := *s
	c.ephemerals = maps.Clone(s.ephemerals)
	return &c
}

// Zxid returns the number of the last transaction.
func (t *Tree) Zxid() int64 { return t.zxid }

// Session returns the timeout and the password of a session, and whether it exists.
func (t *Tree) Session(id int64) (timeout time.Duration, password uint64, ok bool) {
	s := t.sessions[id]
	if s == nil {
		return 0, 0, false
	}
	return s.timeout, s.password, true
}

// Sessions lists the sessions, in the order of their IDs.
func (t *Tree) Sessions() []int64 { return slices.Sorted(maps.Keys(t.sessions)) }

// statOf returns the Stat that clients see. The version of the children counts creations and
// deletions.
func (n *node) statOf() wire.Stat {
	s := n.stat
	s.NumChildren = int32(len(n.children))
	s.Cversion = 2*n.created - s.NumChildren
	s.DataLength = int32(len(n.data))
	return s
}

// Parent returns the path of the parent of a znode.
func Parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

// Name returns the last element of a path.
func Name(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
