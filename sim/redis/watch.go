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
	"lockquake/sim/redis/resp"
)

// watch records the events of the locks. After each command it reads the holders of the locks whose
// keys the command named. A script is one step, as it is in Redis.
type watch struct {
	server  *Server
	ledger  *holders.Ledger
	touched []string // the locks whose keys the current command named
	now     []lock.Holder
	cause   holders.Cause
	hashes  map[string]hash          // by worker: the script that it asked for by an unknown hash
	seen    map[string][]lock.Record // by lock: the records at the last read; not of plain strings
}

// hash is a command that asked for a script by a hash which the server did not know.
type hash struct {
	arguments []string // the keys and arguments of the script
	sent      time.Duration
}

func newWatch(s *Server) *watch {
	w := &watch{server: s, seen: map[string][]lock.Record{}, hashes: map[string]hash{}}
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

// keys returns the keys of a lock.
func (w *watch) keys(name string) []string {
	if records := w.server.options.Records; records != nil {
		return records(name)
	}
	return []string{name}
}

// touch records that a command names the key.
func (w *watch) touch(key string) {
	if name := w.lock(key); name != "" && !slices.Contains(w.touched, name) {
		w.touched = append(w.touched, name)
	}
}

// sent returns when a client sent a command. A client that runs a script sends its hash first, and the whole script if the
// server does not know the hash. For the lock the two are one request, from which it counts its lease.
func (w *watch) sent(c *sim.Call, words []string, reply *resp.Reply) time.Duration {
	if len(words) < 3 {
		return c.Sent
	}
	arguments := words[2:]
	switch {
	case reply.Kind == resp.Error && strings.HasPrefix(reply.Text, "NOSCRIPT"):
		w.hashes[c.Worker] = hash{slices.Clone(arguments), c.Sent}
	case len(w.hashes) > 0 && keyspace.Named(words, "eval"):
		if asked := w.hashes[c.Worker]; slices.Equal(asked.arguments, arguments) {
			delete(w.hashes, c.Worker)
			return asked.sent
		}
	}
	return c.Sent
}

// settle records what a command did to the locks that it named.
func (w *watch) settle(c *sim.Call, words []string, reply *resp.Reply) {
	sent := w.sent(c, words, reply)
	if len(w.touched) == 0 {
		return
	}
	script := keyspace.Named(words, "eval") || keyspace.Named(words, "evalsha")
	w.cause = holders.Cause{
		Ends: history.Freed, Worker: c.Worker, Op: c.Op, Request: c.Request, Sent: sent, Again: c.Again,
		Values: words[1:], Waits: script, Names: w.server.options.Holders != nil,
	}
	if script {
		w.cause.Values = words[2:]
	}
	w.cause.Asks, w.cause.Own = w.asks(c.Op, words, script, reply)
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

// asks reports whether a command asks for the lock that it names. The command has got the lock if
// an owner is among own.
func (w *watch) asks(op string, words []string, script bool, reply *resp.Reply) (asked bool, own []string) {
	if reply.Kind == resp.Error {
		return false, nil
	}
	switch {
	case script:
		return op == "acquire", words[2:]
	case w.server.options.Holders != nil && op == "acquire":
		return true, words[1:]
	case keyspace.Named(words, "setnx"):
		return reply.Kind == resp.Integer && reply.Int == 0, nil
	case keyspace.Named(words, "set"):
		return slices.ContainsFunc(words[min(3, len(words)):], func(word string) bool {
			return strings.EqualFold(word, "nx")
		}), nil
	}
	return false, nil
}

// expired handles a key that the clock has removed.
func (w *watch) expired(key string) { w.ended(key, history.Expired) }

// ended handles a key that is gone without a command.
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

// inherit takes over the holders of another server.
func (w *watch) inherit(from *watch) {
	w.ledger.Inherit(from.ledger)
	w.seen, from.seen = from.seen, map[string][]lock.Record{}
}

// reconcile records what happened to the locks when the images replaced the data: some grants are
// gone, and some that were freed or renewed are back.
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

// given returns the holders of the lock that a key belongs to.
func (w *watch) given(key string) []holders.Given {
	if name := w.lock(key); name != "" {
		return w.ledger.Given(name)
	}
	return nil
}

// read reads the holders of a lock into w.now, and reports whether its records have changed since
// the last read. Ok is false if they cannot be read.
func (w *watch) read(name string) (changed, ok bool) {
	w.now = w.now[:0]
	keys, o := w.server.keys, &w.server.options
	if o.Holders == nil && (!o.Guess || o.Records == nil && w.isLease(name)) {
		if owner, there := w.value(name); there {
			w.now = append(w.now, lock.Holder{Owner: owner, End: endOf(keys.Deadline(name))})
		}
		return false, true
	}
	state := lock.State{Key: name, Now: w.server.now(), Permits: o.Permits}
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

// endOf returns the time at which a key with a deadline is gone: it still exists in the millisecond
// of the deadline. The deadline is in Unix milliseconds; 0 gives the zero time.
func endOf(deadline int64) time.Time {
	if deadline == 0 {
		return time.Time{}
	}
	return time.UnixMilli(deadline + 1)
}

// isLease reports whether a key holds a string that expires.
func (w *watch) isLease(key string) bool {
	if w.server.keys.Deadline(key) == 0 {
		return false
	}
	_, text := w.server.keys.Text(key)
	return text
}

// value returns the string of a key, or the type of another value in angle brackets. It reports
// whether the key exists.
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

// record returns the contents of a key. A key whose deadline has passed is absent.
func (w *watch) record(key string, now time.Time) lock.Record {
	keys := w.server.keys
	r := lock.Record{Name: key, End: endOf(keys.Deadline(key))}
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
