package redis

import (
	_ "embed"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockquake/sim/redis/lua"
)

// luaScripts are scripts that each look at one thing in which a Lua can differ
// from Lua 5.1, separated by lines with an equals sign.
//
//go:embed testdata/scripts.txt
var luaScripts string

// Scripts behave as in Redis's Lua 5.1: conversions of arguments, loops, formats, patterns, tables,
// errors.
func TestConformanceOfScripts(t *testing.T) {
	p := &pair{real: dialReal(t), cache: lua.NewCache(), met: newCoverage()}
	for script := range strings.SplitSeq(strings.TrimSpace(luaScripts), "\n=\n") {
		x, err := p.differ(sequence{{"EVAL", script, "1", "k", "5", "x", ""}})
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		if x != nil {
			t.Error(x.String())
		}
	}
}

// libraryCall returns a call of a function of Lua's libraries, with arguments of
// types that it may have to convert.
func libraryCall(r *rand.Rand) string {
	texts := []string{"'abc'", "'5'", "ARGV[1]", "KEYS[1]", "7", "'a,b,c'", "1/3", "2^53", "''"}
	numbers := []string{"1", "2", "-1", "'2'", "' 3 '", "'x'", "1.7", "0", "100", "'0x10'", "nil"}
	anything := slices.Concat(texts, numbers, []string{"{}", "{1, 2, 'x'}", "true"})
	one := func(from []string) string { return from[r.IntN(len(from))] }
	function := one([]string{
		"string.sub(T, N)", "string.sub(T, N, N)", "string.rep(T, N)", "string.byte(T, N)", "string.char(N)", "string.find(T, T)",
		"string.find(T, T, N)", "string.len(T)", "string.upper(T)", "string.reverse(T)", "string.gsub(T, T, T)", "string.gsub(T, '%w', T, N)",
		"string.format('%d', N)", "string.format('%s', T)", "string.format('%5.1f|%g|%x', N, N, N)", "string.format('%q', T)", "string.format('%-8s|', T)",
		"table.concat({1, 2.5, T, N}, T)", "table.concat({T, T}, ',', N)", "unpack({1, 2, T}, N)", "select(N, T, N)", "tonumber(A)", "tonumber(T, N)",
		"tostring(N)", "type(A)", "math.floor(N)", "math.max(N, N)", "math.min(N, T)", "math.abs(N)", "math.fmod(N, N)", "bit.band(N, 255)",
		"bit.lshift(N, 2)", "#A", "N + N", "N * T", "N % 3", "-N", "N .. T", "N == T", "N < N", "T < T", "T <= N", "not A", "A and N or T", "redis.sha1hex(T)",
		"cjson.encode(A)", "cjson.encode({A, A})", "(function(...) return select('#', ...) end)(N, T)", "(function() for i = 1, N do return i end end)()",
		"(function() local n = 0 for i = N, N, N do n = n + 1 if n > 20 then return n end end return n end)()",
		"(function() local t = {1, 2, 3} table.insert(t, N, T) return t end)()", "(function() local t = {1, 2, 3} return table.remove(t, N) end)()",
	})
	var b strings.Builder
	for c := range strings.SplitSeq(function, "") {
		switch c {
		case "T":
			c = one(texts)
		case "N":
			c = one(numbers)
		case "A":
			c = one(anything)
		}
		b.WriteString(c)
	}
	return b.String()
}
