package keyspace

// IsCommand reports whether Redis has a command of this name, in lower case.
func IsCommand(name string) bool { return arityOf(name) != 0 }

// arityOf returns the number of words of a Redis command, including its name; a negative number is
// a minimum. It is 0 if Redis has no command of this name, in lower case.
func arityOf(name string) int {
	switch name {
	case "asking", "bgrewriteaof", "dbsize", "discard", "exec", "lastsave", "monitor", "multi",
		"pfselftest", "randomkey", "readonly", "readwrite", "reset", "role", "save", "sync", "time",
		"unwatch":
		return 1
	case "decr", "dump", "echo", "expiretime", "get", "getdel", "hgetall", "hkeys", "hlen", "hvals",
		"incr", "keys", "llen", "persist", "pexpiretime", "pttl", "scard", "select", "smembers",
		"strlen", "ttl", "type", "xlen", "zcard":
		return 2
	case "append", "decrby", "getbit", "getset", "hexists", "hget", "hstrlen", "incrby", "incrbyfloat",
		"lindex", "move", "pfdebug", "publish", "rename", "renamenx", "replicaof", "rpoplpush", "setnx",
		"sismember", "slaveof", "spublish", "swapdb", "wait", "zrank", "zrevrank", "zscore":
		return 3
	case "brpoplpush", "getrange", "hincrby", "hincrbyfloat", "hsetnx", "lrange", "lrem", "lset",
		"ltrim", "psetex", "setbit", "setex", "setrange", "smove", "substr", "zcount", "zincrby",
		"zlexcount", "zremrangebylex", "zremrangebyrank", "zremrangebyscore":
		return 4
	case "linsert", "lmove":
		return 5
	case "blmove":
		return 6
	}
	return leastWords(name)
}

// leastWords does the same as arityOf for commands with a varying number of words.
func leastWords(name string) int {
	switch name {
	case "bgsave", "command", "failover", "flushall", "flushdb", "hello", "info", "lolwut", "ping",
		"punsubscribe", "quit", "replconf", "shutdown", "sunsubscribe", "unsubscribe":
		return -1
	case "acl", "auth", "bitcount", "bitfield", "bitfield_ro", "client", "cluster", "config", "debug",
		"del", "exists", "function", "geohash", "geopos", "getex", "hrandfield", "latency", "lpop",
		"memory", "mget", "module", "object", "pfadd", "pfcount", "pfmerge", "psubscribe", "pubsub",
		"rpop", "scan", "script", "sdiff", "sinter", "slowlog", "sort", "sort_ro", "spop",
		"srandmember", "ssubscribe", "subscribe", "sunion", "touch", "unlink", "watch", "xgroup",
		"xinfo", "zpopmax", "zpopmin", "zrandmember":
		return -2
	case "bitpos", "blpop", "brpop", "bzpopmax", "bzpopmin", "copy", "eval", "eval_ro", "evalsha",
		"evalsha_ro", "expire", "expireat", "fcall", "fcall_ro", "hdel", "hmget", "hscan", "lcs", "lpos",
		"lpush", "lpushx", "mset", "msetnx", "pexpire", "pexpireat", "psync", "rpush", "rpushx", "sadd",
		"sdiffstore", "set", "sintercard", "sinterstore", "smismember", "srem", "sscan", "sunionstore",
		"xdel", "xpending", "xsetid", "zdiff", "zinter", "zintercard", "zmscore", "zrem", "zscan",
		"zunion":
		return -3
	case "bitop", "geodist", "hmset", "hset", "lmpop", "restore", "restore-asking", "xack",
		"xrange", "xread", "xrevrange", "xtrim", "zadd", "zdiffstore", "zinterstore", "zmpop", "zrange",
		"zrangebylex", "zrangebyscore", "zrevrange", "zrevrangebylex", "zrevrangebyscore",
		"zunionstore":
		return -4
	case "blmpop", "bzmpop", "geoadd", "georadiusbymember", "georadiusbymember_ro", "xadd",
		"zrangestore":
		return -5
	case "georadius", "georadius_ro", "migrate", "xautoclaim", "xclaim":
		return -6
	case "geosearch", "xreadgroup":
		return -7
	case "geosearchstore":
		return -8
	}
	return 0
}

// miscounted reports whether a command of Redis has too few or too many words.
func miscounted(args []string) bool {
	arity := arityOf(args[0])
	return arity > 0 && len(args) != arity || len(args) < -arity
}

// inScripts reports whether a script may call the command.
func inScripts(name string) bool {
	switch name {
	case "auth", "bgrewriteaof", "bgsave", "blmove", "blpop", "brpop", "brpoplpush",
		"bzpopmax", "bzpopmin", "client", "debug", "discard", "eval", "eval_ro", "evalsha",
		"evalsha_ro", "exec", "failover", "fcall", "fcall_ro", "hello", "monitor", "multi",
		"psubscribe", "psync", "punsubscribe", "quit", "replconf", "replicaof", "reset", "role", "save",
		"script", "shutdown", "slaveof", "ssubscribe", "subscribe", "sunsubscribe", "sync",
		"unsubscribe", "unwatch", "wait", "watch":
		return false
	}
	return true
}

// writes reports whether a read-only script may not call the command.
func writes(name string) bool {
	switch name {
	case "append", "bitfield", "bitop", "blmove", "blmpop", "blpop", "brpop", "brpoplpush", "bzmpop",
		"bzpopmax", "bzpopmin", "copy", "decr", "decrby", "del", "expire", "expireat", "flushall",
		"flushdb", "geoadd", "georadius", "georadiusbymember", "geosearchstore", "getdel", "getex",
		"getset", "hdel", "hincrby", "hincrbyfloat", "hmset", "hset", "hsetnx", "incr", "incrby",
		"incrbyfloat", "linsert", "lmove", "lmpop", "lpop", "lpush", "lpushx", "lrem", "lset", "ltrim",
		"migrate", "move", "mset", "msetnx", "persist", "pexpire", "pexpireat", "pfadd", "pfdebug",
		"pfmerge", "psetex", "rename", "renamenx", "restore", "restore-asking", "rpop", "rpoplpush",
		"rpush", "rpushx", "sadd", "sdiffstore", "set", "setbit", "setex", "setnx", "setrange",
		"sinterstore", "smove", "sort", "spop", "srem", "sunionstore", "swapdb", "unlink", "xack",
		"xadd", "xautoclaim", "xclaim", "xdel", "xreadgroup", "xsetid", "xtrim", "zadd", "zdiffstore",
		"zincrby", "zinterstore", "zmpop", "zpopmax", "zpopmin", "zrangestore", "zrem",
		"zremrangebylex", "zremrangebyrank", "zremrangebyscore", "zunionstore":
		return true
	}
	return false
}
