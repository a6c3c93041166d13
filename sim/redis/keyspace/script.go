package keyspace

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// scripts runs the scripts of one server, on one Lua state that is opened for the first of them.
type scripts struct {
	cache    *lua.Cache
	keyspace *Keyspace
	state    *lua.State
	known    map[string]*script // by SHA-1: the loaded scripts
	readOnly bool               // the current script may not write
	wrote    bool               // the current script has written
	allowOOM bool               // the current script may write while memory is short
}

// script is a loaded script.
type script struct {
	function lua.Function
	header
}

func newScripts(cache *lua.Cache, k *Keyspace) *scripts {
	return &scripts{cache: cache, keyspace: k, known: map[string]*script{}}
}

// ForgetScripts removes all scripts, as a restart of the server does.
func (k *Keyspace) ForgetScripts() {
	clear(k.scripts.known)
	if k.scripts.state != nil {
		k.scripts.state.Restart()
	}
}

// close frees the Lua state.
func (s *scripts) close() {
	if s.state != nil {
		clear(s.known)
		s.state.Close()
		s.state = nil
	}
}

// eval answers EVAL, EVALSHA and their read-only forms.
func (s *scripts) eval(args []string) resp.Reply {
	count, ok := parseInt(args[2])
	switch {
	case !ok:
		return *notAnInteger()
	case count > int64(len(args)-3):
		return resp.Errorf("ERR Number of keys can't be greater than number of args")
	case count < 0:
		return resp.Errorf("ERR Number of keys can't be negative")
	}
	keys, argv := args[3:3+count], args[3+count:]
	sha := args[1]
	if !strings.HasPrefix(args[0], "evalsha") {
		var failed *resp.Reply
		if sha, failed = s.load(args[1]); failed != nil {
			return *failed
		}
	}
	run := s.known[sha]
	if run == nil {
		sha = strings.ToLower(sha)
		run = s.known[sha]
	}
	if run == nil {
		return resp.Errorf("NOSCRIPT No matching script. Please use EVAL.")
	}
	readOnly := strings.HasSuffix(args[0], "_ro")
	if readOnly && run.flagged && !run.noWrites {
		return resp.Errorf("ERR Can not execute a script with write flag using *_ro command.")
	}
	s.readOnly, s.wrote, s.allowOOM = readOnly || run.noWrites, false, run.allowOOM
	return s.state.Run(run.function, sha, keys, argv)
}

// mayWrite reports whether a script has a header line without no-writes.
func (s *scripts) mayWrite(args []string) bool {
	h := s.headerOf(args)
	return h.flagged && !h.noWrites
}

// mayGrow reports whether a script has a header line with neither allow-oom nor no-writes.
func (s *scripts) mayGrow(args []string) bool {
	h := s.headerOf(args)
	return h.flagged && !h.allowOOM && !h.noWrites
}

// headerOf returns the header of the script that a command runs. It is empty if there is no script
// or the header is invalid, which the command itself reports.
func (s *scripts) headerOf(args []string) header {
	switch args[0] {
	case "eval", "eval_ro":
		if h, _, err := parseHeader(args[1]); err == nil {
			return h
		}
	case "evalsha", "evalsha_ro":
		if known := s.known[strings.ToLower(args[1])]; known != nil {
			return known.header
		}
	}
	return header{}
}

// load loads a script and returns its SHA-1, or the error to answer.
func (s *scripts) load(text string) (string, *resp.Reply) {
	sum := sha1.Sum([]byte(text))
	sha := hex.EncodeToString(sum[:])
	if _, known := s.known[sha]; known {
		return sha, nil
	}
	head, body, err := parseHeader(text)
	if err != nil {
		reply := resp.Errorf("ERR %s", err.Error())
		return "", &reply
	}
	if s.state == nil {
		s.state = s.cache.Open(s.call, s.keyspace.store.refuse)
	}
	function, err := s.state.Compile(sha, body)
	if err != nil {
		reply := resp.Errorf("ERR Error compiling script (new function): %s", err.Error())
		return "", &reply
	}
	s.known[sha] = &script{function: function, header: head}
	return sha, nil
}

