package engine

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/sim/postgres/sql"
)

// table is a table with its rows, in the order of their insertion.
type table struct {
	name    string
	columns []column
	keys    []*index // the primary key is the first, if there is one
	primary bool
	checks  []check
	rows    []*row
	dead    int // rows that no transaction sees any more

	lock    lock
	creator *transaction // that has not committed yet
	dropper *transaction // that has not committed yet
	dropped bool
	serials []int64 // the last value of each serial column, by column

	sequence bool   // serials has only its last value
	owner    *table // of a sequence: is dropped with it

	definition *sql.CreateTable
}

type column struct {
	name    string
	typ     Type
	notNull bool
	serial  bool
	value   node // of DEFAULT
}

type check struct {
	name string
	expr node
}

// index is a unique key of a table.
type index struct {
	name    string
	columns []int
	entries map[any][]*row // each has a version with the key
}

// row is a row with its versions, the newest first.
type row struct {
	table   *table
	head    *version
	lockers []locker
}

// version is the values of a row after one statement.
type version struct {
	values  []any        // nil if the row was deleted
	txn     *transaction // that made it; nil once it has committed
	commit  int64        // the number of the commit
	command int
	older   *version
	tuple   *lock // establishes who is next to lock the row

	// How strong the lock was with which it replaced the older version. It may be stronger than the change needs.
	by strength

	// The transactions that had locked this version when it was replaced, or that locked its key later.
	members []locker
}

// latest returns the newest version that has committed or is the transaction's own, nil if there is none.
func (r *row) latest(t *transaction) *version {
	v := r.head
	for v != nil && v.txn != nil && v.txn != t {
		v = v.older
	}
	return v
}

// writer returns the transaction of another session that has written the row and not ended, nil if there is none.
func (r *row) writer(t *transaction) *transaction {
	if r.head != nil && r.head.txn != t {
		return r.head.txn
	}
	return nil
}

// visible returns the version that the running statement sees, nil if there is none.
func (r *row) visible(s *Session) *version {
	for v := r.head; v != nil; v = v.older {
		if v.txn == nil && v.commit <= s.snapshot || v.txn != nil && v.txn == s.txn && v.command < s.txn.command {
			if v.values == nil {
				return nil
			}
			return v
		}
	}
	return nil
}

// write gives the row a new version; nil values delete it.
func (r *row) write(s *Session, values, old []any) {
	t := s.txn
	v := &version{values: values, txn: t, command: t.command, older: r.head, by: r.held(t)}
	for _, l := range r.lockers {
		if l.txn != t {
			v.older.members = append(v.older.members, l)
		}
	}
	r.head = v
	t.written = append(t.written, written{r, v, old, s.job.tag})
	if values == nil {
		return
	}
	for _, x := range r.table.keys {
		if v.older == nil || v.older.values == nil || !x.same(v.older.values, values) {
			x.add(r, values)
		}
	}
}

// undo removes the newest version.
func (r *row) undo(v *version) {
	r.head = v.older
	r.forget(v)
	if r.head == nil {
		r.table.bury()
	}
}

// forget removes the keys of a version that no other version of the row has.
func (r *row) forget(gone *version) {
	if gone.values == nil {
		return
	}
	for _, x := range r.table.keys {
		key := x.key(gone.values)
		if key == nil {
			continue
		}
		kept := false
		for v := r.head; v != nil && !kept; v = v.older {
			kept = v.values != nil && x.key(v.values) == key
		}
		if !kept {
			x.remove(r, key)
		}
	}
}

// prune removes the versions of a row that no statement can see any more.
func (d *Database) prune(r *row) {
	newest := r.head
	if newest == nil || newest.txn != nil {
		return
	}
	for _, s := range d.sessions {
		if s.snapshot >= 0 && s.snapshot < newest.commit {
			if newest.values == nil {
				d.garbage = append(d.garbage, r)
			}
			return
		}
	}
	for v := newest.older; v != nil; v = v.older {
		newest.older = v.older
		r.forget(v)
	}
	if newest.values == nil {
		r.head = nil
		r.table.bury()
	}
	if len(d.garbage) > 0 {
		list := d.garbage
		d.garbage = nil
		for _, r := range list {
			d.prune(r)
		}
	}
}

// bury counts a row without versions, and removes such rows once they are many. Scans under way keep the old list.
func (t *table) bury() {
	t.dead++
	if t.dead < 16 || t.dead < len(t.rows)/2 {
		return
	}
	var list []*row
	for _, r := range t.rows {
		if r.head != nil {
			list = append(list, r)
		}
	}
	t.rows, t.dead = list, 0
}

// key returns the key of a row as a map has it, nil if a column is null.
func (x *index) key(values []any) any {
	if len(x.columns) == 1 {
		return values[x.columns[0]]
	}
	var b strings.Builder
	for _, c := range x.columns {
		if values[c] == nil {
			return nil
		}
		t := format(values[c])
		b.WriteString(strconv.Itoa(len(t)))
		b.WriteByte(' ')
		b.WriteString(t)
	}
	return b.String()
}

// same reports whether two versions have the same key.
func (x *index) same(a, b []any) bool {
	for _, c := range x.columns {
		if a[c] != b[c] {
			return false
		}
	}
	return true
}

func (x *index) add(r *row, values []any) {
	key := x.key(values)
	if key == nil {
		return
	}
	list := x.entries[key]
	if !slices.Contains(list, r) {
		x.entries[key] = append(slices.Clip(list), r)
	}
}

func (x *index) remove(r *row, key any) {
	var list []*row
	for _, o := range x.entries[key] {
		if o != r {
			list = append(list, o)
		}
	}
	if list == nil {
		delete(x.entries, key)
		return
	}
	x.entries[key] = list
}

// column returns the place of a column, -1 if the table does not have it.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
}

// keyText returns the primary key of a row as a text; without one, all columns are the key.
func (t *table) keyText(values []any) string {
	if t.primary && len(t.keys[0].columns) == 1 {
		return format(values[t.keys[0].columns[0]])
	}
	var list []string
	for i, v := range values {
		if !t.primary || slices.Contains(t.keys[0].columns, i) {
			list = append(list, format(v))
		}
	}
	return strings.Join(list, ",")
}

// find returns the table of that name that a session sees.
func (d *Database) find(name string, s *Session) *table {
	for _, t := range d.tables {
		if t.name == name && (t.creator == nil || s != nil && t.creator == s.txn) && (t.dropper == nil || s == nil || t.dropper != s.txn) {
			return t
		}
	}
	return nil
}

// open returns the table and locks it until the end of the transaction.
func (s *Session) open(t *table, m mode) error {
	_, err := t.lock.acquire(s, m, untilCommit, true)
	if err == nil && t.dropped {
		return sql.Errorf("42P01", "relation \"%s\" does not exist", t.name)
	}
	return err
}
