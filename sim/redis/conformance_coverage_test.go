package redis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"lockquake/sim/redis/keyspace"
)

// coverage counts how often sequences have covered each case.
type coverage struct {
	commands, errors, edges map[string]int
}

// newCoverage returns a coverage with all cases, at 0.
func newCoverage() *coverage {
	c := &coverage{commands: map[string]int{}, errors: map[string]int{}, edges: map[string]int{}}
	for _, template := range templates() {
		c.commands[strings.Fields(template)[0]] = 0
	}
	for _, name := range []string{"MULTI", "EVAL", "EVALSHA", "EVAL_RO", "SCRIPT LOAD", "SCRIPT EXISTS", "SCRIPT FLUSH", knownScript} {
		c.commands[name] = 0
	}
	for _, words := range errorClasses() {
		c.errors[words] = 0
	}
	for _, edge := range []string{edgeLast, edgeNext, edgeLater, edgeZero, edgePast, edgeNow, edgeNever, edgeFar} {
		c.edges[edge] = 0
	}
	return c
}

// knownScript is an EVALSHA that does what it is meant to do.
const knownScript = "EVALSHA of a known script"

// errorClasses returns the errors to cover, by words in them.
func errorClasses() []string {
	return []string{
		"WRONGTYPE", "NOSCRIPT", "EXECABORT", "syntax error", "value is not an integer", "wrong number of arguments",
		"invalid expire time", "unknown command", "increment or decrement would overflow", "decrement would overflow",
		"hash value is not an integer", "no such key", "value is not a valid float", "min or max is not a float",
		"not compatible", "Unsupported option", "must be positive", "offset is out of range", "index out of range",
		"would produce NaN or Infinity", "MULTI calls can not be nested", "EXEC without MULTI",
		"DISCARD without MULTI", "Error compiling script", "Wrong number of args calling", "Unknown Redis command called from script",
		"nonexistent global", "readonly table", "not allowed from script", "from read-only scripts", "must be strings or integers",
		", on @user_script:1", ", on @user_script:2", "boom", "MY reply", "unknown subcommand", "only support SYNC",
		"Number of keys can't be negative", "can't be greater", "(Lua's words)",
	}
}

// The edge cases of expiry to cover.
const (
	edgeLast  = "a command names a key in the last millisecond of its life"
	edgeNext  = "a command names a key in the first millisecond after its life"
	edgeLater = "a command names a key later than that"
	edgeZero  = "PTTL answers 0"
	edgePast  = "a deadline in the past takes a key away"
	edgeNow   = "a deadline of this very millisecond takes a key away"
	edgeNever = "a key loses its deadline"
	edgeFar   = "a deadline beyond the reach of a duration"
)

// before records the state of the keys that a command will name.
func (c *coverage) before(k *keyspace.Keyspace, now time.Time, words []string) {
	for _, word := range words[1:] {
		deadline := k.Deadline(word)
		if deadline == 0 {
			continue
		}
		switch left := deadline - now.UnixMilli(); {
		case left == 0:
			c.edges[edgeLast]++
		case left == -1:
			c.edges[edgeNext]++
		case left < 0:
			c.edges[edgeLater]++
		case left > 1<<53:
			c.edges[edgeFar]++
		}
	}
}

// after records the replies.
func (c *coverage) after(x *exchange) {
	name := strings.ToUpper(x.words[0])
	if name == "SCRIPT" && len(x.words) > 1 {
		name += " " + strings.ToUpper(x.words[1])
	}
	if _, known := c.commands[name]; known {
		c.commands[name]++
	}
	said := string(x.sim)
	if name == "EVALSHA" && said[0] != '-' {
		c.commands[knownScript]++
	}
	if strings.HasPrefix(said, "-") {
		for _, class := range errorClasses() {
			if strings.Contains(said, class) {
				c.errors[class]++
			}
		}
	}
	switch {
	case name == "PTTL" && said == ":0\r\n":
		c.edges[edgeZero]++
	case (name == "EXPIREAT" || name == "PEXPIREAT") && len(x.words) > 2 && x.words[2] == "1" && said == ":1\r\n":
		c.edges[edgePast]++
	case name == "PERSIST" && said == ":1\r\n":
		c.edges[edgeNever]++
	case len(x.words) > 4 && x.words[0] == "EVAL" && x.words[1] == lockScripts()["deadline"] && x.words[4] == "0" && strings.HasPrefix(said, "*4\r\n:1\r\n:0\r\n"):
		c.edges[edgeNow]++
	}
}

// table returns how often each case was covered.
func (c *coverage) table() string { return tableOf(c.parts()) }

// check fails the test for each case that was never covered.
func (c *coverage) check(t *testing.T) {
	t.Helper()
	checkAll(t, c.parts())
}

type coveragePart struct {
	title string
	met   map[string]int
}

func (c *coverage) parts() []coveragePart {
	return []coveragePart{{"command", c.commands}, {"error", c.errors}, {"edge of expiry", c.edges}}
}

func tableOf(parts []coveragePart) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, part := range parts {
		_, _ = fmt.Fprintf(w, "\n%s\tmet\n", part.title)
		for _, name := range sortedKeys(part.met) {
			_, _ = fmt.Fprintf(w, "%s\t%d\n", name, part.met[name])
		}
	}
	_ = w.Flush()
	return b.String()
}

func sortedKeys(m map[string]int) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func checkAll(t *testing.T, parts []coveragePart) {
	t.Helper()
	for _, part := range parts {
		for _, name := range sortedKeys(part.met) {
			if part.met[name] == 0 {
				t.Errorf("%s never met: %s", part.title, name)
			}
		}
	}
}
