package redis

import (
	"strings"
	"time"
)

// engine carries out commands: those that speak of a connection or of scripts
// here, all others on the keyspace.
type engine struct {
	store   *store
	scripts *scripts
	limbo   []string // name in lower case and arguments, reused

	stale        func(key string) Reply              // answers a GET in place of the keyspace; nil: it is up to date
	acknowledged func() int64                        // how many replicas have all that was written
	atMulti      int64                               // how many had when the transaction began
	follows      func() bool                         // it is a replica, to which no client writes
	publish      func(channel, message string) int64 // returns how many listen
	conditions   []Condition                         // that it is in now, some of them more than once
}

func newEngine(cache *ScriptCache) (*engine, error) {
	s, err := newStore()
	if err != nil {
		return nil, err
	}
	e := &engine{store: s, acknowledged: func() int64 { return 0 }, follows: s.follows}
	e.publish = func(string, string) int64 { return 0 }
	e.scripts = newScripts(cache, e)
	return e, nil
}

// run carries out one command at the time now.
func (e *engine) run(now time.Time, words []string) Reply {
	if len(words) == 0 {
		return errorReply("ERR empty command")
	}
	e.store.setTime(now)
	defer e.store.reveal()
	args := e.lower(words)
	if failed := e.rejection(words[0], args, false); failed != nil {
		return *failed
	}
	switch args[0] {
	case "get":
		if e.stale != nil && len(args) == 2 {
			return e.stale(args[1])
		}
	case "ping":
		return ping(args)
	case "publish":
		return Reply{Kind: Integer, Int: e.publish(args[1], args[2])}
	case "wait":
		return e.wait(args)
	case "hello":
		return e.store.hello(args, e.readOnly())
	case "select":
		return e.store.selectDatabase(args[1])
	case "client":
		return e.store.client(args)
	case "blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop":
		reply, _ := e.store.block(args)
		return reply
	case "unwatch":
		return okReply() // in a transaction, which has ended all that was watched
	case "eval", "evalsha", "eval_ro", "evalsha_ro":
		return e.scripts.eval(args)
	case "script":
		return e.scripts.script(args)
	}
	return e.store.run(args)
}

// lower returns the words with the first one in lower case.
func (e *engine) lower(words []string) []string {
	name := strings.ToLower(words[0])
	if name == words[0] {
		return words
	}
	e.limbo = append(append(e.limbo[:0], name), words[1:]...)
	return e.limbo
}

// rejection returns the answer to a command that is not carried out, or not queued
// in a transaction; else nil.
func (e *engine) rejection(written string, args []string, queued bool) *Reply {
	if failed := malformed(written, args); failed != nil {
		return failed
	}
	if failed := e.refused(args, queued); failed != nil {
		return failed
	}
	if e.readOnly() && (writes(args[0]) || e.scripts.mayWrite(args)) {
		r := readOnlyReplica()
		return &r
	}
	return nil
}

func readOnlyReplica() Reply {
	return errorReply("READONLY You can't write against a read only replica.")
}

// malformed returns the answer to a word that is no command, as it was written,
// and to a command with too few words or too many; else nil.
func malformed(written string, args []string) *Reply {
	known := arityOf(args[0]) != 0
	if known && !miscounted(args) {
		return nil
	}
	r := wrongArity(args[0])
	switch {
	case !known:
		r = unknownCommand(written, args)
	case args[0] == "exec":
		r = errorReply("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
	}
	return &r
}

func (s *store) selectDatabase(number string) Reply {
	n, ok := parseInt(number)
	switch {
	case !ok:
		return *notAnInteger()
	case n != 0:
		return s.refuse("select " + number)
	}
	return okReply()
}

func ping(args []string) Reply {
	switch len(args) {
	case 1:
		return Reply{Kind: Status, Text: "PONG"}
	case 2:
		return Reply{Kind: Bulk, Text: args[1]}
	}
	return wrongArity("ping")
}

// hello answers what a client asks as it connects. There is RESP2 only.
func (s *store) hello(args []string, replica bool) Reply {
	switch {
	case len(args) > 1 && args[1] == "3":
		return s.refuse("hello 3")
	case len(args) > 2:
		return s.refuse("hello " + strings.Join(args[1:], " "))
	case len(args) > 1 && args[1] != "2":
		return errorReply("NOPROTO unsupported protocol version")
	}
	role := "master"
	if replica {
		role = "replica"
	}
	text := func(s string) Reply { return Reply{Kind: Bulk, Text: s} }
	return Reply{Kind: Array, Elems: []Reply{
		text("server"), text("redis"),
		text("version"), text(redisVersion),
		text("proto"),
		{Kind: Integer, Int: 2},
		text("id"),
		{Kind: Integer, Int: 1},
		text("mode"), text("standalone"),
		text("role"), text(role),
		text("modules"),
		{Kind: Array},
	}}
}

// redisVersion is the Redis whose answers the simulation follows, in both ways
// in which a script can ask for it.
const (
	redisVersion       = "7.0.15"
	redisVersionNumber = 0x07000f
)

func (s *store) client(args []string) Reply {
	if len(args) < 2 {
		return wrongArity("client")
	}
	switch strings.ToLower(args[1]) {
	case "setinfo", "setname":
		return okReply()
	}
	return s.refuse("client " + args[1])
}
