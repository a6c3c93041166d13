package checker

import (
	"testing"

	"lockquake/checker/internal/linear"
	"lockquake/history"
)

// lockFree begins a history of a strategy that takes no lock.
func lockFree() *scriptedHistory {
	t := story("counter", "off")
	t.meta.LockFree = true
	return t
}

// in lets a worker into a section without a grant.
func (t *scriptedHistory) in(w string) *scriptedHistory { return t.call(w).enter(w, 0) }

// again lets a worker into a section that repeats the work of the one before.
func (t *scriptedHistory) again(w string) *scriptedHistory {
	t.sections[w]++
	return t.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: t.sections[w], Key: "x", Again: true}).enter(w, 0)
}

// sendIf sends a write with a condition.
func (t *scriptedHistory) sendIf(w, value string, c history.Condition) *scriptedHistory {
	t.sendWrite(w, value)
	events := t.recorder.Events()
	events[len(events)-1].If = &c
	return t
}

func version(n int64) history.Condition     { return history.Condition{By: "version", Version: n} }
func valueIs(text string) history.Condition { return history.Condition{By: "value", Value: text} }

// conflicts ends a section whose write was refused.
func (t *scriptedHistory) conflicts(w string) *scriptedHistory {
	return t.failed(w, "conflict").answered(w, history.ClassConflict, "conflict")
}

// finishes ends a section with ok.
func (t *scriptedHistory) finishes(w string) *scriptedHistory { return t.leave(w).answered(w, "", "") }

// The item x begins with version 1.
func TestTheResourceMustKeepToConditions(t *testing.T) {
	judge(t, "linearizable", []verdictCase{
		{name: "accepted, as the version is right", story: lockFree().in("a").sendIf("a", "1", version(1)).applied("a").ok("a").finishes("a"), want: Valid},
		{
			name: "accepted, though the version is wrong", want: Invalid, count: 1,
			story: lockFree().in("a").sendIf("a", "1", version(2)).applied("a").ok("a").finishes("a"),
			text:  `...was accepted, though its condition was the version 2 and the item had the value "0" and the version 1`,
		},
		{
			name: "refused, though the version is right", want: Invalid, count: 1,
			story: lockFree().in("a").sendIf("a", "1", version(1)).refused("a").fail("a").conflicts("a"),
			text:  "...was refused, though its condition was the version 1",
		},
		{
			name: "refused, as another write came first", want: Valid,
			story: lockFree().in("a").in("b").read("a", "0").read("b", "0").sendIf("a", "1", version(1)).applied("a").ok("a").finishes("a").
				sendIf("b", "1", version(1)).refused("b").fail("b").conflicts("b").
				again("b").read("b", "1").sendIf("b", "2", version(2)).applied("b").ok("b").finishes("b"),
		},
		{
			name: "accepted, as the value has come back", want: Valid,
			story: lockFree().in("a").write("a", "1").write("a", "0").sendIf("a", "2", valueIs("0")).applied("a").ok("a").finishes("a"),
		},
		{
			name: "accepted, though the version has not come back", want: Invalid, count: 1,
			story: lockFree().in("a").write("a", "1").write("a", "0").sendIf("a", "2", version(1)).applied("a").ok("a").finishes("a"),
		},
		{
			name: "accepted, though the value is another one", want: Invalid, count: 1,
			story: lockFree().in("a").sendIf("a", "1", valueIs("7")).applied("a").ok("a").finishes("a"),
			text:  `...was accepted, though its condition was the value "7" and the item had the value "0" and the version 1`,
		},
		{
			name: "by a worker's report only", want: Invalid, count: 1,
			story: lockFree().unwitnessed().in("a").sendIf("a", "1", version(7)).ok("a").finishes("a"),
		},
		{
			name: "a stale read of work that was thrown away", want: Valid,
			story: lockFree().in("a").write("a", "1").finishes("a").in("b").read("b", "0").sendIf("b", "1", version(1)).refused("b").fail("b").conflicts("b"),
		},
		{
			name: "a stale read of work that counts", want: Invalid, count: 2,
			story: lockFree().in("a").write("a", "1").finishes("a").in("b").read("b", "0").finishes("b"),
		},
	})
}

// An item that did not exist has version 0, which is how a record is inserted once.
func TestARecordIsInsertedOnce(t *testing.T) {
	insert := func(t *scriptedHistory, w string) *scriptedHistory {
		t.units[w] = "record"
		return t.in(w).sendIf(w, w, version(0))
	}
	empty := lockFree()
	empty.units["a"] = "record"
	first := insert(lockFree(), "a").applied("a").ok("a").finishes("a")
	judge(t, "linearizable", []verdictCase{
		{name: "the second is refused", story: insert(first, "b").refused("b").fail("b").conflicts("b"), want: Valid},
		{
			name: "the second is accepted", want: Invalid, count: 1,
			story: insert(insert(lockFree(), "a").applied("a").ok("a").finishes("a"), "b").applied("b").ok("b").finishes("b"),
		},
		{
			name: "an item that does not exist has no value, not even the empty one", want: Invalid, count: 1,
			story: empty.in("a").sendIf("a", "1", valueIs("")).applied("a").ok("a").finishes("a"),
		},
	})
}

