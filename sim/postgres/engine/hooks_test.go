package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/postgres/engine"
)

func TestCommitHookHasTheChangesOfATransactionInOrder(t *testing.T) {
	var got []string
	s := newScript(engine.Hooks{Commit: func(s *engine.Session, changes []engine.Change) {
		for _, c := range changes {
			got = append(got, fmt.Sprint(s.PID(), " ", c.Table, " ", c.Key, " ", c.Old, " ", c.New, " ", c.Tag, " ", c.Schema))
		}
	}})
	s.run(items)
	got = nil
	a := s.session("2")
	exec(t, a, "begin")
	exec(t, a, "update items set value = $1 where name = 'a'", "z")
	exec(t, a, "insert into items values ('c', 'n')")
	exec(t, a, "delete from items where name = 'b'")
	exec(t, a, "update items set version = 1 where name = 'a'")
	if got != nil {
		t.Errorf("changes before the commit: %v", got)
	}
	exec(t, a, "commit")
	exec(t, a, "begin")
	exec(t, a, "update items set value = 'lost'")
	exec(t, a, "rollback")
	exec(t, a, "select 1")
	want := []string{
		"2 items a [a x 0] [a z 0] 7 ",
		"2 items c [] [c n 0] 7 ",
		"2 items b [b y 0] [] 7 ",
		"2 items a [a z 0] [a z 1] 7 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLocksHookHasEachChangeOfHolders(t *testing.T) {
	var got []string
	var s *script
	s = newScript(engine.Hooks{Locks: func(n engine.LockName) {
		line := n.String() + ":"
		for _, h := range s.db.Holders(n) {
			line += fmt.Sprintf(" %d(%d)", h.Session.PID(), h.Count)
		}
		got = append(got, line)
	}})
	s.run(items)
	got = nil
	s.run(`1> begin
1> select pg_advisory_xact_lock(5)
2> select pg_advisory_lock(5)
1> select pg_advisory_xact_lock(5)
1> update items set value = 'z' where name = 'a'
1> commit
2> select pg_advisory_xact_lock(1, 2)
2> \close
3> begin
3> insert into items values ('c', 'n')
3> update items set value = 'm' where name = 'c'
3> rollback
3> delete from items where name = 'b'
`)
	want := []string{"5: 1(1)", "5: 1(2)", "items/a: 1(1)", "items/a:", "5:", "5: 2(1)", "1,2: 2(1)", "1,2:", "5:", "items/c: 3(1)", "items/c:", "items/b: 3(1)", "items/b:"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEndedHookHasTheReason is about sessions that end without a statement.
func TestEndedHookHasTheReason(t *testing.T) {
	var got []string
	s := newScript(engine.Hooks{Ended: func(s *engine.Session, err *engine.Error) {
		got = append(got, fmt.Sprint(s.PID(), " ", err.Code))
	}})
	s.run(`1> set idle_in_transaction_session_timeout = 100
1> begin
2> select 1
3> select pg_advisory_lock(1)
4> select pg_advisory_lock(1)
> \after 1s
2> \terminate
4> \terminate
3> \close
`)
	if got := strings.Join(got, ", "); got != "1 25P03, 2 57P01, 4 57P01, 3 08006" {
		t.Error(got)
	}
}
