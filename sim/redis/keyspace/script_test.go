package keyspace

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/redis/resp"
)

// A feature that is not simulated is named, and is not reported as an error of the script.
func TestAFeatureThatScriptsLackIsNamed(t *testing.T) {
	for script, want := range map[string]string{
		"return struct.pack('>I2', 1)":                     "STRUCT IN A SCRIPT",
		"return cmsgpack.pack(1)":                          "CMSGPACK IN A SCRIPT",
		"return loadstring('return 1')()":                  "LOADSTRING IN A SCRIPT",
		"coroutine.yield()":                                "COROUTINE IN A SCRIPT",
		"redis.setresp(3)":                                 "REDIS.SETRESP(3)",
		"return redis.acl_check_cmd('GET')":                "REDIS.ACL_CHECK_CMD",
		"pcall(redis.call, 'OBJECT', 'ENCODING', 'k')":     "OBJECT",
		"return redis.call('SELECT', 1)":                   "SELECT 1",
		"while true do end":                                "A SCRIPT OF MORE THAN 10000000 INSTRUCTIONS",
		"return nonsense":                                  "",
		"return redis.call('NONSENSE')":                    "",
		"local function f() return 1 + f() end return f()": "",
	} {
		k := newKeyspace(t)
		if r := k.Run(k.store.now, []string{"EVAL", script, "0"}); r.Kind != resp.Error && want != "COROUTINE IN A SCRIPT" && !strings.HasPrefix(want, "REDIS.") && want != "OBJECT" {
			t.Errorf("%s answers %s", script, r.AppendTrace(nil))
		}
		if k.Missing() != want {
			t.Errorf("%s lacks %q, want %q", script, k.Missing(), want)
		}
	}
}

// A script cannot change the environment of the next one.
func TestScriptsCannotReachEachOther(t *testing.T) {
	k := newKeyspace(t)
	now := time.UnixMilli(1_000_000)
	attempts := []string{
		`x = 1`, `_G.x = 1`, `rawset(_G, 'x', 1)`, `string.len = nil`, `rawset(string, 'len', 1)`,
		`setmetatable(_G, {})`, `redis.call = nil`, `getmetatable('').__index = nil`, `string.__index.len = 1`,
		`math.randomseed(7); KEYS = nil`,
	}
	for _, script := range attempts {
		if r := k.Run(now, []string{"EVAL", script, "0"}); r.Kind != resp.Error {
			t.Errorf("%s is allowed and answers %s", script, r.AppendTrace(nil))
		}
	}
	probe := []string{"EVAL", `return {('abc'):len(), #KEYS, type(redis.call)}`, "1", "k"}
	first := k.Run(now, probe)
	second := k.Run(now, probe)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same script answers differently the second time:\n%s", diff)
	}
	if got := first.Elems[:3]; !slices.EqualFunc(got, []resp.Reply{
		{Kind: resp.Integer, Int: 3}, {Kind: resp.Integer, Int: 1}, {Kind: resp.Bulk, Text: "function"},
	}, func(a, b resp.Reply) bool { return cmp.Equal(a, b) }) {
		t.Errorf("the surroundings are %v", got)
	}
}

