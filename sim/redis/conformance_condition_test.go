package redis

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockquake/internal/servers"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// In each condition a real server and the simulated one refuse the same commands with the same
// errors, also in scripts and transactions.
func TestConditionsRefuseWhatRedisRefuses(t *testing.T) {
	for _, c := range keyspace.Conditions() {
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			compareIn(t, c)
		})
	}
}

func compareIn(t *testing.T, c keyspace.Condition) {
	t.Helper()
	server := realIn(t, c)
	k, err := keyspace.New(lua.NewCache(), keyspace.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_700_000_000_000)
	for _, words := range conditionData() {
		k.Run(now, words)
	}
	k.Enter(c)
	check := func(commands [][]string, judge func(words []string, real []byte, sim resp.Reply)) {
		want, err := server.pipeline(commands)
		if err != nil {
			t.Fatal(err)
		}
		for i, reply := range k.RunPipeline(&keyspace.Connection{}, now, commands, func([]string, *resp.Reply) {}, func() {}) {
			judge(commands[i], want[i], reply)
		}
	}
	check(conditionCommands(), func(words []string, want []byte, reply resp.Reply) {
		if got := reply.AppendRESP(nil); !bytes.Equal(got, want) {
			t.Errorf("%q:\nreal      %q\nsimulated %q", words, want, got)
		}
	})
	var commands [][]string
	for _, name := range plainCommands() {
		words := []string{name}
		for _, ok := k.WellFormed(words); !ok; _, ok = k.WellFormed(words) {
			words = append(words, "1")
		}
		commands = append(commands, words)
	}
	check(commands, func(words []string, want []byte, reply resp.Reply) {
		code := string(c) + " "
		if got := strings.HasPrefix(reply.Text, code); got != bytes.HasPrefix(want, []byte("-"+code)) {
			t.Errorf("%q: the real server answers %.40q, the simulated one refuses: %v", words, want, got)
		}
	})
}

// realIn returns a connection to a real server that is in the condition.
func realIn(t *testing.T, c keyspace.Condition) *realRedis {
	t.Helper()
	var args []string
	switch c {
	case keyspace.ConditionCluster:
		args = []string{"--cluster-enabled", "yes"}
	case keyspace.ConditionDisk:
		args = []string{"--save", "3600 1"}
	case keyspace.ConditionReadOnly, keyspace.ConditionLoading, keyspace.ConditionMemory:
	}
	server, err := servers.StartRedis(args...)
	if errors.Is(err, servers.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	conn, err := connect(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.close)
	conn.mustFit(t)
	if c == keyspace.ConditionCluster { // it refuses all writes before a slot is bound, and then is down until all slots are
		mustAnswer(t, conn, "+OK", "CLUSTER", "ADDSLOTSRANGE", "0", "16382")
		return conn
	}
	for _, words := range conditionData() {
		mustAnswer(t, conn, "", words...)
	}
	switch c {
	case keyspace.ConditionReadOnly:
		mustAnswer(t, conn, "+OK", "REPLICAOF", "127.0.0.1", "1")
	case keyspace.ConditionLoading:
		load(t, server, conn)
	case keyspace.ConditionMemory:
		mustAnswer(t, conn, "+OK", "CONFIG", "SET", "maxmemory", "1")
	case keyspace.ConditionDisk:
		failSnapshot(t, server, conn)
	case keyspace.ConditionCluster:
	}
	return conn
}

// plainCommands returns all commands of Redis that scripts may call (so they end nothing and wait
// for nothing), except those whose second word is not their first key.
func plainCommands() []string {
	return strings.Fields(`append bitcount bitfield bitfield_ro bitpos copy dbsize decr decrby del dump echo exists expire
		expireat expiretime geoadd geodist geohash geopos georadius georadiusbymember georadiusbymember_ro georadius_ro geosearch
		geosearchstore get getbit getdel getex getrange getset hdel hexists hget hgetall hincrby hincrbyfloat hkeys hlen hmget
		hmset hrandfield hscan hset hsetnx hstrlen hvals incr incrby incrbyfloat info keys lastsave lcs lindex linsert llen
		lmove lpop lpos lpush lpushx lrange lrem lset ltrim mget move mset msetnx persist pexpire pexpireat pexpiretime pfadd
		pfcount pfmerge ping psetex pttl publish randomkey rename renamenx restore rpop rpoplpush rpush rpushx sadd scan scard
		sdiff sdiffstore select set setbit setex setnx setrange sinter sinterstore sismember smembers smismember smove sort
		sort_ro spop spublish srandmember srem sscan strlen substr sunion sunionstore time touch ttl type unlink xack xadd
		xautoclaim xclaim xdel xlen xpending xrange xrevrange xsetid xtrim zadd zcard zcount zincrby zlexcount zpopmax zpopmin
		zrandmember zrange zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore
		zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore`)
}

func mustAnswer(t *testing.T, c *realRedis, want string, words ...string) {
	t.Helper()
	got, err := c.do(words)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(got), want) || got[0] == '-' {
		t.Fatalf("%q answers %q", words, got)
	}
}

