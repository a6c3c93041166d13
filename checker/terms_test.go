package checker

import (
	"testing"
	"time"
)

// Every event comes a millisecond after the one before it.
func TestMetricsCountTermsAndTheTimesWithTwoHoldersAndWithNone(t *testing.T) {
	s := story("counter", "off")
	s.meta.Workers = []string{"a", "b"}
	s.acquire("a", 0) // called at 1 ms, inside at 3
	s.read("a", "0")  // 4, 5, 6
	s.expire("a")     // 7
	s.acquire("b", 0) // called at 8, inside at 10
	s.read("b", "0")  // invoked at 11, takes effect at 12
	s.write("a", "1") // invoked at 14, takes effect at 15
	s.told("a")       // 17
	s.write("b", "1") // invoked at 18, takes effect at 19
	s.write("a", "2") // invoked at 21, takes effect at 22, and a knows that it has lost
	s.leave("a").answered("a", "lost", "lost")
	s.release("b") // left at 26
	s.meta.Duration = 40 * time.Millisecond
	s.until(50*time.Millisecond).fault("pause", "a", 0)
	m := measured(t, s)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	if m.Tenure.N != 2 || m.Tenure.Total != SumOf(ms(14+16)) || m.Tenure.Max != ms(16) {
		t.Errorf("%d terms, %v in all, at most %v", m.Tenure.N, m.Tenure.Total, m.Tenure.Max)
	}
	if m.TwoHolders.N != 1 || m.TwoHolders.Total != SumOf(ms(7)) {
		t.Errorf("two holders %d times, %v in all", m.TwoHolders.N, m.TwoHolders.Total)
	}
	if m.ActsOfTwo != 3 { // of b at 12, of a at 15 and 22; not of b at 19
		t.Errorf("%d acts of two", m.ActsOfTwo)
	}
	if m.NoHolder.N != 2 || m.NoHolder.Total != SumOf(ms(3+40-26)) {
		t.Errorf("no holder %d times, %v in all", m.NoHolder.N, m.NoHolder.Total)
	}
}

func TestASectionThatIsNotLetInHasNoTerm(t *testing.T) {
	m := measured(t, story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").answered("b", "not-obtained", "").release("a"))
	if m.Tenure.N != 1 || m.TwoHolders.N != 0 {
		t.Errorf("%d terms, and two holders %d times, want 1 and 0", m.Tenure.N, m.TwoHolders.N)
	}
}

// a is inside from 3 ms on, is told of a loss at 4, and writes at 6. b is inside from 12 ms on.
func TestAWriteOfNoHolderIsNoTerm(t *testing.T) {
	s := story("counter", "off").acquire("a", 0).told("a").write("a", "1").leave("a").answered("a", "lost", "lost")
	s.meta.Duration = 12 * time.Millisecond
	m := measured(t, s.expire("a").call("b").enter("b", 0))
	if m.NoHolder.N != 2 || m.NoHolder.Total != SumOf((3+8)*time.Millisecond) {
		t.Errorf("no holder %d times, %v in all, want 2 times, 11ms", m.NoHolder.N, m.NoHolder.Total)
	}
}

// A writer a and a reader b consider themselves holders at the same time, whichever of them came first.
func TestAReaderBesideAWriterIsASecondHolder(t *testing.T) {
	for _, first := range []string{"a", "b"} {
		s := story("read-write", "off")
		s.meta.Workers = []string{"a", "b"}
		enter := func(w string) {
			if s.call(w); w == "b" {
				s.share(w).enter(w, 0)
			} else {
				s.grant(w).enter(w, 0)
			}
		}
		enter(first)
		enter(map[string]string{"a": "b", "b": "a"}[first])
		m := measured(t, s.read("b", "0").write("a", "a/1").read("b", "a/1").release("a").release("b"))
		if m.TwoHolders.N != 1 || m.ActsOfTwo != 3 {
			t.Errorf("%s first: two holders %d times, %d acts", first, m.TwoHolders.N, m.ActsOfTwo)
		}
	}
}

func TestReadersThatShareALockAreNotTwoHolders(t *testing.T) {
	for _, shared := range []bool{false, true} {
		s := story("read-write", "off")
		s.meta.Workers = []string{"a", "b"}
		for _, w := range []string{"a", "b"} {
			if s.call(w); shared {
				s.share(w).enter(w, 0)
			} else {
				s.grant(w).enter(w, 0)
			}
		}
		m := measured(t, s.release("a").release("b"))
		if (m.TwoHolders.N == 0) != shared {
			t.Errorf("shared %v: two holders %d times", shared, m.TwoHolders.N)
		}
	}
}
