package engine

// Size returns how many versions of rows and entries of keys the database keeps, and how many rows.
func (d *Database) Size() (versions, rows int) {
	for _, t := range d.tables {
		rows += len(t.rows)
		for _, r := range t.rows {
			for v := r.head; v != nil; v = v.older {
				versions++
			}
		}
		for _, x := range t.keys {
			versions += len(x.entries)
		}
	}
	return versions, rows
}