// load makes the server load its data slowly.
func load(t *testing.T, s *servers.RedisServer, c *realRedis) {
	t.Helper()
	for i := range 200 {
		mustAnswer(t, c, "+OK", "SET", "fill-"+strconv.Itoa(i), fmt.Sprintf("%01024d", i))
	}
	mustAnswer(t, c, "+OK", "CONFIG", "SET", "loading-process-events-interval-bytes", "1024", "key-load-delay", "10000", "rdbcompression", "no")
	other, err := connect(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.close)
	if _, err := other.conn.Write(encode([]string{"DEBUG", "RELOAD"})); err != nil {
		t.Fatal(err)
	}
	await(t, c, "-LOADING", "GET", "s")
}

// failSnapshot removes the server's folder, so that it cannot write a snapshot.
func failSnapshot(t *testing.T, s *servers.RedisServer, c *realRedis) {
	t.Helper()
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	_, _ = c.do([]string{"BGSAVE"})
	await(t, c, "-MISCONF", "PING")
}

// await repeats a command until it gets the wanted answer.
func await(t *testing.T, c *realRedis, want string, words ...string) {
	t.Helper()
	const attempts = 200
	for range attempts {
		got, err := c.do(words)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(got), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q never answers %s", words, want)
}

const setScript = "return redis.call('SET', KEYS[1], ARGV[1])"

// conditionData returns commands that fill both servers before the condition begins. They load the
// script too.
func conditionData() [][]string {
	return [][]string{
		{"SET", "s", "1"},
		{"HSET", "h", "f", "1"},
		{"RPUSH", "l", "a", "b"},
		{"ZADD", "z", "1", "m"},
		{"SCRIPT", "LOAD", setScript},
	}
}

// conditionCommands returns the commands that both servers get in a condition.
func conditionCommands() [][]string {
	var all [][]string
	one := func(words ...string) { all = append(all, words) }
	for _, line := range []string{
		"PING", "ECHO a", "SELECT 0", "PUBLISH c m", "SCRIPT LOAD return", "SCRIPT EXISTS a", "WAIT 0 0", "GET", "NOSUCH a",
		"GET s", "PTTL s", "EXISTS s", "TTL s", "STRLEN s", "HGET h f", "LRANGE l 0 -1", "ZSCORE z m", "TYPE s",
		"SET s 2 NX PX 100", "SETNX s 2", "SET s 2 XX GET", "INCR s", "GETSET s 1", "APPEND s 1", "PEXPIRE s 100000",
		"PERSIST s", "HSET h g 1", "HDEL h nothing", "ZADD z 2 n", "ZREM z nothing", "RPUSH l c", "LPUSH l c", "LREM l 0 nothing", "SREM set x",
		"RPOPLPUSH nolist nolist", "DEL nothing", "UNLINK nothing", "GETDEL nothing", "SADD set x",
	} {
		one(strings.Fields(line)...)
	}
	script := func(command, text string, more ...string) { one(append([]string{command, text}, more...)...) }
	for _, text := range []string{
		"return redis.call('GET', KEYS[1])",
		"return redis.call('SET', KEYS[1], ARGV[1])",
		"return redis.pcall('SET', KEYS[1], ARGV[1])",
		"redis.call('DEL', KEYS[1]) return redis.call('SET', KEYS[1], ARGV[1])",
		"local r = redis.pcall('SET', KEYS[1], ARGV[1]) if r.err then return 'refused: ' .. r.err end return r",
		"redis.call('GET', KEYS[1]) redis.call('PEXPIRE', KEYS[1], 1000000) return redis.call('INCR', KEYS[1])",
		"return redis.call('PUBLISH', 'c', 'm')",
		"return redis.call('PING')",
		"return 1",
		"#!lua\nreturn redis.call('GET', KEYS[1])",
		"#!lua\nreturn 1",
		"#!lua flags=no-writes\nreturn redis.call('GET', KEYS[1])",
		"#!lua flags=allow-oom\nreturn redis.call('SET', KEYS[1], ARGV[1])",
		"#!lua flags=no-writes,allow-oom\nreturn redis.call('GET', KEYS[1])",
	} {
		script("EVAL", text, "1", "s", "7")
		script("EVAL_RO", text, "1", "s", "7")
	}
	script("EVAL", "return 1", "0")
	script("EVAL", "return redis.call('PING')", "0")
	script("EVAL", "return redis.call('GET', 's')", "0")
	script("EVAL", "return redis.pcall('SET', 's', '1')", "0")
	script("EVALSHA", fmt.Sprintf("%x", sha1.Sum([]byte(setScript))), "1", "s", "7")
	for _, lines := range [][]string{
		{"MULTI", "GET s", "EXEC"},
		{"MULTI", "SET s 1", "EXEC"},
		{"MULTI", "PING", "EXEC"},
		{"MULTI", "DEL nothing", "GET s", "EXEC"},
		{"MULTI", "GET s", "DISCARD"},
		{"MULTI", "EXEC"},
		{"MULTI", "SELECT 0", "EXEC"},
		{"MULTI", "PUBLISH c m", "EXEC"},
	} {
		for _, line := range lines {
			one(strings.Fields(line)...)
		}
	}
	return all
}
