package engine

import "lockquake/sim/postgres/sql"

// DatabaseName is the name of the database.
const DatabaseName = "work"

// schemaName is the name of the schema of all tables.
const schemaName = "public"

// catalog returns a view of the system catalogue with the tables that the session sees, nil if there is no such view here. A statement
// that was prepared before a table was made or dropped is compiled again.
func (c *compiler) catalog(name string) *table {
	var names []string
	switch name {
	case sql.InformationSchema + ".tables":
		names = []string{"table_catalog", "table_schema", "table_name", "table_type"}
	case "pg_tables":
		names = []string{"schemaname", "tablename"}
	default:
		return nil
	}
	view := &table{name: name}
	for _, n := range names {
		view.columns = append(view.columns, column{name: n, typ: Text})
	}
	d := c.session.db
	for _, t := range d.tables {
		if t.sequence || d.find(t.name, c.session) != t {
			continue
		}
		all := map[string]any{
			"table_catalog": DatabaseName, "table_schema": schemaName, "table_name": t.name, "table_type": "BASE TABLE",
			"schemaname": schemaName, "tablename": t.name,
		}
		values := make([]any, len(names))
		for i, n := range names {
			values[i] = all[n]
		}
		view.put(values, 0)
	}
	return view
}
