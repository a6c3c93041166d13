package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// at makes the next operations of a worker those on an item.
func (t *scriptedHistory) at(w, item string) *scriptedHistory {
	t.units[w] = item
	return t
}

// callShared calls a section that only reads, under a lock that readers share.
func (t *scriptedHistory) callShared(w string) *scriptedHistory {
	t.sections[w]++
	return t.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: t.sections[w], Key: "x", Mode: "shared"})
}

// pair reads both items.
func (t *scriptedHistory) pair(w, x, y string) *scriptedHistory {
	return t.at(w, "x").read(w, x).at(w, "y").read(w, y)
}

func TestAReaderMustNotSeeAWriterInside(t *testing.T) {
	// The writer a has written x, and y is to come.
	half := func(s *scriptedHistory) *scriptedHistory { return s.acquire("a", 0).at("a", "x").write("a", "a/1") }
	begin := func() *scriptedHistory {
		s := story("read-write", "off")
		s.meta.Initial = nil
		return s
	}
	reader := func(s *scriptedHistory) *scriptedHistory { return s.callShared("r").enter("r", 0) }
	judge(t, "torn-read", []verdictCase{
		{"before and after", reader(begin()).pair("r", "", "").release("r").acquire("a", 0).at("a", "x").write("a", "a/1").at("a", "y").write("a", "a/1").release("a").
			callShared("r").enter("r", 0).pair("r", "a/1", "a/1").pair("r", "a/1", "a/1").release("r"), Valid, "", 0},
		{
			"between two writes", reader(half(begin())).pair("r", "a/1", "").pair("r", "a/1", "").release("r").at("a", "y").write("a", "a/1").release("a"), Invalid,
			`torn: r's section 1 read "a/1" from item x and "" from item y, while a's section 1 was writing: it wrote "a/1" to item y only later`, 1,
		},
		{
			"an item changes", reader(begin()).pair("r", "", "").acquire("a", 0).at("a", "x").write("a", "a/1").at("a", "y").write("a", "a/1").release("a").pair("r", "a/1", "a/1").release("r"),
			Invalid, `torn: r's section 1 read "a/1" from item x and "" from item x`, 1,
		},
		{"the writer crashed half-way", reader(half(begin()).crash("a")).pair("r", "a/1", "").release("r"), Valid, "", 0},
		{"its last write is refused", reader(half(begin()).at("a", "y").refuse("a", "write", "a/1").release("a")).pair("r", "a/1", "").release("r"), Valid, "", 0},
		{
			"its last write comes late", reader(half(begin()).at("a", "y").sendWrite("a", "a/1").leave("a").answered("a", "lost", "lost")).pair("r", "a/1", "").release("r").applied("a"),
			Invalid, "torn", 1,
		},
		{
			"a reader whose work was thrown away", reader(half(begin())).pair("r", "a/1", "").leave("r").answered("r", history.ClassConflict, "conflict").at("a", "y").write("a", "a/1").release("a"), Valid, "", 0,
		},
		{
			"by the reports of the workers", reader(half(begin().unwitnessed())).pair("r", "a/1", "").release("r").at("a", "y").write("a", "a/1").release("a"), Invalid, "torn", 1,
		},
	})
}

// Sections that only read share the lock, even if no server has recorded how it granted it.
func TestSectionsThatOnlyReadShareTheLock(t *testing.T) {
	readers := func() *scriptedHistory {
		return story("read-write", "off").callShared("a").enter("a", 0).callShared("b").enter("b", 0).
			read("a", "0").read("b", "0").read("a", "0").read("b", "0")
	}
	writer := func(s *scriptedHistory) *scriptedHistory {
		return s.call("c").enter("c", 0).write("c", "c/1").read("a", "c/1")
	}
	for _, check := range []string{"exclusion", "belief"} {
		judge(t, check, []verdictCase{
			{check + " of two readers", readers().release("a").release("b"), Valid, "", 0},
			{check + " of a writer among them", writer(readers()).leave("c").release("a").release("b"), Invalid, "", map[string]int{"exclusion": 1, "belief": 2}[check]},
		})
	}
}

// A section that asks for two locks waits for the one that is taken. The other one may be free
// meanwhile.
func TestASectionWaitsForAllItsLocks(t *testing.T) {
	of := func(others string) *scriptedHistory {
		s := story("multi-lock", "off").acquire("b", 0).after(time.Second).release("b") // patience grows with its work
		s.tell(history.Event{Type: history.Granted, Worker: "b", Key: "y", Owner: "b", Node: "lock"})
		s.sections["a"] = 1
		s.tell(history.Event{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x", Others: others}).after(oversleep + 100*time.Millisecond)
		return s.grant("a").enter("a", 0).release("a")
	}
	judge(t, "progress", []verdictCase{
		{"the other lock is taken", of("y"), Valid, "", 0},
		{"it asks for one lock only", of(""), Invalid, "overslept", 1},
	})
	judge(t, "errors", []verdictCase{
		{"not obtained because of the other lock", notObtained("y"), Valid, "", 0},
		{"not obtained from a free lock", notObtained(""), Invalid, "not obtained from a free lock", 1},
	})
}

// notObtained is the history of a section that was turned away from the free lock x.
func notObtained(others string) *scriptedHistory {
	s := story("multi-lock", "off").acquire("b", 0).release("b")
	s.sections["a"] = 1
	return s.tell(history.Event{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x", Others: others}).answered("a", "not-obtained", "")
}