func TestASectionThatEndsWithConflictHasHadNoEffect(t *testing.T) {
	judge(t, "errors", []verdictCase{
		{name: "its write was refused", story: lockFree().in("a").sendIf("a", "1", version(9)).refused("a").fail("a").conflicts("a"), want: Valid},
		{name: "its work ended without an error", story: lockFree().in("a").sendIf("a", "1", version(9)).refused("a").fail("a").leave("a").answered("a", history.ClassConflict, "conflict"), want: Valid},
		{name: "its write was lost", story: lockFree().in("a").sendIf("a", "1", version(1)).info("a").conflicts("a"), want: Valid},
		{
			name: "its write took effect, and the reply was lost", want: Invalid, count: 1,
			story: lockFree().in("a").sendIf("a", "1", version(1)).applied("a").info("a").conflicts("a").again("a").write("a", "2").finishes("a"),
			text:  `conflict though done: a's section 1 ended as if it had had no effect, and its write of "1" to item x had taken effect`,
		},
		{
			name: "ok, and its last write repeats one that took effect", want: Valid,
			story: lockFree().in("a").sendIf("a", "1", version(1)).applied("a").info("a").sendIf("a", "1", version(1)).refused("a").fail("a").finishes("a"),
		},
		{
			name: "ok, and its last write, of another value, was refused", want: Invalid, count: 1, text: "masked",
			story: lockFree().in("a").sendIf("a", "1", version(1)).applied("a").ok("a").sendIf("a", "2", version(9)).refused("a").fail("a").finishes("a"),
		},
		{
			name: "ok, and its last write, of another item, was refused", want: Invalid, count: 1, text: "masked",
			story: lockFree().in("a").sendIf("a", "1", version(1)).applied("a").ok("a").on("a", "y").sendIf("a", "1", version(9)).refused("a").fail("a").finishes("a"),
		},
		{
			name: "ok, and its last write was refused", want: Invalid, count: 1,
			story: lockFree().in("a").sendIf("a", "1", version(9)).refused("a").fail("a").finishes("a"),
			text:  "masked",
		},
	})
}

// Two sections overlap, and both are let in: under a lock that violates exclusion and belief.
func TestChecksOfHoldersDoNotApplyWithoutALock(t *testing.T) {
	overlap := func(t *scriptedHistory) *scriptedHistory {
		return t.in("a").in("b").read("a", "0").read("b", "0").read("a", "0").finishes("a").finishes("b")
	}
	free, locked := overlap(lockFree()).history(), overlap(story("counter", "off")).history()
	for _, c := range Catalogue() {
		if r := mustRun(t, free, c.Name)[0]; c.OfHolders && (r.Applies || r.Verdict != Valid) {
			t.Errorf("%s applies to a strategy without a lock: %+v", c.Name, r)
		}
	}
	for _, check := range []string{"exclusion", "belief"} {
		if r := mustRun(t, locked, check)[0]; r.Verdict != Invalid {
			t.Errorf("%s is %s of the same history with a lock", check, r.Verdict)
		}
	}
}

// However often its work is repeated, a job is one job.
func TestRepeatedWorkIsOneJob(t *testing.T) {
	for _, test := range []struct {
		name           string
		story          *scriptedHistory
		jobs, finished int64
	}{
		{"done at last", lockFree().in("a").conflicts("a").again("a").conflicts("a").again("a").write("a", "1").finishes("a"), 1, 1},
		{"given up", lockFree().in("a").conflicts("a").again("a").conflicts("a"), 1, 0},
		{"two jobs", lockFree().in("a").conflicts("a").again("a").write("a", "1").finishes("a").in("a").write("a", "2").finishes("a"), 2, 2},
	} {
		h := test.story.history()
		sections, err := h.Sections()
		if err != nil {
			t.Fatal(err)
		}
		if jobs, finished := newInput(h, sections, linear.DefaultLimits()).jobs(); jobs != test.jobs || finished != test.finished {
			t.Errorf("%s: finished %d of %d, want %d of %d", test.name, finished, jobs, test.finished, test.jobs)
		}
	}
}

// An owner that keeps its grant has one token for many sections, and no other worker has it.
func TestAKeptGrantHasOneToken(t *testing.T) {
	kept := func() *scriptedHistory {
		t := story("counter", "off").fenced()
		t.meta.Keeps = true
		return t.call("a").grant("a").enter("a", 1).leave("a").answered("a", "", "").call("a").enter("a", 1).leave("a").answered("a", "", "")
	}
	judge(t, "fencing", []verdictCase{
		{name: "one owner", story: kept(), want: Valid},
		{name: "the next owner", story: kept().expire("a").call("b").grant("b").enter("b", 2).leave("b").answered("b", "", ""), want: Valid},
		{
			name: "two owners", story: kept().expire("a").call("b").grant("b").enter("b", 1).leave("b").answered("b", "", ""), want: Invalid, count: 1,
			text: "went back: a's section 1 and b's section 1 both got token 1",
		},
	})
	for _, c := range Catalogue() {
		if r := mustRun(t, kept().history(), c.Name)[0]; c.OfGrants && (r.Applies || r.Verdict != Valid) {
			t.Errorf("%s applies to a kept grant: %+v", c.Name, r)
		}
	}
}
