package checker

import (
	"fmt"
	"testing"
)

// calls is a history in which workers begin and end their work in the given order: "a" begins to work or
// ends it. Permits is the capacity.
func calls(permits int, order string) *scriptedHistory {
	s := story("limited", "off")
	s.meta.Permits = permits
	open := map[string]bool{}
	for _, letter := range order {
		w := string(letter)
		if open[w] = !open[w]; open[w] {
			s.callShared(w).enter(w, 0).at(w, "x/"+w+"/1").write(w, "begun")
			continue
		}
		s.write(w, "ended").release(w)
	}
	return s
}

// permits sets how many sections of the lock may be at work at once.
func (t *scriptedHistory) permits(n int) *scriptedHistory { t.meta.Permits = n; return t }

func TestNoMoreSectionsAreAtWorkThanThereArePermits(t *testing.T) {
	judge(t, "capacity", []verdictCase{
		{"as many as there are permits", calls(2, "abab"), Valid, "", 0},
		{"one after the other", calls(1, "aabbcc"), Valid, "", 0},
		{"one more", calls(2, "abcabc"), Invalid, "over capacity: c's section 1 was at work under lock x beside a's section 1, b's section 1: 3 at once, and there are permits for 2", 1},
		{"two more", calls(1, "abcabc"), Invalid, "...beside a's section 1: 2 at once, and there are permits for 1", 2},
		{
			"who is called first works last", story("limited", "off").permits(1).callShared("a").callShared("b").enter("b", 0).at("b", "x/b/1").write("b", "begun").write("b", "ended").release("b").
				enter("a", 0).at("a", "x/a/1").write("a", "begun").write("a", "ended").release("a"), Valid, "", 0,
		},
		{"a permit is free again", calls(2, "abacbc"), Valid, "", 0},
		{"each time that one begins", calls(1, "ababcdcd"), Invalid, "over capacity: b's section 1", 2},
		{"by the reports of the workers", calls(1, "abab").unwitnessed(), Invalid, "", 1},
	})
}

// A section that was let in and is refused or sends nothing is not at work.
func TestASectionWithoutAnEffectTakesNoCapacity(t *testing.T) {
	begin := func() *scriptedHistory { return calls(1, "a").callShared("b").enter("b", 0) }
	judge(t, "capacity", []verdictCase{
		{"nothing is sent", begin().release("b").write("a", "ended").release("a"), Valid, "", 0},
		{"the write is refused", begin().refuse("b", "write", "begun").release("b").write("a", "ended").release("a"), Valid, "", 0},
		{"its holder crashed before", calls(1, "a").crash("a").callShared("b").enter("b", 0).write("b", "begun").release("b"), Valid, "", 0},
	})
}

// A history that does not say how many permits there are has nothing to judge.
func TestCapacityNeedsANumberOfPermits(t *testing.T) {
	for permits, want := range map[int]bool{0: false, 3: true} {
		results, err := Run(calls(permits, "abab").history(), []string{"capacity"})
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Applies != want {
			t.Errorf("with %d permits it applies: %v, want %v", permits, results[0].Applies, want)
		}
	}
	h := calls(1, "aa").history()
	h.Meta.LockFree = true
	results, err := Run(h, []string{"capacity"})
	if err != nil || results[0].Applies {
		t.Errorf("it judges a strategy that takes no lock: %v, %v", fmt.Sprint(results), err)
	}
}
