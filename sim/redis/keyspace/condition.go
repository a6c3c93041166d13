package keyspace

import (
	"slices"
	"strings"

	"lockquake/sim/redis/resp"
)

// Condition is a state in which a server answers some commands with an error. Its name is the code
// of the error.
type Condition string

// The conditions.
const (
	// ConditionReadOnly: the server was made a replica and refuses writes.
	ConditionReadOnly Condition = "READONLY"
	// ConditionLoading: the server loads its data after a restart, and refuses all but commands
	// about the connection, subscriptions and its state.
	ConditionLoading Condition = "LOADING"
	// ConditionMemory: the server has reached maxmemory and can evict nothing. It refuses commands
	// that may need memory.
	ConditionMemory Condition = "OOM"
	// ConditionDisk: the server's last snapshot failed. It refuses writes and PING.
	ConditionDisk Condition = "MISCONF"
	// ConditionCluster: the server is a node of a cluster that is down. It refuses commands with
	// keys.
	ConditionCluster Condition = "CLUSTERDOWN"
)

// Conditions returns all conditions, in the order in which Redis checks them.
func Conditions() []Condition {
	return []Condition{ConditionCluster, ConditionMemory, ConditionDisk, ConditionReadOnly, ConditionLoading}
}

// Text returns the error of the condition.
func (c Condition) Text() string {
	switch c {
	case ConditionReadOnly:
		return readOnlyReplica().Text
	case ConditionLoading:
		return "LOADING Redis is loading the dataset in memory"
	case ConditionMemory:
		return "OOM command not allowed when used memory > 'maxmemory'."
	case ConditionDisk:
		return "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
			"Commands that may modify the data set are disabled, because this instance is configured to report errors " +
			"during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). " +
			"Please check the Redis logs for details about the RDB error."
	case ConditionCluster:
		return "CLUSTERDOWN The cluster is down"
	}
	return string(c)
}

// Enter puts the server into a condition. Each Enter needs one Leave.
func (k *Keyspace) Enter(c Condition) { k.conditions = append(k.conditions, c) }

// Leave ends one Enter.
func (k *Keyspace) Leave(c Condition) {
	if i := slices.Index(k.conditions, c); i >= 0 {
		k.conditions = slices.Delete(k.conditions, i, i+1)
	}
}

// refused returns the error of the first condition that refuses the command, nil if there is none.
// Short of memory, Redis refuses to queue any command in a transaction.
func (k *Keyspace) refused(args []string, queued bool) *resp.Reply {
	return k.firstOf(func(c Condition) bool {
		switch c {
		case ConditionReadOnly: // handled by Keyspace.readOnly
		case ConditionLoading:
			return !whileLoading(args)
		case ConditionMemory:
			return queued || needsMemory(args) || k.scripts.mayGrow(args)
		case ConditionDisk:
			return writes(args[0]) || args[0] == "ping" || k.scripts.mayWrite(args)
		case ConditionCluster:
			return hasKeys(args)
		}
		return false
	})
}

// refused does the same for a command that the current script calls. A script that has already
// written is not stopped.
func (s *scripts) refused(args []string) *resp.Reply {
	failed := s.keyspace.firstOf(func(c Condition) bool {
		switch c {
		case ConditionCluster:
			return hasKeys(args)
		case ConditionMemory:
			return needsMemory(args) && !s.wrote && !s.allowOOM
		case ConditionDisk:
			return writes(args[0]) && !s.wrote
		case ConditionReadOnly: // handled by Keyspace.readOnly
		case ConditionLoading: // the script itself was refused
		}
		return false
	})
	if failed != nil && failed.Text == ConditionCluster.Text() {
		failed.Text = "ERR Script attempted to execute a command while the cluster is down"
	}
	return failed
}

// readOnly reports whether clients may not write: the server is a replica, or in ConditionReadOnly.
func (k *Keyspace) readOnly() bool {
	return k.hooks.Follows() || slices.Contains(k.conditions, ConditionReadOnly)
}

func (k *Keyspace) firstOf(refuses func(Condition) bool) *resp.Reply {
	if len(k.conditions) == 0 {
		return nil
	}
	for _, c := range Conditions() {
		if slices.Contains(k.conditions, c) && refuses(c) {
			return &resp.Reply{Kind: resp.Error, Text: c.Text()}
		}
	}
	return nil
}

// whileLoading reports whether a server answers the command while it loads its data.
func whileLoading(args []string) bool {
	switch args[0] {
	case "auth", "command", "debug", "discard", "echo", "exec", "hello", "info", "lastsave", "monitor", "multi",
		"psubscribe", "publish", "punsubscribe", "quit", "readonly", "readwrite", "replconf", "reset", "role",
		"select", "shutdown", "spublish", "ssubscribe", "subscribe", "sunsubscribe", "time", "unsubscribe",
		"unwatch", "watch":
		return true
	case "acl", "client", "config", "latency", "pubsub", "slowlog":
		return len(args) > 1
	case "cluster", "function", "memory", "module", "object", "script", "xgroup", "xinfo":
		return len(args) > 1 && strings.EqualFold(args[1], "help")
	}
	return false
}

// needsMemory reports whether Redis marks the command as one that may need memory.
func needsMemory(args []string) bool {
	switch args[0] {
	case "append", "bitfield", "bitop", "blmove", "brpoplpush", "copy", "decr", "decrby", "geoadd", "georadius",
		"georadiusbymember", "geosearchstore", "getset", "hincrby", "hincrbyfloat", "hmset", "hset", "hsetnx",
		"incr", "incrby", "incrbyfloat", "linsert", "lmove", "lpush", "lpushx", "lset", "mset", "msetnx", "pfadd",
		"pfdebug", "pfmerge", "psetex", "restore", "restore-asking", "rpoplpush", "rpush", "rpushx", "sadd",
		"sdiffstore", "set", "setbit", "setex", "setnx", "setrange", "sinterstore", "sort", "sunionstore", "xadd",
		"xsetid", "zadd", "zdiffstore", "zincrby", "zinterstore", "zrangestore", "zunionstore":
		return true
	case "xgroup":
		return len(args) > 1 && (strings.EqualFold(args[1], "create") || strings.EqualFold(args[1], "createconsumer"))
	}
	return false
}

// hasKeys reports whether the command has a key.
func hasKeys(args []string) bool {
	switch args[0] {
	case "acl", "asking", "auth", "bgrewriteaof", "bgsave", "client", "cluster", "command", "config", "dbsize",
		"debug", "discard", "echo", "exec", "failover", "flushall", "flushdb", "function", "hello", "info", "keys",
		"lastsave", "latency", "lolwut", "module", "monitor", "multi", "pfselftest", "ping", "psubscribe", "psync",
		"publish", "pubsub", "punsubscribe", "quit", "randomkey", "readonly", "readwrite", "replconf", "replicaof",
		"reset", "role", "save", "scan", "script", "select", "shutdown", "slaveof", "slowlog", "spublish", "ssubscribe", "subscribe", "sunsubscribe",
		"swapdb", "sync", "time", "unsubscribe", "unwatch", "wait":
		return false
	case "eval", "eval_ro", "evalsha", "evalsha_ro", "fcall", "fcall_ro":
		n, ok := parseInt(args[2])
		return ok && n > 0 && n <= int64(len(args)-3)
	case "memory":
		return len(args) > 1 && strings.EqualFold(args[1], "usage")
	case "object", "xgroup", "xinfo":
		return len(args) > 1 && !strings.EqualFold(args[1], "help")
	}
	return true
}
