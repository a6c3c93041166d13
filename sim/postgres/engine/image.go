package engine

import (
	"maps"
	"slices"

	"lockquake/sim/postgres/sql"
)

// Image is the data of a database: what its transactions have committed. It does not change.
type Image struct {
	tables  []tableImage
	indexes []plainIndex
}

type tableImage struct {
	table   *table // without rows
	rows    [][]any
	serials []int64
}

// Image returns the data of the database.
func (d *Database) Image() *Image {
	m := &Image{}
	for _, t := range d.tables {
		if t.creator == nil {
			m.tables = append(m.tables, tableImage{t, t.committed(), slices.Clone(t.serials)})
		}
	}
	for _, x := range d.indexes {
		if x.creator == nil {
			m.indexes = append(m.indexes, *x)
		}
	}
	return m
}

// Restore fills an empty database with the data of an image.
func (d *Database) Restore(m *Image) error {
	d.commits++
	for _, i := range m.tables {
		t, err := newTable(&Session{db: d}, i.table.definition)
		if err != nil {
			return err
		}
		copy(t.serials, i.serials)
		d.tables = append(d.tables, t)
		for _, values := range i.rows {
			t.put(values, d.commits)
		}
		for _, x := range m.indexes {
			if x.table == i.table {
				d.indexes = append(d.indexes, &plainIndex{name: x.name, table: t, valid: x.valid})
			}
		}
	}
	d.generation++
	return nil
}

// put adds a row that has been committed.
func (t *table) put(values []any, commit int64) {
	r := &row{table: t, head: &version{values: values, commit: commit}}
	t.rows = append(t.rows, r)
	for _, x := range t.keys {
		x.add(r, values)
	}
}

// committed returns the values of the rows that transactions have committed, in the order of their insertion.
func (t *table) committed() [][]any {
	var list [][]any
	for _, r := range t.rows {
		if v := r.latest(nil); v != nil && v.values != nil {
			list = append(list, v.values)
		}
	}
	return list
}

// Rows returns the committed rows of a table in the order of the primary key, nil if there is no such table.
func (d *Database) Rows(name string) [][]any {
	t := d.find(name, nil)
	if t == nil {
		return nil
	}
	list := t.committed()
	if t.primary {
		slices.SortStableFunc(list, func(a, b []any) int {
			for _, c := range t.keys[0].columns {
				if n := compare(a[c], b[c]); n != 0 {
					return n
				}
			}
			return 0
		})
	}
	return list
}

// Row returns the committed values of the row with a primary key, nil if there is none.
func (d *Database) Row(name, key string) []any {
	var values []any
	d.rowsOf(LockName{Table: name, Key: key}, func(t *table, r *row) {
		if v := r.latest(nil); v != nil && v.values != nil && t.keyText(v.values) == key {
			values = v.values
		}
	})
	return values
}

// Apply commits the changes of another database, as a standby does. Rows that are locked here are changed too.
func (d *Database) Apply(changes []Change) error {
	d.commits++
	for _, c := range changes {
		if c.Schema != "" {
			if err := d.applySchema(c.Schema); err != nil {
				return err
			}
			continue
		}
		t := d.find(c.Table, nil)
		if t == nil {
			return sql.Errorf("42P01", "relation \"%s\" does not exist", c.Table)
		}
		if c.Old == nil {
			t.put(c.New, d.commits)
			t.follow(c.New)
			continue
		}
		r := t.rowOf(c.Old)
		if r == nil {
			return sql.Errorf("XX000", "table \"%s\" has no row %s to change", c.Table, c.Key)
		}
		r.head = &version{values: c.New, commit: d.commits, older: r.head}
		if c.New != nil {
			for _, x := range t.keys {
				x.add(r, c.New)
			}
		}
		d.prune(r)
	}
	return nil
}

// follow raises the serial columns to the values of a row that another database has inserted.
func (t *table) follow(values []any) {
	for i, c := range t.columns {
		if n, ok := values[i].(int64); ok && c.serial {
			t.serials[i] = max(t.serials[i], n)
		}
	}
}

// rowOf returns the row with the primary key of the values; without a primary key, one with the same values.
func (t *table) rowOf(values []any) *row {
	rows := t.rows
	if t.primary {
		rows = t.keys[0].entries[t.keys[0].key(values)]
	}
	for _, r := range rows {
		if v := r.latest(nil); v != nil && v.values != nil && t.keyText(v.values) == t.keyText(values) {
			return r
		}
	}
	return nil
}

// applySchema runs a statement about tables, without the hooks.
func (d *Database) applySchema(text string) error {
	list, err := sql.Parse(text)
	if err != nil {
		return err
	}
	s := &Session{db: d, snapshot: -1}
	s.begin(false)
	s.txn.readOnly = false
	if err := s.define(&Statement{Text: text, parsed: list[0].Statement}, &Result{}); err != nil {
		s.abort()
		return err
	}
	done := s.txn.schema
	s.txn.schema = nil
	s.commit()
	for _, c := range done {
		if c.done != nil {
			c.done()
		}
	}
	return nil
}

// Tables returns the names of the tables, in order.
func (d *Database) Tables() []string {
	names := map[string]bool{}
	for _, t := range d.tables {
		if t.creator == nil && !t.sequence {
			names[t.name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
