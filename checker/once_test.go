package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// callFor records that a section is asked for a unit of work.
func (t *scriptedHistory) callFor(w, unit string) *scriptedHistory {
	t.sections[w]++
	t.units[w] = unit
	return t.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: t.sections[w], Key: "x", Unit: unit})
}

// does records a section that does a unit of work.
func (t *scriptedHistory) does(w, unit string) *scriptedHistory {
	return t.callFor(w, unit).grant(w).enter(w, 0).write(w, w).release(w)
}

// mark writes into the item that the unit is done.
func (t *scriptedHistory) mark(w, value string) *scriptedHistory {
	unit := t.units[w]
	delete(t.units, w)
	t.write(w, value)
	t.units[w] = unit
	return t
}

func TestAUnitOfWorkTakesEffectOnce(t *testing.T) {
	cron := func() *scriptedHistory { return story("cron", "off") }
	declined := func(s *scriptedHistory, w, unit string) *scriptedHistory {
		return s.callFor(w, unit).answered(w, history.ClassNotObtained, "not obtained")
	}
	judge(t, "once", []verdictCase{
		{name: "nothing to do", story: cron(), want: Valid},
		{name: "each once", story: cron().does("a", "tick-1").does("b", "tick-2"), want: Valid},
		{name: "done and marked", story: cron().callFor("a", "tick-1").grant("a").enter("a", 0).write("a", "a").mark("a", "1").release("a"), want: Valid},
		{
			name: "marked and not done", story: cron().callFor("a", "tick-1").grant("a").enter("a", 0).mark("a", "1").release("a"),
			want: Invalid, count: 1, text: "missed: a's section 1 was asked for tick-1 and ended without an error, and nobody did it",
		},
		{name: "the other leaves it", story: declined(cron().does("a", "tick-1"), "b", "tick-1"), want: Valid},
		{
			name: "one after the other, and still twice", story: cron().does("a", "tick-1").after(500*time.Millisecond).does("b", "tick-1"),
			want: Invalid, count: 1, text: "twice: tick-1 took effect 2 times within 509ms, by a's section 1, b's section 1",
		},
		{
			name: "twice by one worker", story: cron().does("a", "tick-1").does("a", "tick-1").does("a", "tick-2"),
			want: Invalid, count: 1, text: "twice: tick-1",
		},
		{
			name:  "the resource refused the second",
			story: cron().does("a", "tick-1").callFor("b", "tick-1").grant("b").enter("b", 0).refuse("b", "write", "b").leave("b").answered("b", history.ClassRefused, "refused"),
			want:  Valid,
		},
		{
			name:  "accepted, though nobody heard of it",
			story: cron().does("a", "tick-1").callFor("b", "tick-1").grant("b").enter("b", 0).sendWrite("b", "b").applied("b").info("b").release("b"),
			want:  Invalid, count: 1, text: "twice",
		},
		{
			name:  "perhaps twice",
			story: cron().unwitnessed().does("a", "tick-1").callFor("b", "tick-1").grant("b").enter("b", 0).sendWrite("b", "b").info("b").release("b"),
			want:  Unknown, text: "cannot tell",
		},
		{
			name: "everybody left it to another", story: declined(declined(cron(), "a", "tick-1"), "b", "tick-1"),
			want: Invalid, count: 1, text: "missed: 2 sections were asked for tick-1 and did not get the lock, and nobody did it",
		},
		{
			name: "who had it did nothing", story: declined(cron().callFor("a", "tick-1").grant("a").enter("a", 0).release("a"), "b", "tick-1"),
			want: Invalid, count: 1, text: "missed: 2 sections were asked for tick-1 and ended without an error or did not get the lock, and nobody did it",
		},
		{
			name: "who had it crashed", story: declined(cron().callFor("a", "tick-1").grant("a").enter("a", 0), "b", "tick-1").crash("a"),
			want: Valid,
		},
		{name: "who had it is at work when the run ends", story: declined(cron().callFor("a", "tick-1").grant("a").enter("a", 0), "b", "tick-1"), want: Valid},
		{
			name: "who asked got no answer", story: cron().callFor("a", "tick-1").answered("a", history.ClassUnknown, "no answer"),
			want: Valid,
		},
	})
}

// A job is the work of one worker, which tries again what it did not obtain the lock for.
func TestAJobIsLostIfItsWorkerGoesOn(t *testing.T) {
	refused := func(s *scriptedHistory, unit string) *scriptedHistory {
		return s.callFor("a", unit).answered("a", history.ClassNotObtained, "not obtained")
	}
	jobs := func() *scriptedHistory { return story("jobs", "off") }
	judge(t, "once", []verdictCase{
		{name: "it tries again", story: refused(jobs(), "job-1").does("a", "job-1"), want: Valid},
		{
			name: "it goes on to the next job", story: refused(jobs(), "job-1").does("a", "job-2"), want: Invalid, count: 1,
			text: "missed: a's section 1 was asked for job-1 and did not get the lock, and nobody did it",
		},
		{name: "the run ends before it tries again", story: refused(jobs(), "job-1"), want: Valid},
		{
			name: "its last section did nothing and ended with ok", story: jobs().does("a", "job-1").callFor("a", "job-2").grant("a").enter("a", 0).release("a"),
			want: Invalid, count: 1, text: "missed: a's section 2 was asked for job-2 and ended without an error, and nobody did it",
		},
		{
			name:  "its last section did nothing and ended with ok, before it crashed",
			story: jobs().callFor("a", "job-1").grant("a").enter("a", 0).release("a").crash("a"), want: Invalid, count: 1, text: "missed: a's section 1 was asked for job-1",
		},
		{name: "the run ends within its last section", story: jobs().does("a", "job-1").callFor("a", "job-2").grant("a").enter("a", 0), want: Valid},
		{name: "it crashes before it tries again", story: refused(jobs(), "job-1").crash("a").does("a", "job-2"), want: Valid},
	})
}

// Tick 1 is done twice. Ticks 2 and 3 are left to another worker: of tick 2 every one, and of tick 3 the one
// that would have done it crashes, which can be noticed. Tick 4 is left to the worker that does it.
func TestMetricsCountUnitsThatAreDoneTwiceOrByNoWorker(t *testing.T) {
	s := story("discount", "off").does("a", "tick-1").does("b", "tick-1")
	for _, w := range []string{"a", "b"} {
		s.callFor(w, "tick-2").answered(w, history.ClassNotObtained, "not obtained")
	}
	s.callFor("a", "tick-3").grant("a").enter("a", 0).crash("a").callFor("b", "tick-3").answered("b", history.ClassNotObtained, "not obtained")
	s.callFor("b", "tick-4").answered("b", history.ClassNotObtained, "not obtained").does("c", "tick-4")
	// The two locks of a transfer are asked for in one unit, which is no unit of work that is done once.
	if m := measured(t, story("transfer", "off").does("a", "transfer-1").does("a", "transfer-1")); m.DoneTwice != 0 {
		t.Errorf("%d transfers were done twice", m.DoneTwice)
	}
	m := measured(t, s)
	if m.Jobs != 4 || m.Finished != 2 || m.DoneTwice != 1 || m.Missed != 1 || m.Left != 2 {
		t.Errorf("finished %d of %d, %d twice, %d missed, %d left", m.Finished, m.Jobs, m.DoneTwice, m.Missed, m.Left)
	}
}
