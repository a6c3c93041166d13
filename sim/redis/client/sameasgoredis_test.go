package client

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/internal/twoworlds"
	"lockquake/sim/redis/keyspace"
)

// The model does the same as go-redis: the same commands on the same connections at the same times,
// with the same results.
func TestClientDoesWhatGoRedisDoes(t *testing.T) {
	for _, script := range clientScripts() {
		t.Run(script.name, func(t *testing.T) {
			twoworlds.Compare(t, inMemory(t, script), inWorld(t, script), script.want)
		})
	}
}

// Both draw the pause before the nth resend from 10 ms to 10 ms * 2^n more.
func TestClientPausesLikeGoRedis(t *testing.T) {
	script := clientScript{options: Options{ReadTimeout: time.Second, MaxRetries: 6}, body: takeAndGet}
	for nth := range 6 {
		script.faults = append(script.faults, clientFault{word: "set", nth: nth + 1, do: lose})
	}
	for _, world := range []struct {
		name  string
		lines []string
	}{{"go-redis", inMemory(t, script)}, {"model", inWorld(t, script)}} {
		var sent []float64
		for _, line := range world.lines {
			var at float64
			if n, _ := fmt.Sscanf(line, "%f ms", &at); n == 1 && strings.Contains(line, "gets set") {
				sent = append(sent, at)
			}
		}
		if len(sent) != 7 {
			t.Fatalf("%s sends %d times, want 7:\n%s", world.name, len(sent), strings.Join(world.lines, "\n"))
		}
		for n := 1; n < len(sent); n++ {
			// Between two arrivals are the timeout, the pause, a dial and HELLO.
			pause := sent[n] - sent[n-1] - 1000 - 4
			if longest := 10 + 10*float64(int(1)<<n); pause < 10 || pause >= longest {
				t.Errorf("%s pauses %v ms before resend %d, want from 10 to %v", world.name, pause, n, longest)
			}
		}
	}
}

// steady returns options without randomness: every pause before a resend takes 50 ms.
func steady(retries int) Options {
	return Options{
		ReadTimeout: time.Second, DialTimeout: time.Second, MaxRetries: retries,
		MinRetryBackoff: 50 * time.Millisecond, MaxRetryBackoff: 50 * time.Millisecond,
	}
}

// pooled returns the options of steady with a pool of that size.
func pooled(size, retries int) Options {
	o := steady(retries)
	o.PoolSize, o.PoolTimeout = size, 500*time.Millisecond
	return o
}

func heedful(retries int) Options {
	o := steady(retries)
	o.ContextTimeoutEnabled = true
	return o
}

func clientScripts() []clientScript {
	var all []clientScript
	all = append(all, replyScripts()...)
	all = append(all, conditionScripts()...)
	all = append(all, dialScripts()...)
	all = append(all, contextScripts()...)
	all = append(all, poolScripts()...)
	all = append(all, blockingScripts()...)
	all = append(all, watchScripts()...)
	return append(all, pipelineScripts()...)
}

// takeAndGet shows how one request ends and where the next one goes.
func takeAndGet(s *session) {
	s.take(context.Background(), "k")
	s.get(context.Background(), "k")
}

