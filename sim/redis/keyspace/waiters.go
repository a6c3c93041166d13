package keyspace

import (
	"slices"
	"strings"

	"lockquake/sim/redis/resp"
)

// waiters has the connections that watch keys, and the commands that are blocked until a key has an
// element.
type waiters struct {
	watching map[string][]*Connection
	blocked  map[string][]*Blocked // in order of arrival
	ready    []string              // keys with blocked commands that now have elements, in order

	named  []string // keys of the current command that are watched or block commands
	before []Image  // their contents before the command
}

// none reports whether nothing is watched or blocked.
func (a *waiters) none() bool { return len(a.watching) == 0 && len(a.blocked) == 0 }

// begin prepares for a new command.
func (a *waiters) begin() { a.named, a.before = a.named[:0], a.before[:0] }

// noteBefore records the contents of a key before the current command.
func (s *store) noteBefore(key string) {
	a := &s.waiters
	if len(a.watching[key]) == 0 && len(a.blocked[key]) == 0 || slices.Contains(a.named, key) {
		return
	}
	a.named, a.before = append(a.named, key), append(a.before, s.image(key))
}

// detectChanges determines which watched or blocking keys a command has changed.
func (s *store) detectChanges(args []string, reply *resp.Reply) {
	a := &s.waiters
	for i, key := range a.named {
		if !s.image(key).Equal(a.before[i]) || s.rewrites(args, reply, key, a.before[i]) {
			s.modified(key)
		}
	}
	a.begin()
}

// modified marks watchers of the key as changed, and notes that blocked commands may be served.
func (s *store) modified(key string) {
	a := &s.waiters
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

// watch makes the connection watch the keys.
func (s *store) watch(c *Connection, keys []string) {
	for _, key := range keys {
		s.touchKey(key)
		if !slices.Contains(c.watched, key) {
			c.watched = append(c.watched, key)
			s.waiters.watching[key] = append(s.waiters.watching[key], c)
		}
	}
	s.reveal()
}

// unwatch ends all watches of the connection.
func (s *store) unwatch(c *Connection) {
	for _, key := range c.watched {
		removeFrom(s.waiters.watching, key, c)
	}
	c.watched, c.changed = nil, false
}

// removeFrom removes an item from the list of a key.
func removeFrom[T comparable](lists map[string][]T, key string, item T) {
	lists[key] = slices.DeleteFunc(lists[key], func(other T) bool { return other == item })
	if len(lists[key]) == 0 {
		delete(lists, key)
	}
}

// Disconnect ends all watches of the connection.
func (k *Keyspace) Disconnect(c *Connection) { k.store.unwatch(c) }

// DisconnectAll ends all watches and blocked commands, since all connections are about to break.
func (k *Keyspace) DisconnectAll() {
	clear(k.store.waiters.blocked)
	clear(k.store.waiters.watching)
}

// overdue reports whether a key has passed its deadline but has not been removed yet.
func (s *store) overdue(key string) bool {
	deadline, ok := s.deadlines[key]
	return ok && s.now.UnixMilli() > deadline
}

// rewrites reports whether Redis counts a command as a modification of the key even if the value is
// the same as before.
func (s *store) rewrites(args []string, reply *resp.Reply, key string, before Image) bool {
	if reply.Kind == resp.Error {
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
		return reply.Kind != resp.Nil
	case "sdiffstore", "sinterstore", "sunionstore", "zunionstore", "zinterstore", "bitop":
		return reply.Int > 0 && (key == args[1] || args[0] == "bitop" && key == args[2])
	}
	// A stream has the image of a missing key.
	return strings.HasPrefix(args[0], "x") && writes(args[0]) && (reply.Kind != resp.Integer || reply.Int > 0)
}
