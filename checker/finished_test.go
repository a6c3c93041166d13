package checker

import "testing"

// A job is finished when its work is done and no stale write undid it.
func TestFinishedJobs(t *testing.T) {
	for _, test := range []struct {
		name           string
		story          *teller
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
			"the next one builds on the write",
			story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").release("a").acquire("b", 0).read("b", "1").write("b", "2").release("b"), 2, 2,
		},
		{"a unit is one job for all sections", story("cron", "off").does("a", "tick-1").callFor("b", "tick-1").answered("b", "not-obtained", ""), 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := test.story.history()
			sections, err := h.Sections()
			if err != nil {
				t.Fatal(err)
			}
			if jobs, finished := newInput(h, sections, defaultLimits()).jobs(); jobs != test.jobs || finished != test.finished {
				t.Errorf("finished %d of %d, want %d of %d", finished, jobs, test.finished, test.jobs)
			}
		})
	}
}
