package client

import (
	"context"
	"testing"
	"time"

	"lockquake/internal/twoworlds"
)

// The model does the same as pgx and pgxpool: the same statements on the same connections at the
// same times, with the same results.
func TestPoolDoesWhatPgxpoolDoes(t *testing.T) {
	for _, s := range poolScripts() {
		t.Run(s.name, func(t *testing.T) {
			twoworlds.Compare(t, inMemory(t, s), inWorld(t, s), s.want)
		})
	}
}

func poolScripts() []poolScript {
	background := context.Background()
	return []poolScript{
		{name: "a connection is used again", size: 2, body: func(s *script) {
			s.use("one", "A")
			s.use("two", "B")
		}, want: []string{"conn 1 gets A", "conn 1 gets B"}},
		{name: "the connection that was used last comes first", size: 3, body: func(s *script) {
			one, two, three := s.take(background, "one"), s.take(background, "two"), s.take(background, "three")
			two.Release()
			one.Release()
			three.Release()
			s.use("four", "A")
			three = s.take(background, "five")
			s.use("six", "B")
			three.Release()
		}, want: []string{"conn 3 gets A", "conn 1 gets B"}},
		{name: "callers wait for their turn, in order", size: 1, body: func(s *script) {
			s.together(
				func() { s.use("one", "A", "B") },
				func() { s.use("two", "C") },
				func() { s.use("three", "D") },
			)
		}, want: []string{"conn 1 gets D"}},
		{name: "a caller that gives up leaves the queue", size: 1, body: func(s *script) {
			one := s.take(background, "one")
			s.together(
				func() { s.within(10*time.Millisecond, func(ctx context.Context) { s.take(ctx, "two") }) },
				func() { s.use("three", "A") },
				func() {
					s.sleep(20 * time.Millisecond)
					one.Release()
				},
			)
		}, want: []string{"two acquires: timeout", "conn 1 gets A"}},
		{name: "a connection that was idle for more than a second is pinged", size: 1, body: func(s *script) {
			s.use("one", "A")
			s.sleep(time.Second)
			s.use("two", "B")
			s.sleep(time.Second + time.Millisecond)
			s.use("three", "C")
		}, want: []string{"conn 1 gets -- ping", "conn 1 gets C"}},
		{name: "a ping on a broken connection opens another", size: 1, body: func(s *script) {
			s.use("one", "A")
			s.reset()
			s.sleep(2 * time.Second)
			s.use("two", "B")
		}, want: []string{"conn 1 is asked to cancel", "conn 3 gets B"}},
		{name: "a connection that broke while it was idle fails at its next use", size: 1, body: func(s *script) {
			s.use("one", "A")
			s.reset()
			s.sleep(10 * time.Millisecond)
			s.use("two", "B")
			s.sleep(10 * time.Millisecond)
			s.use("three", "C")
		}, want: []string{"B: , broken", "gets C"}},
		{name: "a connection in a transaction is closed at its release", size: 1, body: func(s *script) {
			s.use("one", "BEGIN")
			s.use("two", "A")
			s.sleep(10 * time.Millisecond)
		}, want: []string{"conn 1 ends", "conn 2 gets A"}},
		{name: "a connection after a transaction is kept", size: 1, body: func(s *script) {
			s.use("one", "BEGIN", "END")
			s.use("two", "A")
		}, want: []string{"conn 1 gets A"}},
		{name: "an error of the server leaves the connection in the pool", size: 1, body: func(s *script) {
			s.use("one", "ERROR")
			s.use("two", "A")
		}, want: []string{"ERROR: , ERROR 42601", "conn 1 gets A"}},
		{name: "a fatal error closes the connection", size: 1, body: func(s *script) {
			s.use("one", "FATAL")
			s.sleep(20 * time.Millisecond)
			s.use("two", "A")
		}, want: []string{"FATAL: , FATAL 57P01", "gets A"}},
		{name: "a session that the server has ended fails at its next use", size: 1, body: func(s *script) {
			s.use("one", "A")
			s.end()
			s.sleep(10 * time.Millisecond)
			s.use("two", "B")
		}, want: []string{"B: , FATAL 57P01"}},
		{name: "a statement whose context ends is cancelled at the server", size: 1, body: func(s *script) {
			one := s.take(background, "one")
			s.within(10*time.Millisecond, func(ctx context.Context) { s.exec(ctx, one, "WAIT") })
			one.Release()
			s.sleep(20 * time.Millisecond)
			s.use("two", "A")
		}, want: []string{"WAIT: , timeout", "conn 1 is asked to cancel", "conn 1 ends", "conn 3 gets A"}},
		{name: "a cancelled context does the same", size: 1, body: func(s *script) {
			one := s.take(background, "one")
			ctx, cancel := s.WithCancel(background)
			s.together(
				func() { s.exec(ctx, one, "WAIT") },
				func() {
					s.sleep(10 * time.Millisecond)
					cancel(nil)
				},
			)
			one.Release()
			s.sleep(20 * time.Millisecond)
		}, want: []string{"WAIT: , cancelled", "conn 1 is asked to cancel"}},
		{name: "a statement is not sent under a context that has ended", size: 1, body: func(s *script) {
			one := s.take(background, "one")
			ctx, cancel := s.WithCancel(background)
			cancel(nil)
			s.exec(ctx, one, "A")
			s.exec(background, one, "B")
			one.Release()
		}, want: []string{"A: , cancelled", "conn 1 gets B"}},
		{name: "a lost answer is waited for until the context ends", size: 1, body: func(s *script) {
			one := s.take(background, "one")
			s.within(time.Second, func(ctx context.Context) { s.exec(ctx, one, "LOST") })
			one.Release()
			s.sleep(time.Second)
			s.use("two", "A")
		}, want: []string{"LOST: , timeout", "conn 1 is asked to cancel"}},
		{name: "a broken connection is cancelled too, since its session may wait for a lock", size: 1, body: func(s *script) {
			s.use("one", "BREAK")
			s.sleep(20 * time.Millisecond)
			s.use("two", "A")
		}, want: []string{"BREAK: , broken", "conn 1 is asked to cancel", "conn 3 gets A"}},
		{name: "a dial is limited by the connect timeout", size: 1, dead: []int{1}, body: func(s *script) {
			s.use("one", "A")
			s.use("two", "B")
		}, want: []string{"one acquires: timeout", "conn 2 gets B"}},
		{name: "the connect timeout includes the start-up", size: 1, silent: []int{1}, body: func(s *script) {
			s.use("one", "A")
			s.use("two", "B")
		}, want: []string{"one acquires: timeout", "conn 2 gets B"}},
		{name: "a turn is free when the cancel request has ended", size: 1, dead: []int{2}, body: func(s *script) {
			one := s.take(background, "one")
			s.within(10*time.Millisecond, func(ctx context.Context) { s.exec(ctx, one, "WAIT") })
			one.Release()
			s.use("two", "A")
		}, want: []string{"15014.000000 ms  conn 3 is dialled", "conn 3 gets A"}},
		{name: "a dial whose caller has given up keeps its turn", size: 1, dead: []int{1}, body: func(s *script) {
			s.together(
				func() { s.within(10*time.Millisecond, func(ctx context.Context) { s.take(ctx, "one") }) },
				func() { s.use("two", "A") },
			)
		}, want: []string{"one acquires: timeout", "1000.000000 ms  conn 2 is dialled", "conn 2 gets A"}},
		{name: "a dial goes on when its caller has given up", size: 1, body: func(s *script) {
			s.within(time.Millisecond, func(ctx context.Context) { s.take(ctx, "one") })
			s.use("two", "A")
		}, want: []string{"one acquires: timeout", "conn 1 gets A"}},
		{name: "nothing is dialled under a context that has ended", size: 1, body: func(s *script) {
			ctx, cancel := s.WithCancel(background)
			cancel(nil)
			s.take(ctx, "one")
			s.sleep(10 * time.Millisecond)
		}, want: []string{"one acquires: cancelled"}},
		{name: "a ping goes on when its caller has given up", size: 1, body: func(s *script) {
			s.use("one", "A")
			s.sleep(2 * time.Second)
			ctx, cancel := s.WithCancel(background)
			s.together(
				func() { s.take(ctx, "two") },
				func() { cancel(nil) },
			)
			s.use("three", "B")
		}, want: []string{"two acquires: cancelled", "conn 1 gets B"}},
	}
}
