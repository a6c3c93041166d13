package redis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/servers"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// connStep is a step of one connection: commands that are sent together, a pause in milliseconds,
// or the end of the connection.
type connStep struct {
	who      string // "pause": commands[0][0] is how long
	commands [][]string
}

func (s connStep) String() string {
	var all []string
	for _, words := range s.commands {
		all = append(all, string(line(words)))
	}
	return s.who + " " + strings.Join(all, "; ")
}

// connNames are the connections of these sequences.
func connNames() []string { return []string{"a", "b", "c", "d"} }

// handWrittenConns returns sequences of several connections that each test one thing.
func handWrittenConns() map[string]string {
	return map[string]string{
		"blocked in order": `
a BLPOP l 0
b BLPOP l 0
c BRPOP l m 0
d RPUSH l 1
d RPUSH l 2 3 4
d LRANGE l 0 -1
a BLPOP l 0
a BLPOP m l 0
d LPUSH m x
`,
		"blocked on many keys": `
a BLPOP x y 0
b BLPOP y x 0
d MULTI; RPUSH y 1; RPUSH x 2; EXEC
a BLPOP x y 0
d EVAL <<redis.call('EXISTS', 'x') redis.call('RPUSH', 'y', 'first') redis.call('RPUSH', 'x', 'second') return 1>> 0
d LRANGE x 0 -1
c BLPOP x x 0
`,
		"gone before anybody is served": `
a BLPOP l 0
d MULTI; RPUSH l 1; DEL l; EXEC
d EVAL <<redis.call('RPUSH', 'l', 1) return redis.call('DEL', 'l')>> 0
d EVAL <<redis.call('DEL', 'l') redis.call('LPUSH', 'l', 1) redis.call('DEL', 'lock') return 1>> 0
`,
		"moves": `
a BLMOVE l m LEFT RIGHT 0
b BLPOP m 0
d RPUSH l 1
a BRPOPLPUSH l l 0
d RPUSH l 1
d LRANGE l 0 -1
a BLMOVE none s LEFT RIGHT 0
d SET s text
d RPUSH none 1
d LRANGE none 0 -1
a BLMOVE none s LEFT RIGHT 0
a BLMOVE none s LEFT UP 0
a BLMOVE none s LEFT RIGHT x
`,
		"sorted sets": `
a BZPOPMIN z 0
b BZPOPMAX z y 0
c BZMPOP 0 2 y z MAX COUNT 2
d ZADD z 1 a 2 b 3 c 4 d 5.5 e
d ZRANGE z 0 -1 WITHSCORES
a BZPOPMIN z 0
a BLPOP z 0
a BLMPOP 0 1 z LEFT
a BLMPOP 0 2 l m RIGHT COUNT 2
d RPUSH m 1 2 3
a BLMPOP 0 0 l LEFT
a BLMPOP 0 x l LEFT
a BLMPOP 0 2 l LEFT
a BLMPOP 0 1 l UP
a BLMPOP 0 1 l LEFT COUNT 0
a BLMPOP 0 1 l LEFT COUNT x
a BLMPOP 0 1 l LEFT COUNT
a BLMPOP 0 1 l LEFT COUNTS 1
a BLMPOP x 1 l LEFT
a BZMPOP 0 1 z MIN COUNT 9
a BZMPOP 0 1 z LEFT
`,
		"timeouts": `
a BLPOP l 0.1
b BLMOVE l m LEFT RIGHT 0.1
c BZMPOP 0.1 1 z MIN
pause 400
d RPUSH l 1
d ZADD z 1 a
a BLPOP m -1
a BLPOP m x
a BLPOP m 1e30
a BLPOP m inf
a BLPOP m nan
a BLPOP m 99999999999999999
a BLPOP m 1e999
a BLPOP m ""
a BLPOP m -0.0001
b BLPOP m 1_0
b BLPOP m 0x10
c BLPOP m 0x1p3
`,
		"wrong types": `
a SET s text
a BLPOP s 0
a BLPOP none s 0
a RPUSH l 1
a BLPOP none l s 0
a BZPOPMIN l 0
a BLPOP
a BLPOP l
a BLMOVE l m LEFT RIGHT
a BLPOP empty 0
d SET empty text
d ZADD other 1 x
d DEL empty
d RPUSH empty 1
`,
		"not in a transaction": `
a MULTI; BLPOP l 0; BLMOVE l m LEFT LEFT 0; BZPOPMIN z 0; BLMPOP 0 1 l LEFT; EXEC
a RPUSH l 1 2
a MULTI; BLPOP l 0; BRPOP l 0; BLPOP l x; EXEC
a EVAL <<return redis.pcall('BLPOP', 'l', 0).err>> 0
a RPUSH l 1; BLPOP l 0; BLPOP l 0; GET k
d RPUSH l 5
a MULTI
a BLPOP l 0
a EXEC
`,
		"other ways to fill a list": `
a BLPOP l 0
d RPUSH src 1
d RENAME src l
a BLPOP l 0
d RPUSH src 1
d COPY src l
a BLPOP l 0
d RPOPLPUSH src l
a BLPOP l 0
d RPUSHX l 1
d LPUSHX l 1
d LMOVE src l LEFT LEFT
d SADD set x
d RENAME set l
d DEL l
d RPUSH l 9
`,
		"an element that returns to its key": `
a RPUSH l 1
a EXPIRE l 1000
a LMOVE l l LEFT RIGHT
a PERSIST l
a EXPIRE l 1000
a RPOPLPUSH l l
a PERSIST l
a EXPIRE l 1000
a BLMOVE l l LEFT LEFT 0
a PERSIST l
a SADD s x
a EXPIRE s 1000
a SMOVE s s x
a PERSIST s
`,
		"a blocked connection ends": `
a BLPOP l 0
b BLPOP l 0
close a
d RPUSH l 1
d LRANGE l 0 -1
`,
		"watch": `
a WATCH k
a MULTI
a GET k
a EXEC
a WATCH k
b SET k 1
a MULTI
a GET k
a EXEC
a MULTI
a GET k
a EXEC
a WATCH k other
b SET k 1
a UNWATCH
a MULTI; GET k; EXEC
a WATCH k
a SET k mine
a MULTI; GET k; EXEC
a WATCH k
a MULTI
a SET k inside
a WATCH k
a UNWATCH
a EXEC
a WATCH k
b SET k 2
a MULTI
a DISCARD
a MULTI; GET k; EXEC
a WATCH
a WATCH k
a MULTI
a NONSENSE
a GET
a EXEC
b SET k 3
a MULTI; GET k; EXEC
a MULTI
a MULTI
a EXEC x
a EXEC
a DISCARD x
a UNWATCH x
a EXEC
a DISCARD
`,
		"watch what is not there": `
a WATCH k
b SET k 1
a MULTI; GET k; EXEC
a WATCH k
b DEL k
a MULTI; GET k; EXEC
a WATCH k
b DEL k
a MULTI; GET k; EXEC
a WATCH k
b EVAL <<redis.call('SET', 'k', 1) redis.call('DEL', 'k')>> 0
a MULTI; GET k; EXEC
`,
		"watch what expires": `
a SET k v PX 40
a WATCH k
pause 100
a MULTI; GET k; EXEC
a SET k v PX 40
pause 100
a WATCH k
a MULTI; GET k; EXEC
a SET k v PX 40
a WATCH k
pause 100
b GET k
a MULTI; GET k; EXEC
a SET k v PX 40
pause 100
a WATCH k
b SET k w
a MULTI; GET k; EXEC
`,
		"what counts as a change": `
b SET k v
a WATCH k
b SET k v
a MULTI; EXEC
a WATCH k
b SET k v NX
a MULTI; EXEC
a WATCH k
b SET k v XX GET
a MULTI; EXEC
a WATCH k
b EXPIRE k 100
a MULTI; EXEC
a WATCH k
b EXPIRE k 100
a MULTI; EXEC
a WATCH k
b EXPIRE k 50 GT
a MULTI; EXEC
a WATCH k
b GETEX k
a MULTI; EXEC
a WATCH k
b GETEX k PERSIST
a MULTI; EXEC
a WATCH k
b GETEX k PERSIST
a MULTI; EXEC
a WATCH k
b GET k
a MULTI; EXEC
a WATCH k
b APPEND k ""
a MULTI; EXEC
a WATCH k
b SETRANGE k 0 ""
a MULTI; EXEC
a WATCH k
b SETRANGE k 0 v
a MULTI; EXEC
a WATCH k
b RENAME k k
a MULTI; EXEC
a WATCH k
b COPY k l
a MULTI; EXEC
a WATCH k
b COPY l k REPLACE
a MULTI; EXEC
a WATCH k
b PERSIST k
a MULTI; EXEC
a WATCH k
b FLUSHALL
a MULTI; EXEC
a WATCH k
b FLUSHALL
a MULTI; EXEC
`,
		"what counts as a change to other types": `
b HSET h f 1
a WATCH h
b HSET h f 1
a MULTI; EXEC
a WATCH h
b HSETNX h f 1
a MULTI; EXEC
a WATCH h
b HINCRBY h f 0
a MULTI; EXEC
a WATCH h
b HDEL h g
a MULTI; EXEC
b RPUSH l 1
a WATCH l
b RPOPLPUSH l l
a MULTI; EXEC
a WATCH l
b LSET l 0 1
a MULTI; EXEC
a WATCH l
b LTRIM l 0 -1
a MULTI; EXEC
a WATCH l
b LREM l 0 9
a MULTI; EXEC
b SADD s x
a WATCH s
b SADD s x
a MULTI; EXEC
a WATCH s
b SUNIONSTORE s s
a MULTI; EXEC
a WATCH s
b SMOVE s s x
a MULTI; EXEC
b ZADD z 1 x
a WATCH z
b ZADD z 1 x
a MULTI; EXEC
a WATCH z
b ZINCRBY z 0 x
a MULTI; EXEC
a WATCH z
b ZADD z XX CH 1 x
a MULTI; EXEC
a WATCH z
b INCRBY z 1
a MULTI; EXEC
b SET n 1
a WATCH n
b INCRBYFLOAT n 0
a MULTI; EXEC
a WATCH n
b INCRBY n 0
a MULTI; EXEC
a WATCH n
b MSETNX n 1 m 2
a MULTI; EXEC
a WATCH n
b GETSET n 1
a MULTI; EXEC
`,
	}
}

