package lua

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/redis/resp"
)

// opened is a State whose commands are answered from a table, and the first feature that its scripts
// lacked.
type opened struct {
	*State
	missing string
}

// open opens a state. Replies has the answers to commands, each written with spaces.
func open(c *Cache, replies map[string]resp.Reply) *opened {
	o := &opened{}
	o.State = c.Open(func(words []string) resp.Reply {
		if reply, ok := replies[strings.Join(words, " ")]; ok {
			return reply
		}
		return resp.Errorf("ERR no reply to %v", words)
	}, func(what string) resp.Reply {
		if o.missing == "" {
			o.missing = what
		}
		return resp.Errorf("ERR %s", what)
	})
	return o
}

func keys(names ...string) []string { return names }

// eval compiles and runs a script.
func (o *opened) eval(t *testing.T, script string, keys []string, argv ...string) resp.Reply {
	t.Helper()
	sum := sha1.Sum([]byte(script))
	sha := hex.EncodeToString(sum[:])
	f, err := o.Compile(sha, script)
	if err != nil {
		t.Fatal(err)
	}
	return o.Run(f, sha, keys, argv)
}

// trace does the same and returns the answer in one line.
func (o *opened) trace(t *testing.T, script string, keys []string, argv ...string) string {
	t.Helper()
	reply := o.eval(t, script, keys, argv...)
	return string(reply.AppendTrace(nil))
}

// The result of a script, and the replies that it gets, are converted like in Redis.
func TestValuesAreConvertedLikeRedis(t *testing.T) {
	s := open(NewCache(), map[string]resp.Reply{
		"SET k v":     resp.OK(),
		"GET missing": {Kind: resp.Nil},
		"GET k":       {Kind: resp.Bulk, Text: "v"},
		"INCR n":      {Kind: resp.Integer, Int: 1},
		"INCR k":      resp.Errorf("ERR value is not an integer or out of range"),
		"MGET k l":    {Kind: resp.Array, Elems: []resp.Reply{{Kind: resp.Bulk, Text: "v"}, {Kind: resp.Nil}}},
	})
	for _, test := range []struct{ script, want string }{
		{`return 1`, "1"},
		{`return 3.99`, "3"},
		{`return -3.99`, "-3"},
		{`return 'x'`, "x"},
		{`return true`, "1"},
		{`return false`, "nil"},
		{`return nil`, "nil"},
		{`return {1, 'a', {2}, nil, 5}`, "[1 a [2]]"},
		{`return {ok='FINE'}`, "+FINE"},
		{`return {err='MY error'}`, `-"MY error"`},
		{`return redis.error_reply('MY error')`, `-"MY error"`},
		{`return redis.status_reply('FINE')`, "+FINE"},
		{`return redis.call('SET', 'k', 'v')`, "+OK"},
		{`return redis.call('SET', 'k', 'v').ok`, "OK"},
		{`return redis.call('SET', 'k', 'v') == 'OK'`, "nil"}, // it is a table
		{`return redis.call('GET', 'missing') == false`, "1"},
		{`return redis.call('INCR', 'n') + 1`, "2"},
		{`return redis.call('MGET', 'k', 'l')`, "[v nil]"},
		{`return KEYS[1] .. ARGV[1]`, "keyarg"},
		{`return redis.pcall('INCR', 'k').err ~= nil`, "1"},
		{`return redis.sha1hex('')`, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{`local t = {} for i = 1, 3 do t[i] = i end return #t`, "3"},
	} {
		if got := s.trace(t, test.script, keys("key"), "arg"); got != test.want {
			t.Errorf("%s\nanswers %s, want %s", test.script, got, test.want)
		}
	}
	for _, test := range []struct{ script, want string }{
		{`leak = 1`, "readonly table"},
		{`return undefined`, "global"},
		{`return redis.call('INCR', 'k')`, "not an integer"},
		{`while true do end`, "ERR"},
	} {
		if r := s.eval(t, test.script, nil); r.Kind != resp.Error || !strings.Contains(r.Text, test.want) {
			t.Errorf("%s\nanswers %s, want an error with %q", test.script, r.AppendTrace(nil), test.want)
		}
	}
}

// A script that is not Lua 5.1 does not compile. The error has one line.
func TestAScriptThatIsNotLuaIsRefused(t *testing.T) {
	s := open(NewCache(), nil)
	for _, script := range []string{"return (", "goto done", "::done::\nreturn 1"} {
		if _, err := s.Compile("", script); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q compiles with the error %v", script, err)
		}
	}
}

// A feature that is not simulated is named, and is not reported as an error of the script.
func TestAFeatureThatScriptsLackIsNamed(t *testing.T) {
	for script, want := range map[string]string{
		"return struct.pack('>I2', 1)":                     "struct in a script",
		"return cmsgpack.pack(1)":                          "cmsgpack in a script",
		"return loadstring('return 1')()":                  "loadstring in a script",
		"coroutine.yield()":                                "coroutine in a script",
		"redis.setresp(3)":                                 "redis.setresp(3)",
		"return redis.acl_check_cmd('GET')":                "redis.acl_check_cmd",
		"while true do end":                                "a script of more than 10000000 instructions",
		"return nonsense":                                  "",
		"local function f() return 1 + f() end return f()": "",
	} {
		s := open(NewCache(), nil)
		if r := s.eval(t, script, nil); r.Kind != resp.Error && !strings.HasPrefix(want, "redis.") {
			t.Errorf("%s answers %s", script, r.AppendTrace(nil))
		}
		if s.missing != want {
			t.Errorf("%s lacks %q, want %q", script, s.missing, want)
		}
	}
}

