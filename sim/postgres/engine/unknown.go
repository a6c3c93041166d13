package engine

import (
	"slices"
	"strings"

	"lockquake/sim/postgres/sql"
)

// unknownFunction returns the error about a function that is not simulated. PostgreSQL has some of them.
func unknownFunction(name string, args []node) error {
	if isOfPostgreSQL(name) {
		return sql.Unsupported("function " + name)
	}
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = a.typ.String()
	}
	return sql.Errorf("42883", "function %s(%s) does not exist", name, strings.Join(types, ", "))
}

// isOfPostgreSQL reports whether PostgreSQL has a function of a name that is not simulated, as far as locks and queues use them.
func isOfPostgreSQL(name string) bool {
	for _, family := range []string{"array_", "current_", "date_", "has_", "inet_", "json", "pg_", "regexp_", "string_", "to_", "txid_"} {
		if strings.HasPrefix(name, family) {
			return len(functions(name)) == 0
		}
	}
	return slices.Contains([]string{
		"age", "avg", "bool_and", "bool_or", "ceil", "concat", "currval", "digest", "encode", "floor", "format", "gen_random_uuid", "generate_series",
		"lastval", "left", "md5", "mod", "power", "random", "replace", "right", "round", "row_number", "setval", "substr", "trim", "unnest",
	}, name)
}