// connTemplates returns the commands of random sequences of several connections. None of them
// depends on the time.
func connTemplates() []string {
	return []string{
		"BLPOP $l 0", "BLPOP $l $l 0", "BRPOP $l 0", "BLMOVE $l $l LEFT RIGHT 0", "BRPOPLPUSH $l $l 0", "BLMPOP 0 2 $l $l LEFT COUNT 2",
		"BZPOPMIN $l 0", "BZPOPMAX $l $l 0", "BZMPOP 0 1 $l MAX",
		"RPUSH $l 1", "LPUSH $l 1 2", "RPUSH $l 1 2 3", "LPOP $l", "DEL $l", "RENAME $l $l", "COPY $l $l REPLACE", "SET $l v", "SET $l v NX",
		"ZADD $l 1 x", "ZADD $l 1 x 2 y", "LMOVE $l $l LEFT LEFT", "LLEN $l", "LRANGE $l 0 -1", "ZRANGE $l 0 -1", "TYPE $l",
		"WATCH $l", "WATCH $l", "WATCH $l $l", "UNWATCH", "MULTI", "MULTI", "EXEC", "EXEC", "EXEC", "EXEC", "DISCARD",
		"EXPIRE $l 1000", "PERSIST $l", "EXPIRE $l 0", "SET $l v KEEPTTL", "GETSET $l v", "HSET $l f 1", "HDEL $l f", "SADD $l x", "SREM $l x", "INCRBY $l 0",
		"APPEND $l \"\"", "LSET $l 0 1", "LTRIM $l 0 -1", "ZINCRBY $l 0 x", "GETEX $l", "GETDEL $l", "SETRANGE $l 0 v", "GET $l", "NONSENSE", "FLUSHALL",
	}
}

