package redis

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockquake/internal/servers"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// realRedis is a connection to a real redis-server.
type realRedis struct {
	conn net.Conn
	r    *bufio.Reader
}

func dialReal(t *testing.T) *realRedis {
	t.Helper()
	c, err := connect(servers.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	c.mustFit(t)
	return c
}

// connect opens a connection to a real server.
func connect(s *servers.RedisServer) (*realRedis, error) { return connectTo(s.Addr) }

func connectTo(addr string) (*realRedis, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &realRedis{conn: conn, r: bufio.NewReaderSize(conn, 1<<16)}, nil
}

func (c *realRedis) close() { _ = c.conn.Close() }

// mustFit skips the test if the server has not the simulated version, and fails it in CI.
func (c *realRedis) mustFit(t *testing.T) {
	t.Helper()
	version, err := c.do([]string{"INFO", "server"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(version, []byte("redis_version:7.0.")) {
		end := t.Skipf
		if os.Getenv("CI") != "" {
			end = t.Fatalf
		}
		end("the simulation follows Redis %s, and this is another: %q", resp.Version, version)
	}
}

// do sends one command and returns the raw reply.
func (c *realRedis) do(words []string) ([]byte, error) {
	replies, err := c.pipeline([][]string{words})
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

// pipeline sends all commands at once and returns the raw replies.
func (c *realRedis) pipeline(commands [][]string) ([][]byte, error) {
	var out []byte
	for _, words := range commands {
		out = append(out, encode(words)...)
	}
	if err := c.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(out); err != nil {
		return nil, err
	}
	replies := make([][]byte, len(commands))
	for i := range replies {
		var err error
		if replies[i], err = c.read(nil); err != nil {
			return nil, fmt.Errorf("%s: %w", commands[i], err)
		}
	}
	return replies, nil
}

// encode returns a command as it is on the wire.
func encode(words []string) []byte {
	out := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		out = fmt.Appendf(out, "$%d\r\n%s\r\n", len(word), word)
	}
	return out
}

// read appends one reply to b.
func (c *realRedis) read(b []byte) ([]byte, error) {
	line, err := c.r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	b = append(b, line...)
	if line[0] != '$' && line[0] != '*' {
		return b, nil
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(line[1:])))
	switch {
	case err != nil || n < 0:
		return b, err
	case line[0] == '$':
		text := make([]byte, n+2)
		if _, err := io.ReadFull(c.r, text); err != nil {
			return nil, err
		}
		return append(b, text...), nil
	}
	for range n {
		if b, err = c.read(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// sequence is a list of commands for both servers, beginning with an empty keyspace. A command
// called pause lets that many milliseconds pass.
type sequence [][]string

const pause = "pause"

// units splits a sequence into units that run at one instant: single commands, and transactions.
func (s sequence) units() []sequence {
	var units []sequence
	begin := -1 // of a transaction
	for i, words := range s {
		switch name := strings.ToLower(words[0]); {
		case begin < 0 && name == "multi" && len(words) == 1:
			begin = i
		case begin < 0:
			units = append(units, s[i:i+1])
		case (name == "exec" || name == "discard") && len(words) == 1:
			units = append(units, s[begin:i+1])
			begin = -1
		}
	}
	if begin >= 0 { // an open transaction would queue the TIME command
		units = append(units, append(slices.Clone(s[begin:]), []string{"DISCARD"}))
	}
	return units
}

// exchange is one command with the replies of both servers.
type exchange struct {
	words     []string
	now       time.Time
	real, sim []byte // as RESP, made comparable
}

func (x *exchange) same() bool { return bytes.Equal(x.real, x.sim) }

// pair is a real server and the simulation of one.
type pair struct {
	real  *realRedis
	cache *lua.Cache
	met   *coverage
}

// run sends both servers the sequence and returns all replies. It asks the real server for its time
// between any two units, and sets the simulated one to that time. If the real server passed to
// another millisecond within a unit, it is unknown whether before or after the effect, and
// everything is repeated.
func (p *pair) run(s sequence) ([]exchange, error) {
	const attempts = 1000
	for range attempts {
		exchanges, steady, err := p.attempt(s)
		if err != nil || steady {
			return exchanges, err
		}
	}
	return nil, fmt.Errorf("%d times a command did not fit into a millisecond", attempts)
}

// attempt is one attempt of run. It reports whether the real server ran each unit within a
// millisecond.
func (p *pair) attempt(s sequence) ([]exchange, bool, error) {
	if _, err := p.real.pipeline([][]string{{"FLUSHALL"}, {"SCRIPT", "FLUSH"}}); err != nil {
		return nil, false, err
	}
	k, err := keyspace.New(p.cache, keyspace.Hooks{})
	if err != nil {
		return nil, false, err
	}
	defer k.Close()
	var all []exchange
	connection := &keyspace.Connection{}
	const burst = 8 // these take the real server a large part of a millisecond
	for units := range slices.Chunk(s.units(), burst) {
		commands := [][]string{{"TIME"}}
		for _, unit := range units {
			if unit[0][0] == pause {
				unit = sequence{{"DEBUG", "SLEEP", "0.00" + unit[0][1]}}
			}
			commands = append(append(commands, unit...), []string{"TIME"})
		}
		if err := p.real.newMillisecond(); err != nil {
			return nil, false, err
		}
		replies, err := p.real.pipeline(commands)
		if err != nil {
			return nil, false, err
		}
		exchanges, steady, err := p.simulate(k, connection, units, replies)
		if err != nil || !steady {
			return nil, false, err
		}
		all = append(all, exchanges...)
	}
	return all, true, nil
}

// newMillisecond waits until a millisecond has just begun at the server.
func (c *realRedis) newMillisecond() error {
	for {
		raw, err := c.do([]string{"TIME"})
		if err != nil {
			return err
		}
		now, err := timeOf(raw)
		const early = 200 * time.Microsecond
		if err != nil || now.Sub(now.Truncate(time.Millisecond)) < early {
			return err
		}
	}
}

// simulate runs the units on a simulated server, at the times that the real one replied.
func (p *pair) simulate(k *keyspace.Keyspace, c *keyspace.Connection, units []sequence, replies [][]byte) ([]exchange, bool, error) {
	var all []exchange
	now, err := timeOf(replies[0])
	if err != nil {
		return nil, false, err
	}
	replies = replies[1:]
	for _, unit := range units {
		n := len(unit)
		after, err := timeOf(replies[n])
		if err != nil {
			return nil, false, err
		}
		if unit[0][0] != pause {
			if after.UnixMilli() != now.UnixMilli() && !clockless(unit) {
				return nil, false, nil
			}
			for _, words := range unit {
				p.met.before(k, now, words)
			}
			answers := k.RunPipeline(c, now, unit, func([]string, *resp.Reply) {}, func() {})
			for i, words := range unit {
				x := exchange{words: words, now: now, real: replies[i], sim: answers[i].AppendRESP(nil)}
				if err := x.comparable(); err != nil {
					return nil, false, err
				}
				p.met.after(&x)
				all = append(all, x)
			}
		}
		now, replies = after, replies[n+1:]
	}
	return all, true, nil
}

// timeOf reads the reply to TIME.
func timeOf(raw []byte) (time.Time, error) {
	r, _, err := resp.ParseRESP(raw)
	if err != nil || len(r.Elems) != 2 {
		return time.Time{}, fmt.Errorf("TIME answers %q: %w", raw, err)
	}
	seconds, err1 := strconv.ParseInt(r.Elems[0].Text, 10, 64)
	micros, err2 := strconv.ParseInt(r.Elems[1].Text, 10, 64)
	if err1 != nil || err2 != nil {
		return time.Time{}, fmt.Errorf("TIME answers %q", raw)
	}
	return time.Unix(seconds, micros*1000), nil
}

// comparable removes from both replies what the simulation does not promise.
func (x *exchange) comparable() error {
	for _, reply := range []*[]byte{&x.real, &x.sim} {
		r, _, err := resp.ParseRESP(*reply)
		if err != nil {
			return fmt.Errorf("%s answers %q: %w", x.words, *reply, err)
		}
		// No client distinguishes a missing array from a missing string.
		if bytes.Contains(*reply, []byte("*-1\r\n")) {
			*reply = r.AppendRESP(nil)
		}
		if r.Kind == resp.Error {
			r.Text = comparableError(r.Text)
			*reply = r.AppendRESP(nil)
		}
		if step := unordered(x.words); r.Kind == resp.Array && step > 0 && len(r.Elems)%step == 0 {
			groups := slices.Collect(slices.Chunk(r.Elems, step))
			slices.SortFunc(groups, func(a, b []resp.Reply) int { return strings.Compare(a[0].Text, b[0].Text) })
			r.Elems = slices.Concat(groups...)
			*reply = r.AppendRESP(nil)
		}
	}
	return nil
}

// unordered returns how many elements of a command's reply belong together, if
// their order is that of a hash table in Redis; else 0.
func unordered(words []string) int {
	switch strings.ToLower(words[0]) {
	case "smembers", "hkeys", "hvals", "keys":
		return 1
	case "hgetall":
		return 2
	}
	return 0
}

// comparableError removes the messages of Lua's own compiler and machine, whose wording differs in
// every Lua. The comparison keeps that it is an error, and its line in the script.
func comparableError(text string) string {
	const compiling = "ERR Error compiling script (new function): "
	if strings.HasPrefix(text, compiling) {
		return compiling
	}
	const scriptName = "user_script"
	rest, ofScript := strings.CutPrefix(text, "ERR "+scriptName+":")
	line, said, found := strings.Cut(rest, ": ")
	if !ofScript || !found {
		return text
	}
	for _, words := range []string{"attempt to ", "cannot perform ", "__len undefined", "__unm undefined", "bad argument ", "Expected ", "wrong number of arguments", "malformed pattern", "unfinished capture", "metatable must be "} {
		if strings.HasPrefix(said, words) {
			if end := strings.Index(said, " script: "); end >= 0 {
				said = said[end:]
			}
			return "ERR " + scriptName + ":" + line + ": (Lua's words)" + said
		}
	}
	return text
}

// String returns a sequence in a form that can be pasted into a test.
func (s sequence) String() string {
	var b strings.Builder
	for _, words := range s {
		b.Write(line(words))
		b.WriteByte('\n')
	}
	return b.String()
}

// parseSequence reads a sequence: one command a line, words in Go's double
// quotes where they need it, scripts between << and >>. $name stands for the
// script of that name, and #name for its SHA-1.
func parseSequence(t *testing.T, text string) sequence {
	t.Helper()
	var s sequence
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		var words []string
		for rest != "" && rest[0] != '\n' {
			var word string
			switch {
			case strings.HasPrefix(rest, "<<"):
				word, rest, _ = strings.Cut(rest[2:], ">>")
			case rest[0] == '"':
				quoted, err := strconv.QuotedPrefix(rest)
				if err != nil {
					t.Fatalf("%v in %q", err, rest)
				}
				word, _ = strconv.Unquote(quoted)
				rest = rest[len(quoted):]
			default:
				end := strings.IndexAny(rest+"\n", " \n")
				word, rest = rest[:end], rest[end:]
				if script, ok := lockScripts()[word[1:]]; ok && word[0] == '$' {
					word = script
				} else if ok && word[0] == '#' {
					word = shaOf(script)
				}
			}
			words = append(words, word)
			rest = strings.TrimLeft(rest, " \t")
		}
		s = append(s, words)
	}
	return s
}

// TestConformance compares the simulation with a real redis-server: both get the same commands at
// the same time, and must answer the same, byte for byte.
func TestConformance(t *testing.T) {
	p := &pair{real: dialReal(t), cache: lua.NewCache(), met: newCoverage()}
	t.Run("by hand", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(handWritten())) {
			t.Run(name, func(t *testing.T) {
				exchanges, err := p.run(parseSequence(t, handWritten()[name]))
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range exchanges {
					if !x.same() {
						t.Error(x.String())
					}
				}
			})
		}
	})
	t.Run("by chance", func(t *testing.T) {
		p.met = newCoverage()
		first, last := servers.Sequences(t)
		const mostFailures = 5
		for seed, failed := first, 0; seed <= last && failed < mostFailures; seed++ {
			g := generator{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
			if !p.try(t, seed, g.sequence()) {
				failed++
			}
		}
		if last-first+1 >= servers.EnoughSequences && !t.Failed() {
			t.Log(p.met.table())
			p.met.check(t)
		}
	})
}

// try runs a sequence, and shrinks and shows it if the servers differ. It
// reports whether they agree.
func (p *pair) try(t *testing.T, seed int, s sequence) bool {
	t.Helper()
	x, err := p.differ(s)
	if err != nil {
		t.Errorf("sequence %d: %v\n%v", seed, err, s)
		return false
	}
	if x == nil {
		return true
	}
	for shrunk := true; shrunk; {
		shrunk = false
		units := s.units()
		for i := range slices.Backward(units) {
			fewer := slices.Concat(slices.Delete(slices.Clone(units), i, i+1)...)
			if y, err := p.differ(fewer); err == nil && y != nil {
				s, x, shrunk = fewer, y, true
				break
			}
		}
	}
	t.Errorf("sequence %d, made shorter:\n%v%v", seed, s, x)
	return false
}

// differ runs a sequence and returns the first exchange in which the servers
// differ, nil if there is none.
func (p *pair) differ(s sequence) (*exchange, error) {
	exchanges, err := p.run(s)
	for i := range exchanges {
		if !exchanges[i].same() {
			return &exchanges[i], err
		}
	}
	return nil, err
}

// line shows the words of a command in one line.
func line(words []string) []byte { return (&resp.Command{Args: words}).AppendTrace(nil) }

// String returns a command with the replies of the servers.
func (x *exchange) String() string {
	return fmt.Sprintf("%s\n real %q\n sim  %q", line(x.words), x.real, x.sim)
}

// clockless reports whether a unit is a script that executes no command: its reply does not depend on
// the time, and a deep recursion takes longer than a millisecond on a slow machine.
func clockless(unit sequence) bool {
	w := unit[0]
	return len(unit) == 1 && len(w) > 1 && w[0] == "EVAL" && !strings.Contains(w[1], "redis.") && !strings.Contains(w[1], "os.")
}