// A keyspace that reuses the Lua state of a closed one answers like one with a new state: the
// scripts, keys and random numbers of the first are gone.
func TestAReusedLuaStateHasNoTraceOfItsFirstKeyspace(t *testing.T) {
	cache := NewScriptCache()
	begin := func(scripts *ScriptCache) *Keyspace {
		k, err := New(scripts, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	answer := func(k *Keyspace, words ...string) string {
		reply := k.Run(time.UnixMilli(1_000_000), words)
		return string(reply.AppendTrace(nil))
	}
	eval := func(k *Keyspace, script string) string { return answer(k, "eval", script, "1", "k", "v") }

	probes := []string{
		`return redis.call("GET", KEYS[1])`,
		`return {KEYS[1], KEYS.extra or "none", #ARGV, ARGV[2] or "none"}`,
		`return {math.random(1000), math.random(1000)}`,
		`return tostring(("x").planted)`,
		`return pcall(function() return planted end) and 1 or 0`,
		`return {redis.call("SET", KEYS[1], ARGV[1], "NX"), redis.call("DEL", KEYS[1])}`,
		`local t = {} for k in pairs(string) do t[#t+1] = k end return #t`,
	}
	first := begin(cache)
	used := first.scripts
	for _, script := range append(probes,
		`KEYS.extra = "left" ARGV[2] = "left" return 1`,
		`setmetatable(KEYS, {__index = function() return "left" end}) return 1`,
		`math.randomseed(7) return math.random(1000)`,
		`planted = 1`,
		`string.planted = 1`,
		`getmetatable("").planted = 1`,
		`rawset(_G, "planted", 1)`,
		`rawset(string, "planted", 1)`,
		`local function f() return f() + 1 end return f()`,
		`while true do end`,
		`return redis.call("SET", KEYS[1], "left")`,
	) {
		eval(first, script)
	}
	sandbox, sha := used.sandbox, answer(first, "script", "load", probes[0])
	first.Close()

	second, fresh := begin(cache), begin(NewScriptCache())
	if got := answer(second, "script", "exists", sha); got != "[0]" {
		t.Errorf("the second keyspace knows a script of the first: %s", got)
	}
	for _, script := range probes {
		if got, want := eval(second, script), eval(fresh, script); got != want {
			t.Errorf("%s\nanswers %s, and %s on a state of its own", script, got, want)
		}
	}
	if second.scripts.sandbox != sandbox {
		t.Error("the second keyspace did not take over the state of the first")
	}
}

// Whatever a script does to KEYS and ARGV, the next one finds exactly its own there.
func TestEachScriptGetsItsOwnKEYSAndARGV(t *testing.T) {
	k := newKeyspace(t)
	eval := func(script string, words ...string) string {
		reply := k.Run(time.UnixMilli(1_000_000), append([]string{"eval", script}, words...))
		return string(reply.AppendTrace(nil))
	}
	const dump = `
local all = {#KEYS, #ARGV}
for _, t in ipairs({KEYS, ARGV}) do
  for k, v in pairs(t) do all[#all + 1] = k .. "=" .. v end
  all[#all + 1] = tostring(t.missing)
end
return all`
	for _, spoil := range []string{
		`return 1`,
		`KEYS[1] = nil ARGV[2] = nil return 1`,
		`KEYS[1] = "left" ARGV[2] = "left" return 1`,
		`KEYS[2] = "left" ARGV[4] = "left" return 1`,
		`KEYS[0] = "left" ARGV[-1] = "left" return 1`,
		`KEYS[0.5] = "left" ARGV[true] = "left" return 1`,
		`KEYS.left = 1 ARGV.left = 1 return 1`,
		`KEYS.left = 1 table.remove(KEYS) ARGV.left = 1 table.remove(ARGV) return 1`,
		`table.insert(KEYS, "left") table.insert(ARGV, 1, "left") return 1`,
		`for _, t in ipairs({KEYS, ARGV}) do setmetatable(t, {__index = function() return "left" end}) end return 1`,
		`KEYS.left = 1 error("left")`,
	} {
		eval(spoil, "1", "k", "v", "w")
		for _, test := range []struct {
			words []string
			want  string
		}{
			{[]string{"1", "k", "v", "w"}, `[1 2 1=k nil 1=v 2=w nil]`},
			{[]string{"1", "other", "v", "x"}, `[1 2 1=other nil 1=v 2=x nil]`},
			{[]string{"0"}, `[0 0 nil nil]`},
			{[]string{"2", "k", "l"}, `[2 0 1=k 2=l nil nil]`},
		} {
			if got := eval(dump, test.words...); got != test.want {
				t.Errorf("after %s\n%q is seen as %s, want %s", spoil, test.words, got, test.want)
			}
			eval(spoil, test.words...)
		}
	}
}
