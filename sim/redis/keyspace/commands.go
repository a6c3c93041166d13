package keyspace

import (
	"fmt"
	"strings"

	"lockquake/sim/redis/resp"
)

// keySpan says which words of a command are keys: the first, the last (counted from the end if
// negative) and the distance between two. The zero span means all existing keys.
type keySpan struct{ first, last, step int }

// keysOf returns the span of a command's keys. By default the first argument is the key.
func keysOf(name string) keySpan {
	switch name {
	case "mset", "msetnx":
		return keySpan{1, -1, 2}
	case "del", "unlink", "exists", "touch", "mget", "sinter", "sdiff", "sunion",
		"sinterstore", "sdiffstore", "sunionstore", "pfcount", "pfmerge":
		return keySpan{1, -1, 1}
	case "rename", "renamenx", "copy", "rpoplpush", "lmove", "smove":
		return keySpan{1, 2, 1}
	case "keys", "scan", "dbsize", "flushall", "flushdb", "bitop", "memory", "object",
		"sintercard", "lmpop", "zmpop", "zunion", "zinter", "zunionstore", "zinterstore",
		"georadius", "georadiusbymember", "xread", "xreadgroup", "xgroup", "xinfo":
		return keySpan{}
	}
	return keySpan{1, 1, 1}
}

// notSimulated reports whether the simulation refuses a command: it is about other connections or
// the server itself, or its answer depends on the order of a map.
func notSimulated(name string, args []string) bool {
	switch name {
	case "subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "pubsub",
		"monitor", "waitaof", "quit", "reset", "auth",
		"move", "swapdb", "cluster", "randomkey", "dump", "restore", "object", "memory", "info", "command":
		return true
	case "xread", "xreadgroup":
		for _, arg := range args[1:] {
			if strings.EqualFold(arg, "block") {
				return true
			}
		}
	}
	return false
}

// NotSimulatedError says that a worker needed something that the simulated Redis does not have. The
// run ends with it, without a verdict.
type NotSimulatedError struct {
	Worker, Op string
	What       string // the command, in upper case, or the feature of go-redis
	Hint       string // what to use instead; "" for nothing
}

func (e *NotSimulatedError) Error() string {
	text := fmt.Sprintf("%s (%s) sent %s, which is not simulated", e.Worker, e.Op, e.What)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// refuse returns an error for something that is not simulated, and records it, so that the server
// ends the run.
func (s *store) refuse(what string) resp.Reply {
	if s.missing == "" {
		s.missing = strings.ToUpper(what)
	}
	return resp.Errorf("ERR lockquake does not simulate %s", strings.ToUpper(what))
}

// unknownCommand returns the answer of Redis to an unknown command. Written is its name as it was
// sent.
func unknownCommand(written string, args []string) resp.Reply {
	const most = 128
	var shown strings.Builder
	for _, arg := range args[1:] {
		if shown.Len() >= most {
			break
		}
		arg = untilNUL(arg)
		shown.WriteString("'" + arg[:min(len(arg), most-shown.Len())] + "' ")
	}
	return resp.Errorf("ERR unknown command '%.128s', with args beginning with: %s", untilNUL(written), shown.String())
}

// untilNUL returns the text up to a NUL, where Redis, which is written in C, ends it.
func untilNUL(text string) string {
	shown, _, _ := strings.Cut(text, "\x00")
	return shown
}

func wrongArity(name string) resp.Reply {
	return resp.Errorf("ERR wrong number of arguments for '%s' command", name)
}