func randomConns(r *rand.Rand) []connStep {
	command := func() []string {
		words := strings.Fields(connTemplates()[r.IntN(len(connTemplates()))])
		for i, word := range words {
			switch word {
			case "$l":
				words[i] = []string{"x", "x", "y"}[r.IntN(3)]
			case `""`:
				words[i] = ""
			}
		}
		return words
	}
	var steps []connStep
	for range 25 {
		s := connStep{who: connNames()[r.IntN(len(connNames()))]}
		switch n := r.IntN(10); {
		case n < 8:
			s.commands = [][]string{command()}
		case n == 8:
			s.commands = [][]string{{"MULTI"}, command(), command(), {"EXEC"}}
		default:
			var b strings.Builder
			for range 2 {
				var args []string
				for _, word := range command() {
					args = append(args, luaQuote(word))
				}
				fmt.Fprintf(&b, "redis.pcall(%s) ", strings.Join(args, ", "))
			}
			s.commands = [][]string{{"EVAL", b.String(), "0"}}
		}
		steps = append(steps, s)
	}
	return steps
}

// Redis and the simulation answer the same on several connections, with watches and with blocked
// commands that are served in their order.
func TestConformanceOfConnections(t *testing.T) {
	control := dialReal(t)
	cache := lua.NewCache()
	same := func(t *testing.T, steps []connStep) bool {
		t.Helper()
		real := realConns(t, control, steps)
		if diff := cmp.Diff(real, simConns(t, cache, steps)); diff != "" {
			t.Errorf("(-real +simulated):\n%s", diff)
			return false
		}
		return true
	}
	for name, text := range handWrittenConns() {
		t.Run(name, func(t *testing.T) {
			var steps []connStep
			for line := range strings.Lines(strings.TrimSpace(text)) {
				who, commands := parseChannelStep(strings.TrimSpace(line))
				for _, words := range commands {
					for i := range words {
						words[i] = strings.ReplaceAll(words[i], `""`, "")
					}
				}
				steps = append(steps, connStep{who, commands})
			}
			same(t, steps)
		})
	}
	t.Run("by chance", func(t *testing.T) {
		first, last := servers.Sequences(t)
		met := map[string]int{}
		for seed := first; seed <= last; seed++ {
			steps := randomConns(rand.New(rand.NewPCG(uint64(seed), 1)))
			for _, line := range realConns(t, control, steps) {
				for _, class := range []string{"later", "nothing done", "EXECABORT", "WRONGTYPE", "QUEUED"} {
					if strings.Contains(line, class) || class == "nothing done" && strings.Contains(line, `EXEC`) && strings.HasSuffix(line, `"$-1\r\n"`) {
						met[class]++
					}
				}
			}
			if !same(t, steps) {
				t.Fatalf("sequence %d:\n%v", seed, steps)
			}
		}
		if last-first >= 100 && len(met) != 5 {
			t.Errorf("met only %v", met)
		}
	})
}

