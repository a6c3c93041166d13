package engine

import (
	"fmt"
	"strings"

	"lockquake/sim/postgres/sql"
)

// newSequence makes a sequence, which is a table without columns.
func newSequence(s *Session, e *sql.CreateTable) (*table, error) {
	t := &table{name: e.Name, definition: e, sequence: true, serials: []int64{e.Sequence.Start - 1}}
	t.lock = lock{object: relation, name: LockName{Table: e.Name}}
	if c := e.Sequence.Owner; c != nil {
		switch t.owner = s.db.find(c.Table, s); {
		case t.owner == nil:
			return nil, sql.Errorf("42P01", "relation \"%s\" does not exist", c.Table)
		case t.owner.column(c.Name) < 0:
			return nil, sql.Errorf("42703", "column \"%s\" of relation \"%s\" does not exist", c.Name, c.Table)
		}
	}
	return t, nil
}

// openSequence returns a sequence, and locks it until the end of the transaction.
func (s *Session) openSequence(name string, m mode) (*table, error) {
	t := s.db.find(name, s)
	switch {
	case t == nil:
		return nil, sql.Errorf("42P01", "relation \"%s\" does not exist", name)
	case !t.sequence:
		return nil, sql.Errorf("42809", "\"%s\" is not a sequence", name)
	}
	return t, s.open(t, m)
}

// nextval is the function nextval. A value that a transaction has drawn is not drawn again, also if the transaction aborts.
func (s *Session) nextval(text string) (any, error) {
	name := strings.TrimPrefix(text, schemaName+".")
	if quoted, isQuoted := strings.CutPrefix(name, `"`); isQuoted {
		name = strings.TrimSuffix(quoted, `"`)
	} else {
		name = strings.ToLower(name)
	}
	t, err := s.openSequence(name, rowExclusive)
	if err != nil {
		return nil, err
	}
	if err := s.writable("nextval()"); err != nil {
		return nil, err
	}
	t.serials[0]++
	s.txn.schema = append(s.txn.schema, schemaChange{
		text: fmt.Sprintf("alter sequence %q restart with %d", name, t.serials[0]+1), // for a standby
		undo: func() {},
	})
	return t.serials[0], nil
}

// restartSequence is ALTER SEQUENCE ... RESTART.
func (s *Session) restartSequence(e *sql.RestartSequence, text string) error {
	if e.IfExists && s.db.find(e.Name, s) == nil {
		return nil
	}
	t, err := s.openSequence(e.Name, shareRowExclusive)
	if err != nil {
		return err
	}
	before := t.serials[0]
	if t.serials[0] = e.With - 1; e.With == 0 {
		t.serials[0] = t.definition.Sequence.Start - 1
	}
	s.txn.schema = append(s.txn.schema, schemaChange{text: text, undo: func() { t.serials[0] = before }})
	return nil
}
