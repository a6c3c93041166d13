package engine_test

import (
	"testing"

	"lockquake/sim/postgres/engine"
)

func BenchmarkStatements(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"lock", "select pg_advisory_lock($1)"},
		{"xact lock", "select pg_advisory_xact_lock($1)"},
		{"read", "select value, version from items where name = 'item-' || $1::bigint"},
		{"update", "update items set value = 'x', version = version + 1 where name = 'item-1' and version >= $1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newScript(engine.Hooks{})
			s.run("1> create table items (name text primary key, value text not null, version bigint not null default 0)\n1> insert into items values ('item-1', 'a'), ('item-2', 'b')\n")
			session := s.session("2")
			args := []any{int64(1)}
			b.ReportAllocs()
			for b.Loop() {
				st, err := session.Prepare(c.text)
				if err != nil {
					b.Fatal(err)
				}
				session.Execute(st, args, 0, func(r *engine.Result) {
					if r.Err != nil {
						b.Fatal(r.Err)
					}
				})
				session.Sync()
			}
		})
	}
}
