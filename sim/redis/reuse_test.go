package redis

import (
	"testing"

	"lockquake/sim"
)

// A server that takes over the Lua state of a closed one answers as one with a
// state of its own: the scripts, the keys and the random numbers of the first
// are gone.
func TestClosedServerLeavesNoTrace(t *testing.T) {
	cache := NewScriptCache()
	server := func(scripts *ScriptCache) *Server {
		s, err := New(sim.New(sim.Config{}).AddNode("lock", sim.NodeConfig{}), Options{Scripts: scripts})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	answer := func(s *Server, words ...string) string {
		reply := s.engine.run(s.now(), words)
		return string(reply.AppendTrace(nil))
	}
	eval := func(s *Server, script string) string { return answer(s, "eval", script, "1", "k", "v") }

	probes := []string{
		`return redis.call("GET", KEYS[1])`,
		`return {KEYS[1], KEYS.extra or "none", #ARGV, ARGV[2] or "none"}`,
		`return {math.random(1000), math.random(1000)}`,
		`return tostring(("x").planted)`,
		`return pcall(function() return planted end) and 1 or 0`,
		`return {redis.call("SET", KEYS[1], ARGV[1], "NX"), redis.call("DEL", KEYS[1])}`,
		`local t = {} for k in pairs(string) do t[#t+1] = k end return #t`,
	}
	first := server(cache)
	used := first.engine.scripts
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

	second, fresh := server(cache), server(nil)
	if got := answer(second, "script", "exists", sha); got != "[0]" {
		t.Errorf("the second server knows a script of the first: %s", got)
	}
	for _, script := range probes {
		if got, want := eval(second, script), eval(fresh, script); got != want {
			t.Errorf("%s\nanswers %s, and %s on a state of its own", script, got, want)
		}
	}
	if second.engine.scripts.sandbox != sandbox {
		t.Error("the second server did not take over the state of the first")
	}
}

// Whatever a script does to KEYS and ARGV, the next one finds there what it is
// given and nothing else.
func TestScriptsAreGivenTheirOwnWords(t *testing.T) {
	s, err := New(sim.New(sim.Config{}).AddNode("lock", sim.NodeConfig{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	eval := func(script string, words ...string) string {
		reply := s.engine.run(s.now(), append([]string{"eval", script}, words...))
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
