package keyspace

import (
	"slices"
	"strings"
	"time"

	"lockquake/sim/redis/resp"
)

// Connection is the state of one connection: an open transaction, and the watched keys. The zero
// value is a new connection.
type Connection struct {
	open    bool // after MULTI and before EXEC or DISCARD
	aborted bool // a command was refused instead of queued
	queued  [][]string
	watched []string
	changed bool // a watched key has been modified
}

// InTransaction reports whether a MULTI is open: no EXEC or DISCARD has followed.
func (c *Connection) InTransaction() bool { return c.open }

// OfConnection reports whether a command depends on or changes the state of its connection.
func OfConnection(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch len(words[0]) {
	case len("multi"):
		return Named(words, "multi") || Named(words, "watch")
	case len("exec"):
		return Named(words, "exec")
	case len("discard"):
		return Named(words, "discard") || Named(words, "unwatch")
	}
	return false
}

// Named reports whether the name of a command is this one, which is in lower case.
func Named(words []string, name string) bool {
	return len(words) > 0 && len(words[0]) == len(name) && (words[0] == name || strings.EqualFold(words[0], name))
}

// runNext runs one command of a connection, or queues it in a transaction. It calls done for each
// command that was executed.
func (k *Keyspace) runNext(c *Connection, now time.Time, words []string, done func(words []string, r *resp.Reply)) resp.Reply {
	if !c.open && !OfConnection(words) {
		reply := k.Run(now, words)
		done(words, &reply)
		return reply
	}
	if len(words) == 0 {
		return resp.Errorf("ERR empty command")
	}
	args := slices.Clone(k.lower(words))
	if failed := k.rejection(words[0], args, c.open && !OfConnection(words)); failed != nil {
		if c.aborted = c.open; args[0] == "exec" { // with arguments
			c.open = false
			k.store.unwatch(c)
		}
		return *failed
	}
	switch args[0] {
	case "multi":
		if c.open {
			return resp.Errorf("ERR MULTI calls can not be nested")
		}
		c.open, c.aborted, c.queued, k.atMulti = true, false, nil, k.hooks.Acknowledged()
		return resp.OK()
	case "watch":
		if c.open {
			return resp.Errorf("ERR WATCH inside MULTI is not allowed")
		}
		k.store.setTime(now)
		k.store.watch(c, args[1:])
		return resp.OK()
	case "discard":
		if !c.open {
			break
		}
		c.open = false
		k.store.unwatch(c)
		return resp.OK()
	case "exec":
		if c.open {
			return k.exec(c, now, done)
		}
	case "unwatch":
		if !c.open {
			k.store.unwatch(c)
			return resp.OK()
		}
	}
	if !c.open {
		return resp.Errorf("ERR %s without MULTI", strings.ToUpper(args[0]))
	}
	c.queued = append(c.queued, slices.Clone(words))
	return resp.Reply{Kind: resp.Status, Text: "QUEUED"}
}

// exec ends a transaction. Nothing is executed if a watched key was modified or has expired.
func (k *Keyspace) exec(c *Connection, now time.Time, done func(words []string, r *resp.Reply)) resp.Reply {
	k.store.setTime(now)
	changed := c.changed || slices.ContainsFunc(c.watched, k.store.overdue)
	k.store.unwatch(c)
	c.open = false
	switch {
	case c.aborted:
		return resp.Errorf("EXECABORT Transaction discarded because of previous errors.")
	case changed:
		return resp.Reply{Kind: resp.Nil}
	}
	result := resp.Reply{Kind: resp.Array}
	for _, queued := range c.queued {
		reply := k.Run(now, queued)
		done(queued, &reply)
		result.Elems = append(result.Elems, reply)
	}
	return result
}

// RunPipeline runs the commands of a connection in order, at the time now, and returns the replies.
// None of them blocks, and nothing else runs in between. It calls done for each command that was
// executed, and after after each command of the pipeline.
func (k *Keyspace) RunPipeline(c *Connection, now time.Time, commands [][]string, done func(words []string, r *resp.Reply), after func()) []resp.Reply {
	replies := make([]resp.Reply, 0, len(commands))
	for _, words := range commands {
		replies = append(replies, k.runNext(c, now, words, done))
		after()
	}
	return replies
}