// A script cannot change the environment of the next one.
func TestScriptsCannotReachEachOther(t *testing.T) {
	s := open(NewCache(), nil)
	for _, script := range []string{
		`x = 1`, `_G.x = 1`, `rawset(_G, 'x', 1)`, `string.len = nil`, `rawset(string, 'len', 1)`,
		`setmetatable(_G, {})`, `redis.call = nil`, `getmetatable('').__index = nil`, `string.__index.len = 1`,
		`math.randomseed(7); KEYS = nil`,
	} {
		if r := s.eval(t, script, nil); r.Kind != resp.Error {
			t.Errorf("%s is allowed and answers %s", script, r.AppendTrace(nil))
		}
	}
	probe := `return {('abc'):len(), #KEYS, type(redis.call)}`
	first, second := s.trace(t, probe, keys("k")), s.trace(t, probe, keys("k"))
	if want := "[3 1 function]"; first != want || second != want {
		t.Errorf("the same script answers %s and %s, want %s", first, second, want)
	}
}

// A state that was closed and is opened again answers like a new one: the values, globals and random
// numbers of its first scripts are gone.
func TestAReusedStateHasNoTraceOfItsFirstServer(t *testing.T) {
	cache := NewCache()
	probes := []string{
		`return {KEYS[1], KEYS.extra or "none", #ARGV, ARGV[2] or "none"}`,
		`return {math.random(1000), math.random(1000)}`,
		`return tostring(("x").planted)`,
		`return pcall(function() return planted end) and 1 or 0`,
		`local t = {} for k in pairs(string) do t[#t+1] = k end return #t`,
	}
	first := open(cache, nil)
	for _, script := range slices.Concat(probes, []string{
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
	}) {
		first.eval(t, script, keys("k"), "v")
	}
	state := first.State
	first.Close()

	second, fresh := open(cache, nil), open(NewCache(), nil)
	if second.State != state {
		t.Error("the closed state is not opened again")
	}
	for _, script := range probes {
		if diff := cmp.Diff(fresh.eval(t, script, keys("k"), "v"), second.eval(t, script, keys("k"), "v")); diff != "" {
			t.Errorf("%s (-new state +reused state):\n%s", script, diff)
		}
	}
}

// Scripts get redis, KEYS and ARGV as arguments. They cannot tell them from globals, and can no more
// assign to them.
func TestArgumentsAreLikeGlobals(t *testing.T) {
	const readOnly = "Attempt to modify a readonly table"
	many := strings.Repeat("local x = 1 ", 198)
	for _, test := range []struct{ script, want string }{
		{`return {KEYS[1], ARGV[1], type(redis.call)}`, "[k v function]"},
		{`return {_G.KEYS == KEYS, _G.ARGV == ARGV, _G.redis == redis, rawget(_G, "KEYS") == nil}`, "[1 1 1 1]"},
		{`return (function() return ARGV[1] end)()`, "v"},
		{`local KEYS = {"mine"} return KEYS[1]`, "mine"},
		{`local function f(redis) return redis end return f("mine")`, "mine"},
		{`for KEYS = 1, 2 do local x = KEYS end return KEYS[1]`, "k"},
		{`return select("#", ...)`, "0"},
		{many + `return KEYS[1]`, "k"}, // with the arguments there would be too many locals
		{`KEYS = {} return 1`, readOnly},
		{`local x x, ARGV = 1, 2 return 1`, readOnly},
		{`(function() redis = nil end)() return 1`, readOnly},
		{`function KEYS() end return 1`, readOnly},
		{`function redis.call() end return 1`, readOnly},
	} {
		got := open(NewCache(), nil).trace(t, test.script, keys("k"), "v")
		if test.want == readOnly && strings.Contains(got, readOnly) {
			continue
		}
		if got != test.want {
			t.Errorf("%s answers %s, want %s", test.script, got, test.want)
		}
	}
}

// A restart starts the random numbers again.
func TestARestartStartsTheRandomNumbersAgain(t *testing.T) {
	const script = `return {math.random(1000), math.random(1000)}`
	s := open(NewCache(), nil)
	first, next := s.trace(t, script, nil), s.trace(t, script, nil)
	s.Restart()
	if again := s.trace(t, script, nil); again != first || next == first {
		t.Errorf("the numbers are %s, then %s, and %s after a restart", first, next, again)
	}
}

// Whatever a script does to KEYS and ARGV, the next one finds exactly its own there.
func TestEachScriptGetsItsOwnKEYSAndARGV(t *testing.T) {
	s := open(NewCache(), nil)
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
		s.eval(t, spoil, keys("k"), "v", "w")
		for _, test := range []struct {
			keys, argv []string
			want       string
		}{
			{keys("k"), []string{"v", "w"}, `[1 2 1=k nil 1=v 2=w nil]`},
			{keys("other"), []string{"v", "x"}, `[1 2 1=other nil 1=v 2=x nil]`},
			{nil, nil, `[0 0 nil nil]`},
			{keys("k", "l"), nil, `[2 0 1=k 2=l nil nil]`},
		} {
			if got := s.trace(t, dump, test.keys, test.argv...); got != test.want {
				t.Errorf("after %s\n%q and %q are seen as %s, want %s", spoil, test.keys, test.argv, got, test.want)
			}
			s.eval(t, spoil, test.keys, test.argv...)
		}
	}
}
