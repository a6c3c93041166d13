package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
)

func TestProgress(t *testing.T) {
	// Two workers whose longest work takes a second: a call may take 30 s, and
	// 5 x 1 s and 20 x 2 x 1 s on top.
	const bound = 75 * time.Second
	begun := func() *teller {
		return story("counter", "off").acquire("a", 0).after(time.Second).release("a")
	}
	// wait is a's holding the lock, again and again, while b waits for d.
	wait := func(s *teller, d time.Duration) *teller {
		s.call("b")
		for end := s.now + d; s.now < end; {
			s.acquire("a", 0).after(time.Second).release("a")
		}
		return s
	}
	judge(t, "progress", []verdictCase{
		{name: "in turn", story: begun().acquire("b", 0).release("b"), want: Valid},
		{name: "a long wait", story: wait(begun(), bound-5*time.Second).grant("b").enter("b", 0).release("b"), want: Valid},
		{
			name: "starved", story: wait(begun(), bound+5*time.Second).grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "starved: b's section 1 waited for lock x",
		},
		{
			name: "starved and gave up", story: wait(begun(), bound+5*time.Second).answered("b", "not-obtained", ""),
			want: Invalid, count: 1, text: "starved",
		},
		{
			name:  "paused while it waited",
			story: begun().call("b").fault("pause", "b", 10*time.Minute).grant("b").enter("b", 0).release("b"), want: Valid,
		},
		{
			name: "cut off while it waited",
			story: wait(begun().call("b").fault("partition", "b->lock", 10*time.Minute).answered("b", "unknown", "no answer"), time.Second).
				grant("b").enter("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "another one was cut off while it waited",
			story: func() *teller {
				s := begun()
				s.meta.Workers = []string{"a", "b"}
				return s.acquire("a", 0).sendRead("a", "0").call("b").fault("partition", "a->resource", 10*time.Minute).
					applied("a").ok("a").release("a").grant("b").enter("b", 0).release("b")
			}(),
			want: Invalid, count: 1, text: "starved: b's section 1 waited for lock x",
		},
		{
			name: "the holder was paused",
			story: begun().acquire("a", 0).call("b").fault("pause", "a", 10*time.Minute).release("a").
				grant("b").enter("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "the work takes long", story: story("counter", "off").acquire("a", 0).after(time.Hour).release("a").acquire("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "slept beside a free lock", story: begun().call("b").after(40*time.Second).grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "overslept: lock x was free for 40",
		},
		{
			name:  "cut off from a free lock",
			story: begun().call("b").fault("partition", "b->lock", 40*time.Second).grant("b").enter("b", 0).release("b"), want: Valid,
		},
		{
			name: "a release that hangs", story: story("counter", "off").acquire("a", 0).leave("a").after(bound).ended("a", "freed").answered("a", "", ""),
			want: Invalid, count: 1, text: "hung: the release of a's section 1",
		},
		{
			name: "never ended", story: story("counter", "off").acquire("a", 0).final("0"),
			want: Invalid, count: 1, text: "never ended: a's section 1",
		},
		{name: "crashed", story: story("counter", "off").acquire("a", 0).crash("a").final("0"), want: Valid},
	})
}

// A section that is open at the end never ends if nothing can happen any more. If
// the run was stopped, nobody knows.
func TestProgressOfAStoppedRun(t *testing.T) {
	open := func(why history.Stop, wait time.Duration) *teller {
		s := story("counter", "off").acquire("a", 0).call("b").after(wait).final("0")
		s.meta.Stopped = why
		return s
	}
	judge(t, "progress", []verdictCase{
		{name: "idle", story: open(history.StopIdle, time.Second), want: Invalid, count: 2, text: "never ended: a's section 1"},
		{name: "calm", story: open(history.StopCalm, time.Second), want: Unknown, text: "not ended: a's section 1"},
		{
			name: "calm, after a wait that is too long", want: Invalid, count: 1, text: "starved: b's section 1",
			story: func() *teller {
				s := story("counter", "off").acquire("a", 0).crash("a").call("b").after(2 * time.Hour).final("0")
				s.meta.Stopped = history.StopCalm
				return s
			}(),
		},
	})
}

// Of several servers one that does not answer is no excuse, all of them are.
func TestProgressQuorum(t *testing.T) {
	waiting := func(target string) *teller {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		return s.call("a").fault("pause", target, 10*time.Minute).answered("a", "not-obtained", "")
	}
	judge(t, "progress", []verdictCase{
		{name: "one server", story: waiting("lock-2"), want: Invalid, count: 1, text: "starved"},
		{name: "all servers", story: waiting("lock"), want: Valid},
	})
}

// In a deadlock everybody waits for a lock whose holder waits for another one. Who
// waits for one of these locks, and has none, is told of it as well.
func TestProgressTellsADeadlock(t *testing.T) {
	s := story("multi-lock", "off")
	asks := func(w, key string) {
		s.sections[w]++
		s.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: s.sections[w], Key: key})
	}
	takes := func(w, key string) {
		asks(w, key)
		s.tell(history.Event{Type: history.Granted, Worker: w, Key: key, Owner: w, Node: "lock"})
		s.tell(history.Event{Type: history.Acquired, Worker: w, Section: s.sections[w], Key: key})
	}
	takes("a", "x")
	takes("b", "y")
	asks("a", "y")
	asks("b", "x")
	asks("c", "x")
	s.after(10 * time.Minute).final("0")
	h := s.history()
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	results, _, err := Judge(h, sections, []string{"progress"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range results[0].Findings {
		if _, who, found := strings.Cut(f.Text, "; "); found && strings.HasPrefix(f.Text, "deadlock: ") {
			got = append(got, who)
		}
	}
	want := []string{
		"b has it and waits for x, which a has",
		"a has it and waits for y, which b has",
		"a has it and waits for y, which b has and waits for x, which a has",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
