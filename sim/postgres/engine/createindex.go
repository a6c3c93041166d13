package engine

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/postgres/sql"
)

func (s *Session) createIndex(e *sql.CreateIndex, text string) error {
	d := s.db
	if e.Concurrently && (s.txn.explicit || s.grouped) {
		return sql.Errorf("25001", "CREATE INDEX CONCURRENTLY cannot run inside a transaction block")
	}
	t, err := s.tableOf(e.Table)
	if err != nil {
		return err
	}
	m := share
	if e.Concurrently {
		m = shareUpdateExclusive
		s.snapshot = -1
	}
	if err := s.open(t, m); err != nil {
		return err
	}
	for _, c := range e.Columns {
		if t.column(c) < 0 {
			return sql.Errorf("42703", "column \"%s\" does not exist", c)
		}
	}
	name := e.Name
	if name == "" {
		name = t.name + "_" + strings.Join(e.Columns, "_") + "_idx"
	}
	taken := func(name string) bool { return d.index(name, s) != nil || d.find(name, s) != nil }
	for i := 1; e.Name == "" && taken(name); i++ {
		name = fmt.Sprint(t.name, "_", strings.Join(e.Columns, "_"), "_idx", i)
	}
	if taken(name) {
		if e.IfNotExists {
			return nil
		}
		return sql.Errorf("42P07", "relation \"%s\" already exists", name)
	}
	if err := s.awaitIndex(name); err != nil {
		return err
	}
	x := &plainIndex{name: name, table: t}
	d.indexes = append(d.indexes, x)
	change := schemaChange{text: text, undo: func() {}, done: func() { x.valid, x.creator = true, nil }}
	if e.Concurrently {
		// A failure leaves an index behind that is not valid.
		if err := s.waitForOlder(t); err != nil {
			return err
		}
	} else {
		x.creator = s.txn
		change.undo = func() {
			d.indexes = slices.DeleteFunc(d.indexes, func(o *plainIndex) bool { return o == x })
		}
	}
	s.txn.schema = append(s.txn.schema, change)
	return nil
}

// index returns the index of that name that a session sees, nil if there is none.
func (d *Database) index(name string, s *Session) *plainIndex {
	for _, x := range d.indexes {
		if x.name == name && (x.creator == nil || x.creator == s.txn) {
			return x
		}
	}
	return nil
}

// awaitIndex waits for a transaction that has made an index of the same name.
func (s *Session) awaitIndex(name string) error {
	for _, x := range slices.Clone(s.db.indexes) {
		if x.name != name || x.creator == nil || x.creator == s.txn {
			continue
		}
		if err := s.waitFor(x.creator); err != nil {
			return err
		}
		if s.db.index(name, s) != nil {
			return sql.Errorf("23505", "duplicate key value violates unique constraint \"pg_class_relname_nsp_index\"")
		}
	}
	return nil
}

// waitForOlder waits as CREATE INDEX CONCURRENTLY does: twice for all transactions that may write the table, then for all that have a
// snapshot.
func (s *Session) waitForOlder(t *table) error {
	for range 2 {
		var writers []*transaction
		for _, h := range t.lock.holds {
			if h.session != s && h.modes&share.conflicts() != 0 && h.session.txn != nil {
				writers = append(writers, h.session.txn)
			}
		}
		if err := s.waitForAll(writers); err != nil {
			return err
		}
	}
	var readers []*transaction
	for _, o := range s.db.sessions {
		if o != s && o.snapshot >= 0 && o.txn != nil {
			readers = append(readers, o.txn)
		}
	}
	return s.waitForAll(readers)
}

func (s *Session) waitForAll(list []*transaction) error {
	for _, t := range list {
		t.awaited = true
	}
	for _, t := range list {
		if err := s.waitFor(t); err != nil {
			return err
		}
	}
	return nil
}
