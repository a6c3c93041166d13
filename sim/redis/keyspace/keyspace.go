package keyspace

import (
	"strings"
	"time"

	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// Keyspace is the data of a Redis server, with the commands on it. Its clock is the time of each
// call. It has no network: a connection is a [Connection], and the rest of the server is behind the
// [Hooks].
type Keyspace struct {
	store   *store
	scripts *scripts
	hooks   Hooks
	lowered []string   // a command with its name in lower case, reused
	names   []spelling // the names of commands as clients have written them: only a few

	stale      func(key string) (resp.Reply, bool) // see DivertGets; nil: none
	atMulti    int64                               // the number of up-to-date replicas at the last MULTI
	conditions []Condition                         // the present ones, possibly several times
}

// spelling is the name of a command as a client has written it.
type spelling struct{ written, lower string }

// Hooks connect a keyspace to the server around it. A nil function does nothing, and returns false
// or 0.
type Hooks struct {
	// Named is called for each key that a command names, before the command runs. Expired is called
	// for each key whose deadline has passed, after it was removed.
	Named, Expired func(key string)
	// Follows reports whether this is the keyspace of a replica.
	Follows func() bool
	// Acknowledged returns how many replicas have all writes.
	Acknowledged func() int64
	// Publish sends a message to all subscribers of a channel, and returns their number.
	Publish func(channel, message string) int64
}

// complete replaces nil functions.
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

// New returns an empty keyspace. The cache compiles its scripts.
func New(cache *lua.Cache, h Hooks) (*Keyspace, error) {
	h = h.complete()
	s, err := newStore(h)
	if err != nil {
		return nil, err
	}
	k := &Keyspace{store: s, hooks: h}
	k.scripts = newScripts(cache, k)
	return k, nil
}

// Close frees the keyspace. The next one that shares its cache of scripts can reuse what was costly
// to make.
func (k *Keyspace) Close() { k.scripts.close() }

// Missing returns the first thing that a command needed and that is not simulated, "" if there is
// none.
func (k *Keyspace) Missing() string { return k.store.missing }

// DivertGets makes the function answer each GET outside of scripts, unless it returns false. Nil
// ends that.
func (k *Keyspace) DivertGets(answer func(key string) (resp.Reply, bool)) { k.stale = answer }

// Run runs one command at the time now.
func (k *Keyspace) Run(now time.Time, words []string) resp.Reply {
	if len(words) == 0 {
		return resp.Errorf("ERR empty command")
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
		return resp.Reply{Kind: resp.Integer, Int: k.hooks.Publish(args[1], args[2])}
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
		return resp.OK() // in a transaction, whose EXEC has ended all watches
	case "eval", "evalsha", "eval_ro", "evalsha_ro":
		return k.scripts.eval(args)
	case "script":
		return k.scripts.script(args)
	}
	return k.store.run(args)
}

// lower returns the words with the command name in lower case.
func (k *Keyspace) lower(words []string) []string {
	name := k.lowerName(words[0])
	if name == words[0] {
		return words
	}
	k.lowered = append(append(k.lowered[:0], name), words[1:]...)
	return k.lowered
}

// lowerName returns the name of a command in lower case.
func (k *Keyspace) lowerName(written string) string {
	for i := range k.names {
		if k.names[i].written == written {
			return k.names[i].lower
		}
	}
	name := strings.ToLower(written)
	const most = 20
	if len(k.names) < most && IsCommand(name) {
		k.names = append(k.names, spelling{written, name})
	}
	return name
}

// Rejection returns the answer to a command that cannot be run: it is unknown, has the wrong number
// of words, or is refused at present. It returns nil if the command can be run. There must be at
// least one word.
func (k *Keyspace) Rejection(words []string) *resp.Reply {
	return k.rejection(words[0], k.lower(words), false)
}

// WellFormed reports whether Redis has the command and the number of words is right. It returns the
// words with the name in lower case. There must be at least one word.
func (k *Keyspace) WellFormed(words []string) (args []string, ok bool) {
	args = k.lower(words)
	return args, malformed(words[0], args) == nil
}

// rejection returns the answer to a command that cannot be run, or queued in a transaction; nil if
// it can.
func (k *Keyspace) rejection(written string, args []string, queued bool) *resp.Reply {
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

func readOnlyReplica() resp.Reply {
	return resp.Errorf("READONLY You can't write against a read only replica.")
}

// malformed returns the answer to an unknown command, named as it was written, and to one with the
// wrong number of words; otherwise nil.
func malformed(written string, args []string) *resp.Reply {
	known := arityOf(args[0]) != 0
	if known && !miscounted(args) {
		return nil
	}
	r := wrongArity(args[0])
	switch {
	case !known:
		r = unknownCommand(written, args)
	case args[0] == "exec":
		r = resp.Errorf("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
	}
	return &r
}

func (s *store) selectDatabase(number string) resp.Reply {
	n, ok := parseInt(number)
	switch {
	case !ok:
		return *notAnInteger()
	case n != 0:
		return s.refuse("select " + number)
	}
	return resp.OK()
}

func ping(args []string) resp.Reply {
	switch len(args) {
	case 1:
		return resp.Reply{Kind: resp.Status, Text: "PONG"}
	case 2:
		return resp.Reply{Kind: resp.Bulk, Text: args[1]}
	}
	return wrongArity("ping")
}

// hello answers the handshake of a client. There is only RESP2.
func (s *store) hello(args []string, replica bool) resp.Reply {
	switch {
	case len(args) > 1 && args[1] == "3":
		return s.refuse("hello 3")
	case len(args) > 2:
		return s.refuse("hello " + strings.Join(args[1:], " "))
	case len(args) > 1 && args[1] != "2":
		return resp.Errorf("NOPROTO unsupported protocol version")
	}
	role := "master"
	if replica {
		role = "replica"
	}
	text := func(s string) resp.Reply { return resp.Reply{Kind: resp.Bulk, Text: s} }
	return resp.Reply{Kind: resp.Array, Elems: []resp.Reply{
		text("server"), text("redis"),
		text("version"), text(resp.Version),
		text("proto"),
		{Kind: resp.Integer, Int: 2},
		text("id"),
		{Kind: resp.Integer, Int: 1},
		text("mode"), text("standalone"),
		text("role"), text(role),
		text("modules"),
		{Kind: resp.Array},
	}}
}

func (s *store) client(args []string) resp.Reply {
	if len(args) < 2 {
		return wrongArity("client")
	}
	switch strings.ToLower(args[1]) {
	case "setinfo", "setname":
		return resp.OK()
	}
	return s.refuse("client " + args[1])
}
