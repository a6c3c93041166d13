package checker

import (
	"testing"

	"lockquake/checker/internal/linear"
)

// A job is finished if its work is done and no stale write undid it.
func TestAJobIsFinishedIfItsWorkIsDoneAndNotUndone(t *testing.T) {
	for _, test := range []struct {
		name           string
		story          *scriptedHistory
		jobs, finished int64
	}{
		{"done", story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").release("a"), 1, 1},
		{"refused", story("counter", "off").acquire("a", 0).call("b").answered("b", "not-obtained", "").release("a"), 2, 1},
		{"never let in", story("counter", "off").call("a"), 1, 0},
		{"crashed at work", story("counter", "off").acquire("a", 0).read("a", "0").crash("a"), 1, 0},
		{"still at work", story("counter", "off").acquire("a", 0).read("a", "0"), 1, 0},
		{"the write is refused", story("counter", "writes").acquire("a", 1).read("a", "0").sendWrite("a", "1").refused("a").release("a"), 1, 0},
		{
			"lost the lock after its write",
			story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").ended("a", "expired").leave("a").answered("a", "lost", "lost"), 1, 1,
		},
		{
			"the write is undone by a stale one",
			story("counter", "off").acquire("a", 0).read("a", "0").ended("a", "expired").acquire("b", 0).read("b", "0").write("b", "1").release("b").
				write("a", "1").leave("a").answered("a", "lost", "lost"), 2, 1,
		},
		{
			"a later write that is based on another item undoes nothing",
			story("counter", "off").acquire("b", 0).on("b", "y").read("b", "0").ended("b", "expired").acquire("a", 0).read("a", "0").write("a", "1").release("a").
				on("b", "x").write("b", "7").leave("b").answered("b", "lost", "lost"), 2, 2,
		},
		{
			"the next one builds on the write",
			story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").release("a").acquire("b", 0).read("b", "1").write("b", "2").release("b"), 2, 2,
		},
		{
			"the last of its writes is undone by a stale one",
			story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").ended("a", "expired").
				acquire("b", 0).read("b", "1").write("b", "2").write("b", "3").release("b").
				write("a", "2").leave("a").answered("a", "lost", "lost"), 2, 1,
		},
		{
			"the earlier of its writes takes effect last, and is undone by a stale one",
			func() *scriptedHistory {
				s := story("counter", "off").acquire("b", 0).read("b", "0").ended("b", "expired").acquire("a", 0).sendWrite("a", "1")
				first := s.pending["a"]
				s.write("a", "2")
				s.pending["a"] = first
				return s.applied("a").ok("a").release("a").write("b", "1").leave("b").answered("b", "lost", "lost")
			}(), 2, 1,
		},
		{
			"a stale write comes between two writes that overtake each other",
			func() *scriptedHistory {
				s := story("counter", "off").acquire("b", 0).read("b", "0").ended("b", "expired").acquire("a", 0).sendWrite("a", "1")
				first := s.pending["a"]
				s.write("a", "2").write("b", "1")
				s.pending["a"] = first
				return s.applied("a").ok("a").release("a").leave("b").answered("b", "lost", "lost")
			}(), 2, 2,
		},
		{
			"a later write of its own brings back what a stale one undid",
			story("counter", "off").acquire("a", 0).read("a", "0").ended("a", "expired").acquire("b", 0).read("b", "0").
				write("a", "1").write("b", "1").write("a", "2").leave("a").answered("a", "lost", "lost").release("b"), 2, 1,
		},
		{
			"the second of its writes is refused",
			story("counter", "writes").acquire("a", 1).read("a", "0").write("a", "1").sendWrite("a", "2").refused("a").release("a"), 1, 0,
		},
		{"committed after the release", story("counter", "off").commitsLate().acquire("a", 0).read("a", "0").release("a").write("a", "1"), 1, 1},
		{"never committed", story("counter", "off").commitsLate().acquire("a", 0).read("a", "0").release("a").crash("a"), 1, 0},
		{"a late commit that is refused", story("counter", "writes").commitsLate().acquire("a", 1).read("a", "0").release("a").sendWrite("a", "1").refused("a"), 1, 0},
		{
			"a late commit undoes another one",
			story("counter", "off").commitsLate().acquire("a", 0).read("a", "0").release("a").acquire("b", 0).read("b", "0").release("b").write("a", "1").write("b", "1"), 2, 1,
		},
		{
			"a job that is done at its second attempt",
			story("counter", "off").callFor("a", "a/job-1").answered("a", "not-obtained", "").does("a", "a/job-1"), 1, 1,
		},
		{
			"a job whose attempts are used up",
			story("counter", "off").callFor("a", "a/job-1").answered("a", "not-obtained", "").callFor("a", "a/job-1").answered("a", "not-obtained", ""), 1, 0,
		},
		{
			"a candidate that is not elected has no job",
			story("leader", "off").acquire("a", 0).read("a", "0").call("b").answered("b", "not-obtained", "").write("a", "1").release("a"), 1, 1,
		},
		{
			"a candidate that is elected after an attempt has failed",
			story("leader", "off").call("a").answered("a", "other", "down").acquire("a", 0).read("a", "0").write("a", "1").release("a"), 1, 1,
		},
		{
			"a candidate of an election by a library, too",
			story("leader-election", "off").acquire("a", 0).read("a", "0").call("b").answered("b", "not-obtained", "").write("a", "1").release("a"), 1, 1,
		},
		{
			"attempts that fail before the worker is let in are those of one job",
			story("counter", "off").call("a").answered("a", "other", "down").call("a").answered("a", "unknown", "lost").acquire("a", 0).read("a", "0").write("a", "1").release("a"), 1, 1,
		},
		{"a job of which every attempt fails", story("counter", "off").call("a").answered("a", "other", "down").call("a").answered("a", "other", "down"), 1, 0},
		{
			"a crash before it is let in ends its job",
			story("counter", "off").call("a").crash("a").acquire("a", 0).read("a", "0").write("a", "1").release("a"), 2, 1,
		},
		{
			"an attempt of another worker is that of another job",
			story("counter", "off").call("a").answered("a", "other", "down").acquire("b", 0).read("b", "0").write("b", "1").release("b"), 2, 1,
		},
		{
			"work that was begun and fails ends its job",
			story("counter", "writes").acquire("a", 1).read("a", "0").sendWrite("a", "1").refused("a").release("a").acquire("a", 2).read("a", "0").write("a", "1").release("a"), 2, 1,
		},
		{"a unit is one job for all sections", story("cron", "off").does("a", "tick-1").callFor("b", "tick-1").answered("b", "not-obtained", ""), 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := test.story.history()
			sections, err := h.Sections()
			if err != nil {
				t.Fatal(err)
			}
			if jobs, finished := newInput(h, sections, linear.DefaultLimits()).jobs(); jobs != test.jobs || finished != test.finished {
				t.Errorf("finished %d of %d, want %d of %d", finished, jobs, test.finished, test.jobs)
			}
		})
	}
}
