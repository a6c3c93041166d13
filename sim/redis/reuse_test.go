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
