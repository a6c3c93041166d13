package redis

import (
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/holders"
	"lockquake/sim/redis/keyspace"
)

// watch reports what truly happens to the keys that the run uses as locks. After
// each command it reads who holds the locks whose keys the command named. A
// script is one step, as it is in Redis.
type watch struct {
	server  *Server
	ledger  *holders.Ledger
	touched []string // locks of which the current command named a key
	now     []lock.Holder
	cause   holders.Cause
	seen    map[string][]lock.Record // by lock; not of strings that are read as they are
}

func newWatch(s *Server) *watch {
	w := &watch{server: s, seen: map[string][]lock.Record{}}
	o := holders.Options{Node: s.node, Now: s.now, Monotonic: s.options.Monotonic, Record: s.record, Due: w.due}
	if s.options.Guess {
		o.Doubted = func(key, why string) { s.options.Unread(key, why) }
	}
	w.ledger = holders.New(o)
	return w
}

// lock returns the lock that a key belongs to, "" if it belongs to none.
func (w *watch) lock(key string) string {
	switch o := &w.server.options; {
	case !o.Locks(key):
		return ""
	case o.LockOf != nil:
		return o.LockOf(key)
	}
	return key
}

// keys lists the keys of a lock.
func (w *watch) keys(name string) []string {
	if records := w.server.options.Records; records != nil {
		return records(name)
	}
	return []string{name}
}

// touch notes that a command names the key.
func (w *watch) touch(key string) {
	if name := w.lock(key); name != "" && !slices.Contains(w.touched, name) {
		w.touched = append(w.touched, name)
	}
}

// settle reports what a command has made of the locks that it named.
func (w *watch) settle(c *sim.Call, words []string, reply *keyspace.Reply) {
	if len(w.touched) == 0 {
		return
	}
	script := isScript(words[0])
	w.cause = holders.Cause{
		Ends: history.Freed, Worker: c.Worker, Op: c.Op, Request: c.Request, Sent: c.Sent, Again: c.Again,
		Values: words[1:], Waits: script, Names: w.server.options.Holders != nil,
	}
	if script {
		w.cause.Values = words[2:]
	}
	w.cause.Asks, w.cause.Own = w.asks(c.Op, words, reply)
	for _, name := range w.touched {
		w.compare(name, &w.cause)
	}
	w.touched = w.touched[:0]
}

func (w *watch) compare(name string, c *holders.Cause) {
	if changed, ok := w.read(name); ok {
		w.ledger.Settle(name, w.now, changed, c)
	}
}

// asks reports whether a command asks for the lock that it names. It has got what
// it asked for if an owner is among own.
func (w *watch) asks(op string, words []string, reply *keyspace.Reply) (asked bool, own []string) {
	if reply.Kind == keyspace.Error {
		return false, nil
	}
	switch command := words[0]; {
	case isScript(command):
		return op == "acquire", words[2:]
	case w.server.options.Holders != nil && op == "acquire":
		return true, words[1:]
	case strings.EqualFold(command, "setnx"):
		return reply.Kind == keyspace.Integer && reply.Int == 0, nil
	case strings.EqualFold(command, "set"):
		return slices.ContainsFunc(words[min(3, len(words)):], func(word string) bool {
			return strings.EqualFold(word, "nx")
		}), nil
	}
	return false, nil
}

func isScript(command string) bool {
	return strings.EqualFold(command, "eval") || strings.EqualFold(command, "evalsha")
}

// expired is told that a key's deadline has passed, and that it is gone.
func (w *watch) expired(key string) { w.ended(key, history.Expired) }

// ended is told that a key is gone without a command.
func (w *watch) ended(key string, how history.Type) {
	if name := w.lock(key); name != "" {
		w.compare(name, &holders.Cause{Ends: how})
	}
}

// due ends the leases of a lock that are over.
func (w *watch) due(name string) {
	keys := w.server.keys
	keys.SetTime(w.server.now())
	for _, key := range w.keys(name) {
		keys.Expire(key)
	}
	w.compare(name, &holders.Cause{Ends: history.Expired})
}

// inherit takes over what another server was last seen to hold.
func (w *watch) inherit(from *watch) {
	w.ledger.Inherit(from.ledger)
	w.seen, from.seen = from.seen, map[string][]lock.Record{}
}

