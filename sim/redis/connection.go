package redis

import (
	"slices"
	"strings"
	"time"

	"lockquake/sim"
)

// connection is the state that a server keeps for one connection: an open
// transaction, and the keys that it watches. The zero value is a new one.
type connection struct {
	seen    int64 // number of the last write when it was last answered, for WAIT
	open    bool  // MULTI has come, and neither EXEC nor DISCARD
	aborted bool  // a command was refused instead of queued
	queued  [][]string
	watched []string
	changed bool // a watched key has been modified
}

// connection returns the state of a session, and makes it if there is none.
func connectionOf(session *sim.Session) *connection {
	c, ok := session.Data.(*connection)
	if !ok {
		c = &connection{}
		session.Data = c
	}
	return c
}

// inTransaction reports whether the session has sent MULTI and not yet EXEC or
// DISCARD.
func inTransaction(session *sim.Session) bool {
	c, ok := session.Data.(*connection)
	return ok && c.open
}

// ofConnection reports whether a command reads or changes the state of its
// connection.
func ofConnection(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch len(words[0]) {
	case len("multi"):
		return strings.EqualFold(words[0], "multi") || strings.EqualFold(words[0], "watch")
	case len("exec"):
		return strings.EqualFold(words[0], "exec")
	case len("discard"):
		return strings.EqualFold(words[0], "discard") || strings.EqualFold(words[0], "unwatch")
	}
	return false
}

// next carries out one command of a connection: at once, or in a transaction
// after EXEC. done is told every command that took effect.
func (e *engine) next(c *connection, now time.Time, words []string, done func(words []string, r *Reply)) Reply {
	if !c.open && !ofConnection(words) {
		reply := e.run(now, words)
		done(words, &reply)
		return reply
	}
	if len(words) == 0 {
		return errorReply("ERR empty command")
	}
	args := slices.Clone(e.lower(words))
	if failed := e.rejection(words[0], args, c.open && !ofConnection(words)); failed != nil {
		if c.aborted = c.open; args[0] == "exec" { // with arguments
			c.open = false
			e.store.unwatch(c)
		}
		return *failed
	}
	switch args[0] {
	case "multi":
		if c.open {
			return errorReply("ERR MULTI calls can not be nested")
		}
		c.open, c.aborted, c.queued, e.atMulti = true, false, nil, e.acknowledged()
		return okReply()
	case "watch":
		if c.open {
			return errorReply("ERR WATCH inside MULTI is not allowed")
		}
		e.store.setTime(now)
		e.store.watch(c, args[1:])
		return okReply()
	case "discard":
		if !c.open {
			break
		}
		c.open = false
		e.store.unwatch(c)
		return okReply()
	case "exec":
		if c.open {
			return e.exec(c, now, done)
		}
	case "unwatch":
		if !c.open {
			e.store.unwatch(c)
			return okReply()
		}
	}
	if !c.open {
		return errorReply("ERR %s without MULTI", strings.ToUpper(args[0]))
	}
	c.queued = append(c.queued, slices.Clone(words))
	return Reply{Kind: Status, Text: "QUEUED"}
}

// exec ends a transaction. Nothing of it is carried out if a watched key was
// modified or has expired.
func (e *engine) exec(c *connection, now time.Time, done func(words []string, r *Reply)) Reply {
	e.store.setTime(now)
	changed := c.changed || slices.ContainsFunc(c.watched, e.store.overdue)
	e.store.unwatch(c)
	c.open = false
	switch {
	case c.aborted:
		return errorReply("EXECABORT Transaction discarded because of previous errors.")
	case changed:
		return Reply{Kind: Nil}
	}
	result := Reply{Kind: Array}
	for _, queued := range c.queued {
		reply := e.run(now, queued)
		done(queued, &reply)
		result.Elems = append(result.Elems, reply)
	}
	return result
}

// runPipeline carries out the commands in order, at the time now. Nothing
// comes between them. done is told every command that took effect, and after is
// called behind each command of the connection.
func (e *engine) runPipeline(c *connection, now time.Time, commands [][]string, done func(words []string, r *Reply), after func()) Reply {
	replies := make([]Reply, 0, len(commands))
	for _, words := range commands {
		replies = append(replies, e.next(c, now, words, done))
		after()
	}
	return Reply{Kind: Array, Elems: replies}
}
