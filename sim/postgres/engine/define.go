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
	case *sql.Drop:
		r.Tag = "DROP TABLE"
		if e.Index {
			r.Tag = "DROP INDEX"
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
			return sql.Errorf("23505", "duplicate key value violates unique constraint \"pg_type_typname_nsp_index\"")
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

func (s *Session) drop(e *sql.Drop, text string) error {
	d := s.db
	for _, name := range e.Names {
		if e.Index {
			if err := s.dropIndex(name, e.IfExists, text); err != nil {
				return err
			}
			continue
		}
		t := d.find(name, s)
		if t == nil {
			if e.IfExists {
				continue
			}
			if d.index(name, s) != nil {
				return sql.Errorf("42809", "\"%s\" is not a table", name)
			}
			return sql.Errorf("42P01", "table \"%s\" does not exist", name)
		}
		if err := s.open(t, accessExclusive); err != nil {
			return err
		}
		t.dropper = s.txn
		d.generation++
		s.txn.schema = append(s.txn.schema, schemaChange{
			text: text,
			undo: func() { t.dropper = nil },
			done: func() { d.remove(t) },
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
		t := s.db.find(name, s)
		if t == nil {
			return sql.Errorf("42P01", "relation \"%s\" does not exist", name)
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
		t := s.db.find(name, s)
		if t == nil {
			return sql.Errorf("42P01", "relation \"%s\" does not exist", name)
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
