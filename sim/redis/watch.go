package redis

import (
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/sim"
)

// watch reports what truly happens to the keys that the run uses as locks. It
// compares what the keyspace holds after a command with what it knew before.
// A script is one step, as it is in Redis.
type watch struct {
	server  *Server
	held    map[string]*grant
	freed   map[string]string // by key: whose grant was given back last
	touched []string          // lock keys that the current command named
	waiting map[queuer]*asked
}

// queuer is a worker whose script left a lock as it was. A release may hand the
// lock over to a value that the script was given.
type queuer struct{ key, worker string }

// asked is the last such script, and when it was sent.
type asked struct {
	words []string
	sent  time.Duration
}

// grant is what the keyspace was last seen to hold under a lock's key.
type grant struct {
	owner    string
	worker   string // on whose behalf it was given
	deadline int64  // Unix milliseconds by the server's clock; 0: none
	timer    *sim.WallTimer
	number   int // how often the timer was armed
}

// touch notes that a command names the key.
func (w *watch) touch(key string) {
	if w.server.options.Locks(key) && !slices.Contains(w.touched, key) {
		w.touched = append(w.touched, key)
	}
}

// settle reports what a command has made of the locks that it named.
func (w *watch) settle(c *sim.Call, words []string, reply *Reply) {
	for _, key := range w.touched {
		w.compare(c, key, words, reply)
	}
	w.touched = w.touched[:0]
}

func (w *watch) compare(c *sim.Call, key string, words []string, reply *Reply) {
	before := w.held[key]
	owner, there := w.server.engine.store.value(key)
	deadline := w.server.engine.store.deadlines[key]
	event := history.Event{Worker: c.Worker, Request: c.Request, Key: key, Owner: owner, Sent: c.Sent}
	switch {
	case c.Op == "renew" && w.freed[key] != "" && w.freed[key] != owner && slices.Contains(words, w.freed[key]):
		event.Type, event.Owner = history.NotRenewed, w.freed[key]
		w.server.record(event)
	case before == nil && !there:
	case there && before != nil && before.owner == owner && before.deadline == deadline:
		w.wait(c, key, words)
		if wanted(c.Op, words, owner, reply) {
			event.Type = history.Refused
			event.Until = w.until(before)
			w.server.record(event)
		}
	case there && before != nil && before.owner == owner:
		before.deadline = deadline
		w.arm(key, before)
		event.Type = history.Renewed
		event.Until = w.until(before)
		w.server.record(event)
	default:
		if before != nil {
			w.drop(key, before)
			freed := event
			freed.Type, freed.Owner = history.Freed, before.owner
			w.freed[key] = before.owner
			w.server.record(freed)
		}
		if there {
			if !slices.Contains(words, owner) { // another one's command hands it over
				if next, script := w.queuer(key, owner); script != nil {
					event.Worker, event.Sent = next, script.sent
				}
			}
			g := &grant{owner: owner, worker: event.Worker, deadline: deadline}
			w.held[key] = g
			w.arm(key, g)
			event.Type = history.Granted
			event.Until = w.until(g)
			w.server.record(event)
		}
	}
}

// wait notes a script that left a lock as it was.
func (w *watch) wait(c *sim.Call, key string, words []string) {
	if command := words[0]; !strings.EqualFold(command, "eval") && !strings.EqualFold(command, "evalsha") {
		return
	}
	who := queuer{key, c.Worker}
	script := w.waiting[who]
	if script == nil {
		script = &asked{}
		w.waiting[who] = script
	}
	script.words, script.sent = append(script.words[:0], words[2:]...), c.Sent
}

// queuer returns the worker whose script was given the owner's value, and the
// script, if there is exactly one.
func (w *watch) queuer(key, owner string) (worker string, script *asked) {
	for who, asked := range w.waiting {
		switch {
		case who.key != key || !slices.Contains(asked.words, owner):
		case script != nil:
			return "", nil
		default:
			worker, script = who.worker, asked
		}
	}
	return worker, script
}

