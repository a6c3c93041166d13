package keyspace

import (
	"strings"
	"time"
)

// Keyspace is what a Redis server holds, and the commands on it. It knows no clock
// but the times that it is given, and no network: a connection is a [Connection],
// and the rest of the server is the [Hooks].
type Keyspace struct {
	store   *store
	scripts *scripts
	hooks   Hooks
	limbo   []string // name in lower case and arguments, reused

	stale      func(key string) (Reply, bool) // see DivertGets; nil: nothing is diverted
	atMulti    int64                          // how many replicas had all when the transaction began
	conditions []Condition                    // that it is in now, some of them more than once
}

// Hooks are what a keyspace tells the server around it, and asks it. A nil function
// stands for one that does nothing, and answers false or 0.
type Hooks struct {
	// Named is told every key that a command names, before it is carried out.
	// Expired is told every key whose deadline has passed, after it is gone.
	Named, Expired func(key string)
	// Follows reports whether this is the keyspace of a replica.
	Follows func() bool
	// Acknowledged returns how many replicas have all that was written.
	Acknowledged func() int64
	// Publish sends a message to all who listen to a channel, and returns how many
	// they are.
	Publish func(channel, message string) int64
}

// complete returns the hooks without a nil function.
func (h Hooks) complete() Hooks {
	if h.Named == nil {
		h.Named = func(string) {}
	}
	if h.Expired == nil {
		h.Expired = func(string) {}
	}
	if h.Follows == nil {
		h.Follows = func() bool { return false }
	}
	if h.Acknowledged == nil {
		h.Acknowledged = func() int64 { return 0 }
	}
	if h.Publish == nil {
		h.Publish = func(string, string) int64 { return 0 }
	}
	return h
}

// New returns an empty keyspace, whose scripts the cache compiles.
func New(cache *ScriptCache, h Hooks) (*Keyspace, error) {
	h = h.complete()
	s, err := newStore(h)
	if err != nil {
		return nil, err
	}
	k := &Keyspace{store: s, hooks: h}
	k.scripts = newScripts(cache, k)
	return k, nil
}

// Close ends the use of the keyspace, and leaves what was costly to make to the next
// one that shares its ScriptCache.
func (k *Keyspace) Close() {
	if b := k.scripts.sandbox; b != nil {
		k.scripts.sandbox = nil
		clear(k.scripts.known)
		k.scripts.cache.giveBack(b)
	}
}

// Missing returns what was asked for first that is not simulated, "" for nothing.
func (k *Keyspace) Missing() string { return k.store.missing }

// DivertGets lets every GET outside of scripts be answered by the function, unless
// that reports false. Nil ends it.
func (k *Keyspace) DivertGets(answer func(key string) (Reply, bool)) { k.stale = answer }

// Run carries out one command at the time now.
func (k *Keyspace) Run(now time.Time, words []string) Reply {
	if len(words) == 0 {
		return Errorf("ERR empty command")
	}
	k.store.setTime(now)
	defer k.store.reveal()
	args := k.lower(words)
	if failed := k.rejection(words[0], args, false); failed != nil {
		return *failed
	}
	switch args[0] {
	case "get":
		if k.stale != nil && len(args) == 2 {
			if reply, ok := k.stale(args[1]); ok {
				return reply
			}
		}
	case "ping":
		return ping(args)
	case "publish":
		return Reply{Kind: Integer, Int: k.hooks.Publish(args[1], args[2])}
	case "wait":
		return k.wait(args)
	case "hello":
		return k.store.hello(args, k.readOnly())
	case "select":
		return k.store.selectDatabase(args[1])
	case "client":
		return k.store.client(args)
	case "blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop":
		reply, _ := k.store.block(args)
		return reply
	case "unwatch":
		return okReply() // in a transaction, which has ended all that was watched
	case "eval", "evalsha", "eval_ro", "evalsha_ro":
		return k.scripts.eval(args)
	case "script":
		return k.scripts.script(args)
	}
	return k.store.run(args)
}

// lower returns the words with the first one in lower case.
func (k *Keyspace) lower(words []string) []string {
	name := strings.ToLower(words[0])
	if name == words[0] {
		return words
	}
	k.limbo = append(append(k.limbo[:0], name), words[1:]...)
	return k.limbo
}

// Rejection returns the answer to a command that is not carried out: a word that is
// no command, one with too few words or too many, and what is refused at the moment.
// It returns nil if there is none of these. There is at least one word.
func (k *Keyspace) Rejection(words []string) *Reply {
	return k.rejection(words[0], k.lower(words), false)
}

// WellFormed reports whether Redis knows the command with that number of words, and returns
// it with its name in lower case. There is at least one word.
func (k *Keyspace) WellFormed(words []string) (args []string, ok bool) {
	args = k.lower(words)
	return args, malformed(words[0], args) == nil
}

// rejection returns the answer to a command that is not carried out, or not queued
// in a transaction; else nil.
func (k *Keyspace) rejection(written string, args []string, queued bool) *Reply {
	if failed := malformed(written, args); failed != nil {
		return failed
	}
	if failed := k.refused(args, queued); failed != nil {
		return failed
	}
	if k.readOnly() && (writes(args[0]) || k.scripts.mayWrite(args)) {
		r := readOnlyReplica()
		return &r
	}
	return nil
}

func readOnlyReplica() Reply {
	return Errorf("READONLY You can't write against a read only replica.")
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
		r = Errorf("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
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
		return Errorf("NOPROTO unsupported protocol version")
	}
	role := "master"
	if replica {
		role = "replica"
	}
	text := func(s string) Reply { return Reply{Kind: Bulk, Text: s} }
	return Reply{Kind: Array, Elems: []Reply{
		text("server"), text("redis"),
		text("version"), text(Version),
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

// Version is the Redis whose answers the simulation follows, and versionNumber the
// same as a script can ask for it.
const (
	Version       = "7.0.15"
	versionNumber = 0x07000f
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
