package redis

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// The connections of the sequences in this file: a and b may listen, p publishes.
const channelSequences = `
p PUBLISH news one
a SUBSCRIBE news
p PUBLISH news two
p PUBLISH other nobody
b subscribe news
p PUBLISH news three
a SUBSCRIBE news
p PUBLISH news four
a SUBSCRIBE other
p PUBLISH other five
a UNSUBSCRIBE news
p PUBLISH news six
a UNSUBSCRIBE never
b UNSUBSCRIBE news
p PUBLISH news seven
b GET k
a GET k
a get
a NONSENSE
a PING
a PING text
a PING two texts
a EVAL <<return 1>> 0
a PUBLISH other mine
a WAIT 0 0
a SELECT 0
a UNSUBSCRIBE other
a GET k
a PING
p PUBLISH news
p PUBLISH news eight nine
a SUBSCRIBE
a SUBSCRIBE news
p EVAL <<return redis.call("PUBLISH", KEYS[1], ARGV[1])>> 1 news ten
p EVAL <<redis.call("SET", "k", "v") redis.call("PUBLISH", "news", "eleven") return redis.call("DEL", "k")>> 0
p EVAL <<return redis.call("PUBLISH", "news")>> 0
p EVAL <<return redis.pcall("SUBSCRIBE", "news").err>> 0
p EVAL_RO <<return redis.call("PUBLISH", "news", "twelve")>> 0
p MULTI; PUBLISH news thirteen; SET k w; PUBLISH news fourteen; EXEC
p MULTI; PUBLISH news; EXEC
b SUBSCRIBE news
p PUBLISH news fifteen
a UNSUBSCRIBE news
a SUBSCRIBE one two one
p PUBLISH two sixteen
a UNSUBSCRIBE two three
p PUBLISH two seventeen
p PUBLISH one eighteen
a UNSUBSCRIBE
a UNSUBSCRIBE
a GET k
`

// listenerLog is the record of one side: each answer, and after each step the messages of the
// listeners.
type listenerLog struct{ lines []string }

func (l *listenerLog) add(step, who, got string) {
	l.lines = append(l.lines, fmt.Sprintf("%s | %s: %q", step, who, got))
}

func parseChannelStep(line string) (who string, commands [][]string) {
	who, rest, _ := strings.Cut(line, " ")
	for command := range strings.SplitSeq(rest, "; ") {
		var words []string
		for i, part := range strings.Split(command, "<<") {
			script, after, isScript := strings.Cut(part, ">>")
			if i > 0 && isScript {
				words = append(words, script)
				part = after
			}
			words = append(words, strings.Fields(part)...)
		}
		commands = append(commands, words)
	}
	return who, commands
}

// Redis and the simulation answer the same about channels, byte for byte: to subscribers,
// publishers, and commands that a subscriber may not send.
func TestConformanceOfChannels(t *testing.T) {
	real, simulated := &listenerLog{}, &listenerLog{}
	runRealChannels(t, real)
	runSimChannels(t, simulated)
	if diff := cmp.Diff(real.lines, simulated.lines); diff != "" {
		t.Errorf("(-real +simulated):\n%s", diff)
	}
	heard := strings.Count(strings.Join(simulated.lines, "\n"), "$7\\r\\nmessage")
	if heard < 10 {
		t.Errorf("only %d messages were heard", heard)
	}
}

func runRealChannels(t *testing.T, log *listenerLog) {
	p := dialReal(t)
	conns := map[string]*realRedis{"p": p}
	for _, name := range []string{"a", "b"} {
		c, err := connectTo(p.conn.RemoteAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.close)
		conns[name] = c
	}
	for line := range strings.Lines(strings.TrimSpace(channelSequences)) {
		line = strings.TrimSpace(line)
		who, commands := parseChannelStep(line)
		// A message to oneself would come before or after the answer.
		for _, c := range commands {
			if _, err := conns[who].conn.Write(encode(c)); err != nil {
				t.Fatal(err)
			}
		}
		for range commands {
			answer, err := conns[who].read(nil)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			log.add(line, who, string(answer))
		}
		for _, name := range []string{"a", "b"} {
			if _, err := conns[name].conn.Write(encode([]string{"PING", "until here"})); err != nil {
				t.Fatal(err)
			}
			for {
				answer, err := conns[name].read(nil)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if strings.Contains(string(answer), "until here") {
					break
				}
				log.add(line, name, string(answer))
			}
		}
	}
}

func runSimChannels(t *testing.T, log *listenerLog) {
	r := newRig(t)
	r.newServer(t, PersistNone)
	r.worker.Go("main", func() {
		ctx := context.Background()
		conns := map[string]*sim.Conn{}
		for _, name := range []string{"p", "a", "b"} {
			c, err := r.worker.Process().Dial(ctx, "lock", 0)
			if err != nil {
				t.Error(err)
				return
			}
			conns[name] = c
		}
		for line := range strings.Lines(strings.TrimSpace(channelSequences)) {
			line = strings.TrimSpace(line)
			who, commands := parseChannelStep(line)
			var request any = &resp.Command{Args: commands[0]}
			if len(commands) > 1 {
				request = &resp.Pipeline{Commands: commands}
			}
			answer, err := conns[who].Call(ctx, "do", request, 0)
			if err != nil {
				t.Error(err)
				return
			}
			answers := []resp.Reply{*answer.(*resp.Reply)}
			if len(commands) > 1 {
				answers = answers[0].Elems
			}
			for _, a := range answers {
				log.add(line, who, string(a.AppendRESP(nil)))
			}
			for _, name := range []string{"a", "b"} {
				if _, err := conns[name].Call(ctx, "do", &resp.Command{Args: []string{"PING"}}, 0); err != nil {
					t.Error(err)
				}
				for conns[name].Unread() {
					message, err := conns[name].Receive(ctx, 0)
					if err != nil {
						t.Error(err)
						return
					}
					log.add(line, name, string(message.(*resp.Reply).AppendRESP(nil)))
				}
			}
		}
	})
	if err := r.Run(); err != nil {
		t.Error(err)
	}
}
