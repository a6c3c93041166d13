package engine

import (
	"strings"

	"lockquake/sim/postgres/sql"
)

// taken returns a row other than self that has one of the unique keys of the values, and the key. It waits for the transactions that
// have written such a row.
func (t *table) taken(s *Session, self *row, keys []*index, values []any) (*row, *index, error) {
again:
	for _, x := range keys {
		key := x.key(values)
		if key == nil {
			continue
		}
		for _, r := range x.entries[key] {
			if r == self || r.head == nil {
				continue
			}
			v := r.latest(s.txn)
			has := v != nil && v.values != nil && x.key(v.values) == key
			if w := r.writer(s.txn); w != nil && (has || r.unfinished(x, key)) {
				if err := s.waitFor(w); err != nil {
					return nil, nil, err
				}
				goto again
			}
			if has {
				return r, x, nil
			}
		}
	}
	return nil, nil, nil
}

// unfinished reports whether a transaction in progress has given the row the key, even if it has taken it back.
func (r *row) unfinished(x *index, key any) bool {
	for v := r.head; v != nil && v.txn != nil; v = v.older {
		if v.values != nil && x.key(v.values) == key {
			return true
		}
	}
	return false
}

// insert adds a row. It waits for transactions that have written a row with one of its keys.
func (t *table) insert(s *Session, values []any) error {
	r := &row{table: t}
	t.rows = append(t.rows, r)
	r.write(s, values, nil)
	return t.unique(s, r, t.keys, values)
}

// unique returns the error about another row that has one of the keys.
func (t *table) unique(s *Session, self *row, keys []*index, values []any) error {
	r, x, err := t.taken(s, self, keys, values)
	if r == nil || err != nil {
		return err
	}
	var names, texts []string
	for _, c := range x.columns {
		names, texts = append(names, t.columns[c].name), append(texts, format(values[c]))
	}
	e := sql.Errorf("23505", "duplicate key value violates unique constraint \"%s\"", x.name)
	e.Detail = "Key (" + strings.Join(names, ", ") + ")=(" + strings.Join(texts, ", ") + ") already exists."
	return e
}

// valid checks the constraints of a row by itself.
func (t *table) valid(f *frame, values []any) error {
	for i, c := range t.columns {
		if c.notNull && values[i] == nil {
			return sql.Errorf("23502", "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.name, t.name)
		}
	}
	for _, c := range t.checks {
		v, err := c.expr.eval(&frame{session: f.session, row: values})
		if err != nil {
			return err
		}
		if v == false {
			return sql.Errorf("23514", "new row for relation \"%s\" violates check constraint \"%s\"", t.name, c.name)
		}
	}
	return nil
}
