package keyspace

import (
	"slices"
	"strings"
)

// attention is who waits for something to happen to a key: connections that
// watch it, and calls that are blocked until there is an element.
type attention struct {
	watching map[string][]*Connection
	blocked  map[string][]*Blocked // in the order in which they came
	ready    []string              // keys that blocked calls wait for and that have elements now, in order

	named  []string // keys of the current command that somebody waits for
	before []Image  // what those held before it
}

// none reports whether nobody waits for anything.
func (a *attention) none() bool { return len(a.watching) == 0 && len(a.blocked) == 0 }

// begin forgets what an earlier command has named.
func (a *attention) begin() { a.named, a.before = a.named[:0], a.before[:0] }

// attend notes what a key holds before the current command.
func (s *store) attend(key string) {
	a := &s.attention
	if len(a.watching[key]) == 0 && len(a.blocked[key]) == 0 || slices.Contains(a.named, key) {
		return
	}
	a.named, a.before = append(a.named, key), append(a.before, s.image(key))
}

// noticed finds out what a command has done to the keys that somebody waits for.
func (s *store) noticed(args []string, reply *Reply) {
	a := &s.attention
	for i, key := range a.named {
		if !s.image(key).Equal(a.before[i]) || s.rewrites(args, reply, key, a.before[i]) {
			s.modified(key)
		}
	}
	a.begin()
}

// modified tells those who wait for the key that it is not what it was.
func (s *store) modified(key string) {
	a := &s.attention
	for _, c := range a.watching[key] {
		c.changed = true
	}
	if len(a.blocked[key]) > 0 && !slices.Contains(a.ready, key) {
		switch s.db.Type(key) {
		case "list", "zset":
			a.ready = append(a.ready, key)
		}
	}
}

// watch lets the connection know of every change to the keys from now on.
func (s *store) watch(c *Connection, keys []string) {
	for _, key := range keys {
		s.arrive(key)
		if !slices.Contains(c.watched, key) {
			c.watched = append(c.watched, key)
			s.attention.watching[key] = append(s.attention.watching[key], c)
		}
	}
	s.reveal()
}

// unwatch ends all that the connection watches.
func (s *store) unwatch(c *Connection) {
	for _, key := range c.watched {
		removeFrom(s.attention.watching, key, c)
	}
	c.watched, c.changed = nil, false
}

// removeFrom takes an item out of the list of a key.
func removeFrom[T comparable](lists map[string][]T, key string, item T) {
	lists[key] = slices.DeleteFunc(lists[key], func(other T) bool { return other == item })
	if len(lists[key]) == 0 {
		delete(lists, key)
	}
}

// Disconnect ends all that the connection watches.
func (k *Keyspace) Disconnect(c *Connection) { k.store.unwatch(c) }

// DisconnectAll forgets who watches and who is blocked: all connections are about to
// break.
func (k *Keyspace) DisconnectAll() {
	clear(k.store.attention.blocked)
	clear(k.store.attention.watching)
}

// overdue reports whether the deadline of a key has passed and nobody has
// looked since.
func (s *store) overdue(key string) bool {
	deadline, ok := s.deadlines[key]
	return ok && s.now.UnixMilli() > deadline
}

// rewrites reports whether Redis regards a key as modified by a command even if
// it holds what it held before.
func (s *store) rewrites(args []string, reply *Reply, key string, before Image) bool {
	if reply.Kind == Error {
		return false
	}
	there := before.IsThere()
	switch args[0] {
	case "set":
		flags := parseSetOptions(args[3:], false).flags
		return (flags&flagNX == 0 || !there) && (flags&flagXX == 0 || there)
	case "getset", "setex", "psetex", "mset", "incrby", "decrby", "incrbyfloat", "append", "hset", "hmset", "hincrby",
		"hincrbyfloat", "lset", "setbit", "pfmerge":
		return true
	case "msetnx", "expire", "pexpire", "expireat", "pexpireat":
		return reply.Int == 1
	case "setrange":
		return args[3] != ""
	case "ltrim":
		return there
	case "getex":
		return there && len(args) > 3
	case "rename":
		return key == args[2] && args[1] != args[2]
	case "copy":
		return reply.Int == 1 && key == args[2]
	case "lmove", "rpoplpush":
		return reply.Kind != Nil
	case "sdiffstore", "sinterstore", "sunionstore", "zunionstore", "zinterstore", "bitop":
		return reply.Int > 0 && (key == args[1] || args[0] == "bitop" && key == args[2])
	}
	// The image of a stream is that of no key.
	return strings.HasPrefix(args[0], "x") && writes(args[0]) && (reply.Kind != Integer || reply.Int > 0)
}