// realConns runs the steps on a real server. Each line is a message to a connection, right after
// its step or later.
func realConns(t *testing.T, control *realRedis, steps []connStep) []string {
	t.Helper()
	if _, err := control.do([]string{"FLUSHALL"}); err != nil {
		t.Fatal(err)
	}
	conns := map[string]*realRedis{}
	defer func() {
		for _, c := range conns {
			c.close()
		}
		for len(blockedConns(t, control)) > 0 { // until the server has noticed
		}
	}()
	for _, name := range connNames() {
		c, err := connectTo(control.conn.RemoteAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.do([]string{"CLIENT", "SETNAME", name}); err != nil {
			t.Fatal(err)
		}
		conns[name] = c
	}
	var lines []string
	open := map[string]int{} // how many replies are to come
	for _, s := range steps {
		switch {
		case s.who == "pause":
			millis, _ := strconv.Atoi(s.commands[0][0])
			time.Sleep(time.Duration(millis) * time.Millisecond)
		case s.who == "close":
			conns[s.commands[0][0]].close()
			delete(open, s.commands[0][0])
			delete(conns, s.commands[0][0])
			time.Sleep(10 * time.Millisecond)
		case open[s.who] > 0:
			continue // it is blocked
		default:
			var out []byte
			for _, words := range s.commands {
				out = append(out, encode(words)...)
			}
			if _, err := conns[s.who].conn.Write(out); err != nil {
				t.Fatal(err)
			}
			open[s.who] = len(s.commands)
		}
		blocked := awaitAll(t, control, conns, s.who, open[s.who])
		for _, name := range connNames() {
			if open[name] == 0 || blocked[name] {
				continue
			}
			for range open[name] {
				reply, err := conns[name].read(nil)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, connLine(s, name, reply))
			}
			open[name] = 0
		}
	}
	return lines
}