// header is the first line of a script, if it begins with "#!".
type header struct {
	flagged  bool // the script has one
	noWrites bool
	allowOOM bool
}

// parseHeader returns the header and the rest of a script, with unchanged line numbers. The error
// has the words of Redis.
func parseHeader(text string) (h header, body string, err error) {
	if !strings.HasPrefix(text, "#!") {
		return h, text, nil
	}
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		return h, "", errors.New("Invalid script shebang") //nolint:staticcheck // the words of Redis
	}
	words := strings.Fields(text[:end])
	if words[0] != "#!lua" {
		return h, "", fmt.Errorf("Unexpected engine in script shebang: %s", words[0]) //nolint:staticcheck // the words of Redis
	}
	h.flagged = true
	for _, word := range words[1:] {
		flags, ok := strings.CutPrefix(word, "flags=")
		if !ok {
			return h, "", fmt.Errorf("Unknown lua shebang option: %s", word) //nolint:staticcheck // the words of Redis
		}
		for flag := range strings.SplitSeq(flags, ",") {
			switch flag {
			case "no-writes":
				h.noWrites = true
			case "allow-oom":
				h.allowOOM = true
			case "allow-stale", "no-cluster", "allow-cross-slot-keys":
			default:
				return h, "", fmt.Errorf("Unexpected flag in script shebang: %s", flag) //nolint:staticcheck // the words of Redis
			}
		}
	}
	return h, text[end:], nil
}

// script answers SCRIPT LOAD, EXISTS and FLUSH.
func (s *scripts) script(args []string) resp.Reply {
	sub := strings.ToLower(args[1])
	switch {
	case sub == "load" && len(args) == 3:
		sha, failed := s.load(args[2])
		if failed != nil {
			return *failed
		}
		return resp.Reply{Kind: resp.Bulk, Text: sha}
	case sub == "exists" && len(args) > 2:
		reply := resp.Reply{Kind: resp.Array}
		for _, sha := range args[2:] {
			elem := resp.Reply{Kind: resp.Integer}
			if _, known := s.known[strings.ToLower(sha)]; known {
				elem.Int = 1
			}
			reply.Elems = append(reply.Elems, elem)
		}
		return reply
	case sub == "flush":
		if len(args) > 3 || len(args) == 3 && !strings.EqualFold(args[2], "sync") && !strings.EqualFold(args[2], "async") {
			return resp.Errorf("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
		}
		clear(s.known)
		return resp.OK()
	case sub == "load" || sub == "exists":
		return wrongArity("script|" + sub)
	case sub == "kill" || sub == "debug" || sub == "help":
		return s.keyspace.store.refuse("script " + sub)
	}
	return resp.Errorf("ERR unknown subcommand '%.128s'. Try SCRIPT HELP.", args[1])
}

// call runs a command for redis.call and redis.pcall, with the error messages for scripts.
func (s *scripts) call(words []string) resp.Reply {
	k := s.keyspace
	args := k.lower(words)
	switch name := args[0]; {
	case arityOf(name) == 0:
		return resp.Errorf("ERR Unknown Redis command called from script")
	case miscounted(args):
		return resp.Errorf("ERR Wrong number of args calling Redis command from script")
	case !inScripts(name):
		return resp.Errorf("ERR This Redis command is not allowed from script")
	case s.readOnly && (writes(name) || name == "publish"):
		return resp.Errorf("ERR Write commands are not allowed from read-only scripts.")
	case k.readOnly() && writes(name):
		return readOnlyReplica()
	}
	if failed := s.refused(args); failed != nil {
		return *failed
	}
	s.wrote = s.wrote || writes(args[0])
	switch args[0] {
	case "blmpop", "bzmpop":
		reply, _ := k.store.block(args)
		return reply
	case "ping":
		return ping(args)
	case "publish":
		return resp.Reply{Kind: resp.Integer, Int: k.hooks.Publish(args[1], args[2])}
	case "select":
		return k.store.selectDatabase(args[1])
	}
	return k.store.run(args)
}
