package keyspace

import (
	"strings"
	"testing"
	"time"

	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// The commands that a script calls answer like in Redis.
func TestCallsOfScriptsAnswerLikeRedis(t *testing.T) {
	k := newKeyspace(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct{ script, want string }{
		{`return redis.call('SET', 'k', 'v')`, "+OK"},
		{`return redis.call('SET', 'k', 'v').ok`, "OK"},
		{`return redis.call('GET', 'missing') == false`, "1"},
		{`return redis.call('INCR', 'n') + 1`, "2"},
		{`return redis.pcall('INCR', 'k').err ~= nil`, "1"},
	} {
		r := k.Run(now, []string{"EVAL", test.script, "1", "key", "arg"})
		if got := string(r.AppendTrace(nil)); got != test.want {
			t.Errorf("%s\nanswers %s, want %s", test.script, got, test.want)
		}
	}
	for _, test := range []struct{ script, want string }{
		{`return redis.call('INCR', 'k')`, "not an integer"},
		{`return redis.call('LPUSH', 'k', '1')`, "WRONGTYPE"},
		{`return (`, "ERR Error compiling script"},
	} {
		r := k.Run(now, []string{"EVAL", test.script, "0"})
		if r.Kind != resp.Error || !strings.Contains(r.Text, test.want) {
			t.Errorf("%s\nanswers %s, want an error with %q", test.script, r.AppendTrace(nil), test.want)
		}
	}
}

// What a script needs and is not simulated is named, even if the script catches the error.
func TestWhatAScriptLacksIsNamed(t *testing.T) {
	for script, want := range map[string]string{
		"return struct.pack('>I2', 1)":                 "STRUCT IN A SCRIPT",
		"pcall(redis.call, 'OBJECT', 'ENCODING', 'k')": "OBJECT",
		"return redis.call('SELECT', 1)":               "SELECT 1",
		"return redis.call('NONSENSE')":                "",
	} {
		k := newKeyspace(t)
		k.Run(k.store.now, []string{"EVAL", script, "0"})
		if k.Missing() != want {
			t.Errorf("%s lacks %q, want %q", script, k.Missing(), want)
		}
	}
}

// A keyspace that reuses the Lua state of a closed one has neither its scripts nor its keys.
func TestAReusedLuaStateHasNoTraceOfItsFirstKeyspace(t *testing.T) {
	cache := lua.NewCache()
	begin := func() *Keyspace {
		k, err := New(cache, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	answer := func(k *Keyspace, words ...string) string {
		reply := k.Run(time.UnixMilli(1_000_000), words)
		return string(reply.AppendTrace(nil))
	}
	const get = `return redis.call("GET", KEYS[1])`
	first := begin()
	sha := answer(first, "script", "load", get)
	answer(first, "eval", `return redis.call("SET", KEYS[1], "left")`, "1", "k")
	if got := answer(first, "evalsha", sha, "1", "k"); got != "left" {
		t.Fatalf("the first keyspace answers %s", got)
	}
	state := first.scripts.state
	first.Close()

	second := begin()
	if got := answer(second, "script", "exists", sha); got != "[0]" {
		t.Errorf("the second keyspace knows a script of the first: %s", got)
	}
	if got := answer(second, "eval", get, "1", "k"); got != "nil" {
		t.Errorf("the second keyspace has a key of the first: %s", got)
	}
	if second.scripts.state != state {
		t.Error("the second keyspace did not take over the state of the first")
	}
}