func replyScripts() []clientScript {
	release := goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	return []clientScript{
		{name: "plain cycle, and a script that is not known yet", body: func(s *session) {
			for range 2 {
				takeAndGet(s)
				n, err := release.Run(context.Background(), s.c, []string{"k"}, "me").Int()
				s.note("release", n, err)
			}
			s.get(context.Background(), "k")
		}, want: []string{"eval ", "get k: , server: redis: nil", "release: 1, ok"}},
		{
			name: "lost reply, not resent", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: lose}},
			body: takeAndGet, want: []string{"take k: false, i/o timeout", "conn 2 gets get k"},
		},
		{
			name: "lost reply, resent", options: steady(3), faults: []clientFault{{word: "set", nth: 1, do: lose}},
			body: takeAndGet, want: []string{"take k: false, ok", "conn 2 gets set k"},
		},
		{name: "every reply lost", options: steady(3), faults: []clientFault{
			{word: "set", nth: 1, do: lose}, {word: "set", nth: 2, do: lose}, {word: "set", nth: 3, do: lose}, {word: "set", nth: 4, do: lose},
		}, body: takeAndGet, want: []string{"conn 4 gets set k", "take k: false, i/o timeout"}},
		{
			name: "resent without a pause", options: Options{ReadTimeout: time.Second, MaxRetries: 2, MinRetryBackoff: -1},
			faults: []clientFault{{word: "set", nth: 1, do: lose}}, body: takeAndGet, want: []string{"conn 2 gets set k"},
		},
		{
			name: "a pause of no length at most", options: Options{ReadTimeout: time.Second, MaxRetries: 2, MaxRetryBackoff: -1},
			faults: []clientFault{{word: "set", nth: 1, do: lose}}, body: takeAndGet, want: []string{"conn 2 gets set k"},
		},
		{
			name: "reply after the timeout", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: late, late: 1500 * time.Millisecond}},
			body: func(s *session) {
				takeAndGet(s)
				s.sleep(2 * time.Second)
				s.get(context.Background(), "k")
			}, want: []string{"take k: false, i/o timeout", "get k: me, ok"},
		},
		{
			name: "late reply within the timeout", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: late, late: 900 * time.Millisecond}},
			body: takeAndGet, want: []string{"conn 1 gets get k"},
		},
		{
			name: "connection ends, not resent", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: finish}},
			body: takeAndGet, want: []string{"take k: false, broken"},
		},
		{
			name: "connection ends, resent", options: steady(3), faults: []clientFault{{word: "set", nth: 1, do: finish}},
			body: takeAndGet, want: []string{"take k: false, ok"},
		},
		{
			name: "connection breaks, not resent", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: reset}},
			body: takeAndGet, want: []string{"take k: false, broken"},
		},
		{
			name: "connection breaks, resent", options: steady(3), faults: []clientFault{{word: "set", nth: 1, do: reset}},
			body: takeAndGet, want: []string{"take k: false, ok"},
		},
		{
			name: "idle connection ends", options: steady(0), faults: []clientFault{{at: 100 * time.Millisecond, do: finish}},
			body: func(s *session) {
				takeAndGet(s)
				s.sleep(time.Second)
				takeAndGet(s)
			}, want: []string{"conn 2 gets set k"},
		},
		{
			name: "server is loading", options: steady(3), faults: []clientFault{{word: "set", nth: 1, do: answer, reply: "LOADING soon"}},
			body: takeAndGet, want: []string{"take k: true, ok", "conn 1 gets get k"},
		},
		{
			name: "server is read-only", options: steady(0), faults: []clientFault{{word: "set", nth: 1, do: answer, reply: "READONLY replica"}},
			body: takeAndGet, want: []string{"take k: false, server: READONLY replica", "conn 2 gets get k"},
		},
		{
			name: "other error of the server", options: steady(3), faults: []clientFault{{word: "set", nth: 1, do: answer, reply: "ERR no"}},
			body: takeAndGet, want: []string{"take k: false, server: ERR no", "conn 1 gets get k"},
		},
	}
}

// conditionScripts have a server that answers errors: go-redis resends a command after some of them
// only.
func conditionScripts() []clientScript {
	var all []clientScript
	for _, c := range keyspace.Conditions() {
		again := "conn 1 gets set k"
		if c == keyspace.ConditionReadOnly {
			again = "conn 2 gets set k" // the connection of a replica is given up
		}
		given := clientFault{word: "set", nth: 1, do: answer, reply: c.Text()}
		piped := given
		piped.word = "incr"
		resent, whole := "take k: true, ok", "exec: 2, ok"
		if c == keyspace.ConditionMemory || c == keyspace.ConditionDisk {
			resent, whole = "take k: false, server: "+string(c), "exec: 2, server: "+string(c)
		}
		all = append(
			all,
			clientScript{name: string(c) + ", not resent", options: steady(0), faults: []clientFault{given}, body: takeAndGet, want: []string{"take k: false, server: " + string(c)}},
			clientScript{name: string(c) + ", resent", options: steady(3), faults: []clientFault{given}, body: takeAndGet, want: []string{again, resent}},
			clientScript{name: string(c) + " in a pipeline", options: steady(3), faults: []clientFault{piped}, body: func(s *session) {
				s.pipeline(s.c.Pipelined)
				s.get(context.Background(), "k")
			}, want: []string{whole}},
		)
	}
	return all
}

