package table

import "maps"

// Copy returns a store with the present items, without the tokens of transactions.
func (s *Store) Copy() *Store {
	c := &Store{tables: map[string]*table{}, tokens: map[string]*token{}}
	for name, t := range s.tables {
		c.tables[name] = &table{t.Schema, maps.Clone(t.items)}
	}
	return c
}