// awaitAll waits until the server has read what was sent, and returns which
// connections are blocked.
func awaitAll(t *testing.T, control *realRedis, conns map[string]*realRedis, who string, sent int) map[string]bool {
	t.Helper()
	for {
		done := sent == 0 || conns[who].answered()
		if blocked := blockedConns(t, control); done || blocked[who] {
			return blocked
		}
	}
}

// blockedConns returns the names of the connections that are blocked.
func blockedConns(t *testing.T, control *realRedis) map[string]bool {
	t.Helper()
	raw, err := control.do([]string{"CLIENT", "LIST"})
	if err != nil {
		t.Fatal(err)
	}
	blocked := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		fields := map[string]string{}
		for field := range strings.FieldsSeq(line) {
			name, value, _ := strings.Cut(field, "=")
			fields[name] = value
		}
		if strings.Contains(fields["flags"], "b") {
			blocked[fields["name"]] = true
		}
	}
	return blocked
}

// answered reports whether there is something to read.
func (c *realRedis) answered() bool {
	_ = c.conn.SetReadDeadline(time.Now().Add(100 * time.Microsecond))
	_, err := c.r.Peek(1)
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	return err == nil
}

func connLine(s connStep, name string, reply []byte) string {
	when := ""
	if s.who != name {
		when = " later"
	}
	text := string(reply)
	if strings.HasPrefix(text, "-") {
		text = "-" + comparableError(strings.TrimSpace(text[1:])) + "\r\n"
	}
	return fmt.Sprintf("%s | %s%s: %q", s, name, when, strings.ReplaceAll(text, "*-1", "$-1"))
}

// simConns runs the steps on the simulation.
func simConns(t *testing.T, cache *lua.Cache, steps []connStep) []string {
	t.Helper()
	r := newRig(t)
	o := r.options(PersistNone)
	o.Scripts = cache
	server, err := New(r.AddNode("lock", sim.NodeConfig{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var lines []string
	r.worker.Go("main", func() {
		ctx := context.Background()
		conns := map[string]*sim.Conn{}
		open := map[string]bool{}
		for _, name := range connNames() {
			if conns[name], err = r.worker.Process().Dial(ctx, "lock", 0); err != nil {
				t.Error(err)
				return
			}
		}
		var now connStep
		told := map[string][]string{}
		send := func(name string, commands [][]string) env.Sem {
			return r.worker.Go("call", func() {
				var request any = &resp.Command{Args: slices.Clone(commands[0])}
				if len(commands) > 1 {
					request = &resp.Pipeline{Commands: commands}
				}
				answer, err := conns[name].Call(ctx, "do", request, 0)
				if err != nil {
					return
				}
				answers := []resp.Reply{*answer.(*resp.Reply)}
				if len(commands) > 1 {
					answers = answers[0].Elems
				}
				for i := range answers {
					told[name] = append(told[name], connLine(now, name, answers[i].AppendRESP(nil)))
				}
				open[name] = false
			})
		}
		for _, s := range steps {
			now = s
			millis := 10
			switch {
			case s.who == "pause":
				millis, _ = strconv.Atoi(s.commands[0][0])
			case s.who == "close":
				conns[s.commands[0][0]].Close()
			case open[s.who]:
				continue
			default:
				open[s.who] = true
				send(s.who, s.commands)
			}
			_ = r.worker.Sleep(ctx, time.Duration(millis)*time.Millisecond)
			for _, name := range connNames() {
				lines = append(lines, told[name]...)
			}
			clear(told)
		}
	})
	if err := r.Run(); err != nil {
		t.Error(err)
	}
	return lines
}