func dialScripts() []clientScript {
	always := func(do mishap) []clientFault { return []clientFault{{over: time.Hour, do: do}} }
	return []clientScript{
		{
			name: "dead node", options: steady(0), faults: always(dead), body: takeAndGet,
			want: []string{"conn 10 is dialled", "dial timeout, passes for a context's: true"},
		},
		{name: "dead node, resent", options: steady(1), faults: always(dead), body: takeAndGet, want: []string{"conn 20 is dialled"}},
		{
			name: "node comes back during the dials", options: steady(0), faults: []clientFault{{over: 1500 * time.Millisecond, do: dead}},
			body: takeAndGet, want: []string{"conn 3 gets set k", "take k: true, ok"},
		},
		{
			name: "refused dial", options: steady(0), faults: always(refuse), body: takeAndGet,
			want: []string{"conn 10 is dialled", "take k: false, dial refused"},
		},
		{name: "refused dial, resent", options: steady(2), faults: always(refuse), body: takeAndGet, want: []string{"conn 30 is dialled"}},
		{
			name: "after as many failures as connections it does not dial", options: pooled(2, 0),
			faults: []clientFault{{over: 3 * time.Second, do: refuse}}, body: func(s *session) {
				takeAndGet(s)
				takeAndGet(s) // refused at once
				s.sleep(5 * time.Second)
				takeAndGet(s)
			}, want: []string{"take k: true, ok"},
		},
		{name: "caller gives up on a slow dial that another one gets", options: pooled(2, 0), faults: []clientFault{
			{word: "dial", nth: 1, do: late, late: 200 * time.Millisecond},
			{word: "dial", nth: 2, do: late, late: 500 * time.Millisecond},
		}, body: func(s *session) {
			s.together(
				func() { s.within(50*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") }) },
				func() { s.within(time.Second, func(ctx context.Context) { s.get(ctx, "k") }) },
			)
			s.sleep(time.Second)
			s.together(
				func() { s.get(context.Background(), "a") },
				func() { s.get(context.Background(), "b") },
			)
		}, want: []string{"take k: false, context deadline exceeded", "conn 1 gets get k", "conn 2 gets hello 2"}},
		{name: "a dial keeps its turn when its caller has given up", options: pooled(1, 0), faults: []clientFault{
			{word: "dial", nth: 1, do: late, late: 200 * time.Millisecond},
		}, body: func(s *session) {
			s.within(50*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") })
			s.get(context.Background(), "k")
		}, want: []string{"conn 1 gets get k"}},
		{name: "a dead dial keeps its turn when its caller has given up", options: pooled(1, 0), faults: always(dead), body: func(s *session) {
			s.within(50*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") })
			s.get(context.Background(), "k")
		}, want: []string{"get k: , redis: connection pool timeout"}},
		{
			name: "handshake without a reply", options: steady(0), faults: []clientFault{{word: "hello", nth: 1, do: lose}},
			body: takeAndGet, want: []string{"take k: false, i/o timeout"},
		},
		{
			name: "handshake without a reply, with resends", options: steady(3), faults: []clientFault{{word: "hello", nth: 1, do: lose}},
			body: takeAndGet, want: []string{"take k: false, i/o timeout", "conn 2 gets get k"},
		},
		{
			name: "connection ends in the handshake", options: steady(2), faults: []clientFault{{word: "hello", nth: 1, do: finish}},
			body: takeAndGet, want: []string{"take k: true, ok"},
		},
		{
			name: "connection breaks in the handshake", options: steady(0), faults: []clientFault{{word: "hello", nth: 1, do: reset}},
			body: takeAndGet, want: []string{"take k: false, broken"},
		},
		{
			name: "handshake is answered by an error", options: steady(0), faults: []clientFault{{word: "hello", nth: 1, do: answer, reply: "ERR unknown"}},
			body: takeAndGet, want: []string{"take k: true, ok"},
		},
	}
}

func contextScripts() []clientScript {
	lost := []clientFault{{word: "set", nth: 1, do: lose}}
	cancelled := func(after time.Duration) func(s *session) {
		return func(s *session) {
			ctx, cancel := s.WithCancel(context.Background())
			s.get(context.Background(), "warm")
			s.together(
				func() { s.take(ctx, "k") },
				func() { s.sleep(after); cancel(context.Canceled) },
			)
			s.get(context.Background(), "k")
		}
	}
	timed := func(s *session) {
		s.get(context.Background(), "warm")
		s.within(300*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") })
		s.get(context.Background(), "k")
	}
	return []clientScript{
		{
			name: "a cancel interrupts nothing in flight", options: steady(0), faults: lost, body: cancelled(100 * time.Millisecond),
			want: []string{"1006.000000 ms  take k: false, i/o timeout"},
		},
		{
			name: "a cancel ends the pause before a resend", options: steady(3), faults: lost, body: cancelled(1020 * time.Millisecond),
			want: []string{"take k: false, context canceled"},
		},
		{name: "cancelled before", options: steady(3), body: func(s *session) {
			ctx, cancel := s.WithCancel(context.Background())
			cancel(context.Canceled)
			s.take(ctx, "k")
		}, want: []string{"take k: false, context canceled"}},
		{name: "cancelled before, with a cause", options: steady(3), body: func(s *session) {
			ctx, cancel := s.WithCancel(context.Background())
			cancel(goredis.ErrClosed)
			s.take(ctx, "k")
		}, want: []string{"take k: false, context canceled"}},
		{name: "a deadline is not heeded", options: steady(0), faults: lost, body: timed, want: []string{"1006.000000 ms  take k: false, i/o timeout"}},
		{
			name: "a deadline is heeded if that is enabled", options: heedful(0), faults: lost, body: timed,
			want: []string{"306.000000 ms  take k: false, i/o timeout"},
		},
		{
			name: "a deadline that is not heeded ends the resends", options: steady(3), faults: lost, body: timed,
			want: []string{"take k: false, context deadline exceeded"},
		},
		{
			name: "a deadline that is heeded ends the resends", options: heedful(3), faults: lost, body: timed,
			want: []string{"306.000000 ms  take k: false, context deadline exceeded"},
		},
		{
			name: "a deadline in the handshake is not heeded", options: steady(0), faults: []clientFault{{word: "hello", nth: 1, do: lose}},
			body: func(s *session) {
				s.within(300*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") })
			}, want: []string{"1002.000000 ms  take k: false, i/o timeout"},
		},
		{
			name: "a deadline in the handshake is heeded if that is enabled", options: heedful(0), faults: []clientFault{{word: "hello", nth: 1, do: lose}},
			body: func(s *session) {
				s.within(300*time.Millisecond, func(ctx context.Context) { s.take(ctx, "k") })
				s.get(context.Background(), "k")
			}, want: []string{"300.000000 ms  take k: false, i/o timeout"},
		},
	}
}

func poolScripts() []clientScript {
	three := func(s *session) {
		s.together(
			func() { s.take(context.Background(), "a") },
			func() { s.take(context.Background(), "b") },
			func() { s.take(context.Background(), "c") },
		)
	}
	return []clientScript{
		{name: "three on one connection", options: pooled(1, 0), body: three, want: []string{"conn 1 gets set c"}},
		{
			name: "three on three connections, the last one used first", options: pooled(3, 0),
			faults: []clientFault{{word: "set", nth: 1, do: late, late: 10 * time.Millisecond}},
			body: func(s *session) {
				three(s)
				three(s)
			}, want: []string{"conn 3 gets"},
		},
		{
			name: "pool exhausted", options: pooled(1, 0), faults: []clientFault{{word: "set", nth: 1, do: late, late: 800 * time.Millisecond}},
			body: three, want: []string{"take b: false, redis: connection pool timeout", "take c: false, redis: connection pool timeout", "take a: true, ok"},
		},
		{
			name: "pool exhausted, tried again", options: pooled(1, 1), faults: []clientFault{{word: "set", nth: 1, do: late, late: 800 * time.Millisecond}},
			body: three, want: []string{"take a: true, ok", "take b: true, ok", "take c: true, ok"},
		},
		{
			name: "waiting for the pool ends with the context", options: pooled(1, 3),
			faults: []clientFault{{word: "set", nth: 1, do: late, late: 800 * time.Millisecond}},
			body: func(s *session) {
				s.together(
					func() { s.take(context.Background(), "a") },
					func() { s.within(100*time.Millisecond, func(ctx context.Context) { s.take(ctx, "b") }) },
				)
			}, want: []string{"take b: false, context deadline exceeded"},
		},
		{
			name: "a lost reply gives its turn on", options: pooled(1, 0), faults: []clientFault{{word: "set", nth: 1, do: late, late: 5 * time.Second}},
			body: func(s *session) {
				s.together(
					func() { s.take(context.Background(), "a") },
					func() { s.sleep(900 * time.Millisecond); s.take(context.Background(), "b") },
				)
			}, want: []string{"take a: false, i/o timeout", "conn 2 gets set b", "take b: true, ok"},
		},
	}
}

func pipelineScripts() []clientScript {
	batch := func(s *session) {
		s.pipeline(s.c.Pipelined)
		s.get(context.Background(), "n")
		s.pipeline(s.c.Pipelined)
	}
	whole := func(s *session) {
		s.pipeline(s.c.TxPipelined)
		s.get(context.Background(), "n")
		s.pipeline(s.c.TxPipelined)
	}
	return []clientScript{
		{name: "pipeline", options: steady(0), body: batch, want: []string{"conn 1 gets incr n; get n", "conn 2 gets get n"}},
		{name: "transaction", options: steady(0), body: whole, want: []string{"conn 1 gets multi; incr n; get n; exec"}},
		{
			name: "pipeline with a lost reply", options: steady(0), faults: []clientFault{{word: "incr", nth: 1, do: lose}}, body: batch,
			want: []string{"exec: 2, i/o timeout", "get n: 1, ok"},
		},
		{
			name: "pipeline with a lost reply, resent", options: steady(3), faults: []clientFault{{word: "incr", nth: 1, do: lose}}, body: batch,
			want: []string{"exec: 2, ok", "get n: 2, ok"},
		},
		{name: "pipeline with different failures", options: steady(1), faults: []clientFault{
			{word: "incr", nth: 1, do: lose}, {word: "incr", nth: 2, do: finish},
		}, body: batch, want: []string{"exec: 2, broken"}},
		{
			name: "transaction with a lost reply", options: steady(0), faults: []clientFault{{word: "multi", nth: 1, do: lose}}, body: whole,
			want: []string{"exec: 2, i/o timeout"},
		},
		{
			name: "transaction with a lost reply is not resent", options: steady(3), faults: []clientFault{{word: "multi", nth: 1, do: lose}}, body: whole,
			want: []string{"exec: 2, i/o timeout", "get n: 1, ok"},
		},
		{
			name: "transaction on a connection that ends", options: steady(3), faults: []clientFault{{word: "multi", nth: 1, do: finish}}, body: whole,
			want: []string{"exec: 2, broken"},
		},
		{
			name: "pipeline that is refused as a whole", options: steady(3), faults: []clientFault{{word: "incr", nth: 1, do: answer, reply: "LOADING soon"}},
			body: batch, want: []string{"exec: 2, ok"},
		},
		{
			name: "pipeline to a refused node tries both pools", options: steady(0), faults: []clientFault{{over: time.Minute, do: refuse}}, body: batch,
			want: []string{"conn 25 is dialled", "exec: 2, dial refused"},
		},
		{
			name: "pipeline to a dead node tries one pool", options: steady(0), faults: []clientFault{{over: time.Hour, do: dead}}, body: batch,
			want: []string{"conn 15 is dialled", "exec: 2, dial timeout"},
		},
		{
			name: "pipeline with a lost handshake goes to the other pool", options: steady(0), faults: []clientFault{{word: "hello", nth: 1, do: lose}},
			body: batch, want: []string{"conn 2 gets incr n; get n"},
		},
		{name: "more pipelines than their pool has connections", options: pooled(1, 0), body: func(s *session) {
			var all []func()
			for range 12 {
				all = append(all, func() { s.pipeline(s.c.Pipelined) })
			}
			s.together(all...)
		}, want: []string{"conn 11 gets incr n; get n"}},
		{name: "pipeline cancelled before", options: steady(3), body: func(s *session) {
			ctx, cancel := s.WithCancel(context.Background())
			cancel(context.Canceled)
			_, err := s.c.Pipelined(ctx, func(p goredis.Pipeliner) error { p.Incr(ctx, "n"); return nil })
			s.note("exec", "", err)
		}, want: []string{"exec: , context canceled"}},
	}
}

// A blocking command has its own timeout, to which go-redis adds ten seconds.
func blockingScripts() []clientScript {
	lost := func(word string) []clientFault { return []clientFault{{word: word, nth: 1, do: lose}} }
	pop := func(s *session) {
		v, err := s.c.BLPop(context.Background(), 2*time.Second, "l").Result()
		s.note("blpop", v, err)
	}
	return []clientScript{
		{name: "elements that are there", options: steady(0), body: func(s *session) {
			ctx := context.Background()
			s.c.RPush(ctx, "l", "a", "b", "c", "d")
			pop(s)
			v, err := s.c.BRPop(ctx, time.Second, "none", "l").Result()
			s.note("brpop", v, err)
			w, err := s.c.BLMove(ctx, "l", "m", "LEFT", "RIGHT", time.Second).Result()
			s.note("blmove", w, err)
			w, err = s.c.BRPopLPush(ctx, "l", "m", time.Second).Result() //nolint:staticcheck // deprecated, and in use
			s.note("brpoplpush", w, err)
			s.c.ZAdd(ctx, "z", goredis.Z{Score: 1.5, Member: "x"}, goredis.Z{Score: 2, Member: "y"})
			z, err := s.c.BZPopMin(ctx, time.Second, "z").Result()
			s.note("bzpopmin", fmt.Sprint(z), err)
			key, many, err := s.c.BLMPop(ctx, time.Second, "left", 5, "l", "m").Result()
			s.note("blmpop", fmt.Sprint(key, many), err)
			key, ranked, err := s.c.BZMPop(ctx, time.Second, "max", 5, "l", "z").Result()
			s.note("bzmpop", fmt.Sprint(key, ranked), err)
			pop(s)
		}, want: []string{"blpop: [l a], ok", "brpop: [l d], ok", "blpop: [], server: redis: nil"}},
		{name: "a lost reply", options: steady(0), faults: lost("blpop"), body: pop, want: []string{"12004.000000 ms  blpop: [], i/o timeout"}},
		{name: "a lost reply without a timeout, cancelled in vain", options: heedful(0), faults: lost("blpop"), body: func(s *session) {
			s.within(3*time.Second, func(ctx context.Context) {
				v, err := s.c.BLPop(ctx, 0, "l").Result()
				s.note("blpop", v, err)
			})
		}, want: []string{"blpop: [], i/o timeout"}},
		{name: "a lost reply to a command of no method", options: steady(0), faults: lost("blpop"), body: func(s *session) {
			v, err := s.c.Do(context.Background(), "blpop", "l", 5).Result()
			s.note("blpop", v, err)
		}, want: []string{"1004.000000 ms  blpop: <nil>, i/o timeout"}},
		{name: "a lost reply, of others", options: steady(0), faults: append(lost("bzmpop"), lost("blmove")...), body: func(s *session) {
			v, err := s.c.BLMove(context.Background(), "l", "m", "LEFT", "RIGHT", time.Second).Result()
			s.note("blmove", v, err)
			_, _, err = s.c.BZMPop(context.Background(), 3*time.Second, "max", 5, "l", "z").Result()
			s.note("bzmpop", "", err)
		}, want: []string{"blmove: , i/o timeout", "bzmpop: , i/o timeout"}},
	}
}

// A transaction that watches holds one connection of the pool from WATCH to EXEC or UNWATCH.
func watchScripts() []clientScript {
	// change is another client's action between WATCH and EXEC.
	release := func(change func(s *session)) func(s *session) {
		return func(s *session) {
			ctx := context.Background()
			s.take(ctx, "k")
			err := s.c.Watch(ctx, func(tx *goredis.Tx) error {
				v, err := tx.Get(ctx, "k").Result()
				s.note("get in it", v, err)
				if v != "me" || err != nil {
					return err
				}
				change(s)
				_, err = tx.TxPipelined(ctx, func(p goredis.Pipeliner) error { p.Del(ctx, "k"); p.Incr(ctx, "n"); return nil })
				s.note("exec", "", err)
				return err
			}, "k")
			s.note("watch", "", err)
			s.get(ctx, "k")
			s.get(ctx, "n")
		}
	}
	nothing := func(*session) {}
	on := func(word string, nth int, do mishap) []clientFault {
		return []clientFault{{word: word, nth: nth, do: do}}
	}
	return []clientScript{
		{name: "watch, nothing changes", options: steady(0), body: release(nothing), want: []string{"conn 1 gets watch k", "conn 1 gets multi", "watch: , ok"}},
		{name: "watch, another one changes it", options: steady(0), body: release(func(s *session) {
			s.c.Set(context.Background(), "k", "me", 0)
		}), want: []string{"conn 2 gets set k me", "watch: , server: redis: transaction failed"}},
		{name: "watch, another key changes", options: steady(0), body: release(func(s *session) {
			s.c.Set(context.Background(), "other", "me", 0)
		}), want: []string{"watch: , ok"}},
		{name: "watch in a pool of one", options: pooled(1, 0), body: release(func(s *session) {
			s.get(context.Background(), "other")
		}), want: []string{"get other: , redis: connection pool timeout"}},
		{name: "watch without an end", options: steady(0), body: func(s *session) {
			ctx := context.Background()
			for range 2 {
				err := s.c.Watch(ctx, func(tx *goredis.Tx) error { return tx.Get(ctx, "k").Err() }, "k")
				s.note("watch", "", err)
			}
		}, want: []string{"conn 1 gets unwatch", "watch: , server: redis: nil"}},
		{name: "watch, cancelled in between", options: heedful(3), body: func(s *session) {
			ctx, cancel := s.WithCancel(context.Background())
			err := s.c.Watch(ctx, func(tx *goredis.Tx) error {
				cancel(context.Canceled)
				err := tx.Get(ctx, "k").Err()
				s.note("get", "", err)
				return err
			}, "k")
			s.note("watch", "", err)
			s.get(context.Background(), "k")
		}, want: []string{"gets unwatch"}},
		{name: "watch with a lost reply", options: steady(3), faults: on("watch", 1, lose), body: release(nothing), want: []string{"watch: "}},
		{name: "get with a lost reply in a watch", options: steady(0), faults: on("get", 1, lose), body: release(nothing), want: []string{"watch: , i/o timeout"}},
		{name: "get with a lost reply in a watch, resent", options: steady(3), faults: on("get", 1, lose), body: release(nothing), want: []string{"watch: , "}},
		{name: "exec with a lost reply in a watch", options: steady(3), faults: on("multi", 1, lose), body: release(nothing), want: []string{"watch: , i/o timeout"}},
		{name: "watch on a connection that ends", options: steady(3), faults: on("get", 1, finish), body: release(nothing), want: []string{"watch: , "}},
		{name: "exec on a connection that ends", options: steady(0), faults: on("multi", 1, reset), body: release(nothing), want: []string{"watch: , broken"}},
		{name: "watch that is refused", options: steady(0), faults: []clientFault{{word: "watch", nth: 1, do: answer, reply: "LOADING soon"}}, body: release(nothing), want: []string{"watch: , server: LOADING soon"}},
		{name: "two watch at once", options: pooled(3, 0), body: func(s *session) {
			add := func(name string) func() {
				return func() {
					ctx := context.Background()
					err := s.c.Watch(ctx, func(tx *goredis.Tx) error {
						n, err := tx.Get(ctx, "n").Int()
						s.note(name+" reads", n, err)
						s.sleep(time.Millisecond * time.Duration(len(name)))
						_, err = tx.TxPipelined(ctx, func(p goredis.Pipeliner) error { p.Set(ctx, "n", n+1, 0); return nil })
						return err
					}, "n")
					s.note(name, "", err)
				}
			}
			s.together(add("a"), add("bb"))
			s.get(context.Background(), "n")
		}, want: []string{"a: , ok", "bb: , server: redis: transaction failed", "get n: 1, ok"}},
	}
}