// wanted reports whether a command that left the lock as it was had asked for
// it and was refused.
func wanted(op string, words []string, owner string, reply *Reply) bool {
	switch strings.ToLower(words[0]) {
	case "setnx":
		return reply.Kind == Integer && reply.Int == 0
	case "set":
		return reply.Kind != Error && slices.ContainsFunc(words[min(3, len(words)):], func(word string) bool {
			return strings.EqualFold(word, "nx")
		})
	case "eval", "evalsha":
		// A script that finds its own value there has what it asked for.
		return op == "acquire" && reply.Kind != Error && !slices.Contains(words[2:], owner)
	}
	return false
}

// expired is told that a key's deadline has passed.
func (w *watch) expired(key string) { w.end(key, history.Expired) }

// end reports a grant that ended without a command, if there was one.
func (w *watch) end(key string, how history.Type) {
	if g := w.held[key]; g != nil {
		w.drop(key, g)
		w.server.record(history.Event{Type: how, Worker: g.worker, Key: key, Owner: g.owner})
	}
}

// inherit takes over what another server was last seen to hold.
func (w *watch) inherit(from *watch) {
	for _, g := range from.held {
		from.stop(g)
	}
	w.held, from.held = from.held, map[string]*grant{}
	w.freed, from.freed = from.freed, map[string]string{}
}

// reconcile reports what has become of the locks when the keyspace was replaced
// by the images: some grants are gone, and some that were freed or renewed are
// there as they were before.
func (w *watch) reconcile(images map[string]image) {
	keys := map[string]bool{}
	for key := range w.held {
		keys[key] = true
	}
	for key := range images {
		keys[key] = keys[key] || w.server.options.Locks(key)
	}
	w.server.engine.store.setTime(w.server.now())
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if keys[key] {
			w.reconcileKey(key, images[key].worker)
		}
	}
}

func (w *watch) reconcileKey(key, worker string) {
	w.server.engine.store.expire(key)
	owner, there := w.server.engine.store.value(key)
	deadline := w.server.engine.store.deadlines[key]
	g := w.held[key]
	if g != nil && (!there || g.owner != owner) {
		w.end(key, history.Evicted)
		g = nil
	}
	if !there {
		return
	}
	event := history.Event{Type: history.Renewed, Key: key, Owner: owner}
	changed := g != nil && g.deadline != deadline
	if g == nil {
		event.Type, changed = history.Granted, true
		g = &grant{owner: owner, worker: worker}
		w.held[key] = g
	}
	g.deadline = deadline
	w.arm(key, g) // by the clock of this server
	if changed {
		event.Worker, event.Until = g.worker, w.until(g)
		w.server.record(event)
	}
}

func (w *watch) drop(key string, g *grant) {
	w.stop(g)
	delete(w.held, key)
}

func (w *watch) stop(g *grant) {
	g.number++
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
}

// arm sees to it that the key goes as soon as the server's clock is past its
// deadline, and not only when somebody asks for it.
func (w *watch) arm(key string, g *grant) {
	w.stop(g)
	if g.deadline == 0 {
		return
	}
	number := g.number
	check := func() {
		w.server.engine.store.setTime(w.server.now())
		if g.number == number && !w.server.engine.store.expire(key) {
			w.arm(key, g) // the clock went slower than it did when this was armed
		}
	}
	if w.server.options.Monotonic {
		w.server.node.World().At(w.until(g), check)
		return
	}
	g.timer = w.server.node.AtWall(time.UnixMilli(g.deadline+1), check)
}

// until returns the true time at which the grant ends if nobody touches it or
// the clock, 0 if it has no end. A key outlives the millisecond of its
// deadline.
func (w *watch) until(g *grant) time.Duration {
	switch {
	case g.deadline == 0:
		return 0
	case g.timer != nil:
		return g.timer.Time()
	}
	return w.server.node.World().Time() + time.UnixMilli(g.deadline+1).Sub(w.server.now())
}