// reconcile reports what has become of the locks when the keyspace was replaced
// by the images: some grants are gone, and some that were freed or renewed are
// there as they were before.
func (w *watch) reconcile(images map[string]image) {
	names := map[string]bool{}
	for _, name := range w.ledger.Keys() {
		names[name] = true
	}
	for key := range images {
		if name := w.lock(key); name != "" {
			names[name] = true
		}
	}
	keys := w.server.keys
	keys.SetTime(w.server.now())
	for _, name := range slices.Sorted(maps.Keys(names)) {
		cause := holders.Cause{Ends: history.Evicted, Restored: true}
		for _, key := range w.keys(name) {
			keys.Expire(key)
			cause.Given = append(cause.Given, images[key].given...)
		}
		w.compare(name, &cause)
	}
}

// given lists who has the lock that a key belongs to, and on whose behalf.
func (w *watch) given(key string) []holders.Given {
	if name := w.lock(key); name != "" {
		return w.ledger.Given(name)
	}
	return nil
}

// read reads who holds a lock into w.now, and reports whether its records have
// changed since it was read last. ok is false if nobody can read them.
func (w *watch) read(name string) (changed, ok bool) {
	w.now = w.now[:0]
	keys, o := w.server.keys, &w.server.options
	if o.Holders == nil && (!o.Guess || o.Records == nil && w.isLease(name)) {
		if owner, there := w.value(name); there {
			w.now = append(w.now, lock.Holder{Owner: owner, End: gone(keys.Deadline(name))})
		}
		return false, true
	}
	state := lock.State{Key: name, Now: w.server.now()}
	for _, key := range w.keys(name) {
		if r := w.record(key, state.Now); r.Kind != lock.RecordAbsent {
			state.Records = append(state.Records, r)
		}
	}
	read := o.Holders
	if read == nil {
		read = lock.ReadHolders
	}
	list, err := read(state)
	if err != nil {
		o.Unread(name, err.Error())
		return false, false
	}
	for i, h := range list {
		if slices.ContainsFunc(list[:i], func(before lock.Holder) bool { return before.Owner == h.Owner }) {
			o.Unread(name, "two of its holders have the owner "+h.Owner)
			return false, false
		}
		if h.End.IsZero() && h.For == 0 && len(state.Records) > 0 {
			h.End = state.Records[0].End
		}
		w.now = append(w.now, h)
	}
	if changed = !slices.EqualFunc(state.Records, w.seen[name], lock.Record.Equal); changed {
		w.seen[name] = state.Records
	}
	return changed, true
}

// gone returns when a key is gone that has a deadline, in Unix milliseconds: it
// outlives the millisecond. It returns zero for 0.
func gone(deadline int64) time.Time {
	if deadline == 0 {
		return time.Time{}
	}
	return time.UnixMilli(deadline + 1)
}

// isLease reports whether a key holds a string and expires.
func (w *watch) isLease(key string) bool {
	if w.server.keys.Deadline(key) == 0 {
		return false
	}
	_, text := w.server.keys.Text(key)
	return text
}

// value returns what a key holds: the string, or the type of anything else
// between angle brackets. It reports whether the key is there.
func (w *watch) value(key string) (string, bool) {
	if text, ok := w.server.keys.Text(key); ok {
		return text, true
	}
	kind := w.server.keys.Type(key)
	if kind == "" {
		return "", false
	}
	return "<" + kind + ">", true
}

// record returns what a key holds. One whose deadline has passed is not there.
func (w *watch) record(key string, now time.Time) lock.Record {
	keys := w.server.keys
	r := lock.Record{Name: key, End: gone(keys.Deadline(key))}
	if !r.End.IsZero() && !now.Before(r.End) {
		return lock.Record{Name: key}
	}
	switch keys.Type(key) {
	case "":
		return lock.Record{Name: key}
	case "string":
		r.Kind = lock.RecordString
		r.Text, _ = keys.Text(key)
		return r
	case "hash":
		r.Kind = lock.RecordHash
	case "list":
		r.Kind = lock.RecordList
	case "set":
		r.Kind = lock.RecordSet
	case "zset":
		r.Kind = lock.RecordZSet
	default:
		r.Kind = lock.RecordOther
	}
	for m := range keys.Members(key) {
		r.Members = append(r.Members, lock.Member(m))
	}
	return r
}
