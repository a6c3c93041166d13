package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// plainIndex is an index that is not unique. Only its name matters: scans do not use it.
type plainIndex struct {
	name    string
	table   *table
	valid   bool
	creator *transaction // that has not committed yet
}

// define runs a statement about tables and indexes.
func (s *Session) define(st *Statement, r *Result) error {
	switch e := st.parsed.(type) {
	case *sql.CreateTable:
		r.Tag = "CREATE TABLE"
		if e.Sequence != nil {
			r.Tag = "CREATE SEQUENCE"
		}
		if err := s.writable(r.Tag); err != nil {
			return err
		}
		return s.createTable(e, st.Text)
	case *sql.CreateIndex:
		r.Tag = "CREATE INDEX"
		if err := s.writable(r.Tag); err != nil {
			return err
		}
		return s.createIndex(e, st.Text)
	case *sql.RestartSequence:
		r.Tag = "ALTER SEQUENCE"
		if err := s.writable(r.Tag); err != nil {
			return err
		}
		return s.restartSequence(e, st.Text)
	case *sql.Drop:
		switch r.Tag = "DROP TABLE"; {
		case e.Index:
			r.Tag = "DROP INDEX"
		case e.Sequence:
			r.Tag = "DROP SEQUENCE"
		}
		if err := s.writable(r.Tag); err != nil {
			return err
		}
		return s.drop(e, st.Text)
	case *sql.Truncate:
		r.Tag = "TRUNCATE TABLE"
		if err := s.writable(r.Tag); err != nil {
			return err
		}
		return s.truncate(e)
	}
	return sql.Unsupported("this statement")
}

func (s *Session) createTable(e *sql.CreateTable, text string) error {
	d := s.db
	for _, t := range d.tables {
		if t.name != e.Name || t.creator == nil || t.creator == s.txn {
			continue
		}
		if err := s.waitFor(t.creator); err != nil {
			return err
		}
		if d.find(e.Name, s) != nil {
			key := "pg_type_typname_nsp_index"
			if e.Sequence != nil {
				key = "pg_class_relname_nsp_index" // a table has a type of its name too, which is entered first
			}
			return sql.Errorf("23505", "duplicate key value violates unique constraint \"%s\"", key)
		}
	}
	if d.find(e.Name, s) != nil {
		if e.IfNotExists {
			return nil
		}
		return sql.Errorf("42P07", "relation \"%s\" already exists", e.Name)
	}
	t, err := newTable(s, e)
	if err != nil {
		return err
	}
	t.creator = s.txn
	d.tables = append(d.tables, t)
	d.generation++
	s.txn.schema = append(s.txn.schema, schemaChange{
		text: text,
		undo: func() { d.remove(t) },
		done: func() {
			t.creator = nil
			d.generation++ // other sessions see the table in the catalogue
		},
	})
	return nil
}

// remove removes a table.
func (d *Database) remove(t *table) {
	t.dropped = true
	d.tables = slices.DeleteFunc(d.tables, func(o *table) bool { return o == t })
	d.indexes = slices.DeleteFunc(d.indexes, func(x *plainIndex) bool { return x.table == t })
	d.generation++
}

// tableOf returns a table for a statement that no sequence can have.
func (s *Session) tableOf(name string) (*table, error) {
	t := s.db.find(name, s)
	switch {
	case t == nil:
		return nil, sql.Errorf("42P01", "relation \"%s\" does not exist", name)
	case t.sequence:
		return nil, sql.Unsupported("this statement about a sequence")
	}
	return t, nil
}

// withOwned returns a table and its sequences.
func (d *Database) withOwned(t *table) []*table {
	list := []*table{t}
	for _, o := range d.tables {
		if o.owner == t {
			list = append(list, o)
		}
	}
	return list
}

func (s *Session) drop(e *sql.Drop, text string) error {
	d := s.db
	for _, name := range e.Names {
		if e.Index {
			if err := s.dropIndex(name, e.IfExists, text); err != nil {
				return err
			}
			continue
		}
		kind := "table"
		if e.Sequence {
			kind = "sequence"
		}
		t := d.find(name, s)
		switch {
		case t != nil && t.sequence != e.Sequence, t == nil && !e.IfExists && d.index(name, s) != nil:
			return sql.Errorf("42809", "\"%s\" is not a %s", name, kind)
		case t == nil && e.IfExists:
			continue
		case t == nil:
			return sql.Errorf("42P01", "%s \"%s\" does not exist", kind, name)
		}
		all := d.withOwned(t)
		for _, o := range all {
			if err := s.open(o, accessExclusive); err != nil {
				return err
			}
			o.dropper = s.txn
		}
		d.generation++
		s.txn.schema = append(s.txn.schema, schemaChange{
			text: text,
			undo: func() {
				for _, o := range all {
					o.dropper = nil
				}
			},
			done: func() {
				for _, o := range all {
					d.remove(o)
				}
			},
		})
	}
	return nil
}

func (s *Session) dropIndex(name string, ifExists bool, text string) error {
	d := s.db
	if x := d.index(name, s); x != nil {
		if err := s.open(x.table, accessExclusive); err != nil {
			return err
		}
		d.indexes = slices.DeleteFunc(slices.Clone(d.indexes), func(o *plainIndex) bool { return o == x })
		s.txn.schema = append(s.txn.schema, schemaChange{text: text, undo: func() { d.indexes = append(d.indexes, x) }})
		return nil
	}
	switch {
	case d.find(name, s) != nil:
		return sql.Errorf("42809", "\"%s\" is not an index", name)
	case ifExists:
		return nil
	}
	return sql.Errorf("42704", "index \"%s\" does not exist", name)
}

func (s *Session) truncate(e *sql.Truncate) error {
	for _, name := range e.Tables {
		t, err := s.tableOf(name)
		if err != nil {
			return err
		}
		if err := s.open(t, accessExclusive); err != nil {
			return err
		}
		for _, r := range t.rows {
			if v := r.latest(s.txn); v != nil && v.values != nil {
				r.write(s, nil, v.values)
			}
		}
	}
	return nil
}

// lockTables is LOCK TABLE.
func (s *Session) lockTables(e *sql.Lock) error {
	if !s.txn.explicit && !s.grouped {
		return sql.Errorf("25P01", "LOCK TABLE can only be used in transaction blocks")
	}
	modes := map[string]mode{
		"access share": accessShare, "row share": rowShare, "row exclusive": rowExclusive, "share update exclusive": shareUpdateExclusive,
		"share": share, "share row exclusive": shareRowExclusive, "exclusive": exclusive, "access exclusive": accessExclusive,
	}
	m, ok := modes[e.Mode]
	if !ok {
		return sql.Errorf("42601", "syntax error at or near \"mode\"")
	}
	for _, name := range e.Tables {
		t, err := s.tableOf(name)
		if err != nil {
			return err
		}
		granted, err := t.lock.acquire(s, m, untilCommit, !e.NoWait)
		if err != nil {
			return err
		}
		if !granted {
			return notAvailable("could not obtain lock on relation \"%s\"", name)
		}
	}
	return nil
}
