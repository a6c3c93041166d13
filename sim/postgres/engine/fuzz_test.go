package engine_test

import (
	"errors"
	"testing"
	"time"

	"lockquake/sim/postgres/engine"
)

// FuzzStatements looks for statements that the database does not survive.
func FuzzStatements(f *testing.F) {
	for _, text := range []string{
		"select name, version from items where name in (select value from items) order by 2 desc limit 1 for update skip locked",
		"insert into items values ('a', 'b') on conflict (name) do update set version = items.version + excluded.version returning *",
		"with x as (select max(version) as m from items) update items i set version = m from x where i.version < x.m returning *",
		"select case version when 1 then 'a' else value end, coalesce(null, version), version between 1 and 2, cast(value as int) from items",
		"delete from items using items x where items.name = x.name", "select make_interval(secs => 1), extract(epoch from now()), now() - interval '1 h'",
		"create table t (id serial primary key, n int check (n > 0) default 1, unique (n, id))", "select exists (select 1 from items x where x.name = items.value) from items",
		"begin isolation level repeatable read", "select pg_advisory_xact_lock(1, 2), pg_try_advisory_lock(version), hashtext(value) from items", "truncate items",
		"select count(*), sum(version) + 1, min(name) || 'x' from items where not version is distinct from 0", "create index concurrently on items (value)",
		"set local lock_timeout = '1s'", "lock table items in share mode nowait", "drop table if exists items", "select -version % 2, 1.5e3 / version from items",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newScript(engine.Hooks{})
		s.run(items)
		session := s.session("2")
		texts, err := session.Split(text)
		for i := 0; err == nil && i < len(texts); i++ {
			var st *engine.Statement
			if st, err = session.Prepare(texts[i]); err != nil {
				break
			}
			args := make([]any, len(st.Params)) // null
			answered := false
			session.Execute(st, args, 0, func(*engine.Result) { answered = true })
			s.clock.pass(time.Hour)
			if !answered {
				return // such as pg_sleep
			}
		}
		if e := (*engine.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		s.db.Close()
	})
}
