package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/postgres/engine"
)

const items = `1> create table items (name text primary key, value text not null, version bigint not null default 0)
1> insert into items values ('a', 'x'), ('b', 'y')
`

// exec runs a statement to its end and returns its rows.
func exec(t *testing.T, s *engine.Session, text string, args ...any) [][]any {
	t.Helper()
	st, err := s.Prepare(text)
	if err != nil {
		t.Fatal(text, err)
	}
	var result *engine.Result
	s.Execute(st, args, 7, func(r *engine.Result) { result = r })
	if result == nil || result.Err != nil {
		t.Fatalf("%s: %v", text, result)
	}
	return result.Rows
}

// TestStandbyHasWhatThePrimaryHasCommitted applies the changes of one database to another.
func TestStandbyHasWhatThePrimaryHasCommitted(t *testing.T) {
	standby := newScript(engine.Hooks{})
	standby.db.SetRecovery(true)
	primary := newScript(engine.Hooks{Commit: func(_ *engine.Session, changes []engine.Change) {
		if err := standby.db.Apply(changes); err != nil {
			t.Error(err)
		}
	}})
	primary.run(items + `1> create table jobs (id bigserial primary key, n int unique)
1> insert into jobs (n) values (5), (6)
1> begin
1> update items set name = 'c' where name = 'b'
1> delete from jobs where n = 5
1> insert into jobs (n) values (7)
1> update jobs set n = 8 where n = 7
1> commit
1> create table gone (id int)
1> create sequence gone_too owned by gone.id
1> drop table gone
1> create sequence tokens
1> select nextval('tokens')
1> select nextval('tokens')
1> begin
1> insert into jobs (n) values (100)
`)
	for _, table := range primary.db.Tables() {
		if diff := cmp.Diff(primary.db.Rows(table), standby.db.Rows(table)); diff != "" {
			t.Error(table, diff)
		}
	}
	if diff := cmp.Diff([]string{"items", "jobs"}, standby.db.Tables()); diff != "" {
		t.Error(diff)
	}
	want := `1> select n from jobs where n = 8
    8
1> select n from jobs where n = 7
    SELECT 0
1> update jobs set n = 1
    25006 cannot execute UPDATE in a read-only transaction
1> select pg_try_advisory_lock(1), pg_is_in_recovery()
    true | true
`
	if diff := cmp.Diff(want, standby.run(want)); diff != "" {
		t.Error(diff)
	}
	standby.db.SetRecovery(false)
	if got := exec(t, standby.session("2"), "insert into jobs (n) values (9) returning id"); got[0][0] != int64(4) {
		t.Errorf("the serial of a promoted standby goes on with %v", got)
	}
	if got := exec(t, standby.session("2"), "select nextval('tokens')"); got[0][0] != int64(3) {
		t.Errorf("the sequence of a promoted standby goes on with %v", got)
	}
}

func TestImageHasWhatWasCommittedAtACrash(t *testing.T) {
	s := newScript(engine.Hooks{})
	s.run(items + `1> create table jobs (id bigserial primary key)
1> insert into jobs default values
1> create sequence tokens start with 5 owned by jobs.id
1> select nextval('tokens')
1> begin
1> insert into items values ('lost', 'x')
1> update items set value = 'lost'
2> select pg_advisory_lock(1)
3> select pg_advisory_lock(1)
`)
	image := s.db.Image()
	s.db.Close()
	after := newScript(engine.Hooks{})
	if err := after.db.Restore(image); err != nil {
		t.Fatal(err)
	}
	want := `1> select * from items
    a | x | 0
    b | y | 0
1> select pg_try_advisory_lock(1)
    true
1> insert into items values ('a', 'z')
    23505 duplicate key value violates unique constraint "items_pkey"
1> insert into jobs default values returning id
    2
1> select nextval('tokens')
    6
1> drop table jobs
    DROP TABLE
1> select nextval('tokens')
    42P01 relation "tokens" does not exist
`
	if diff := cmp.Diff(want, after.run(want)); diff != "" {
		t.Error(diff)
	}
}

func TestParametersHaveTheTypesOfTheirPlaces(t *testing.T) {
	s := newScript(engine.Hooks{})
	s.run(items)
	for _, c := range []struct {
		text string
		want string
	}{
		{"select pg_advisory_lock($1)", "[bigint]"},
		{"select pg_advisory_lock($1, $2)", "[integer integer]"},
		{"select $1", "[text]"},
		{"select $2::int, $1::timestamptz", "[timestamp with time zone integer]"},
		{"select value from items where name = $1 and version >= $2", "[text bigint]"},
		{"select value from items where name in ($1, $2) limit $3", "[text text bigint]"},
		{"insert into items values ($1, $2, $3)", "[text text bigint]"},
		{"update items set value = $1, version = version + $2 where name = $3", "[text bigint text]"},
		{"select now() + $1 * interval '1 millisecond', now() - $2", "[double precision timestamp with time zone]"},
		{"select now() + $1", "[interval]"},
		{"select coalesce($1, 5), greatest($2, now())", "[integer timestamp with time zone]"},
		{"insert into items values ($1, 'x') on conflict (name) do update set version = $2 where items.version < $3", "[text bigint bigint]"},
		{"select make_interval(secs => $1), hashtext($2)", "[double precision text]"},
	} {
		st, err := s.session("1").Prepare(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := fmt.Sprint(st.Params); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	_, err := s.session("1").Prepare("select $1 is null")
	if e := (*engine.Error)(nil); !errors.As(err, &e) || e.Code != "42P18" {
		t.Errorf("a parameter without a type: %v", err)
	}
}

func TestColumnsHaveTheNamesAndTypesOfTheServer(t *testing.T) {
	s := newScript(engine.Hooks{})
	s.run(items)
	_, err := s.session("1").Prepare(`select version, value as v, count(*), 1, 'x', 1::bigint, version::text, now(), coalesce(value, 'y'), case when true then 1 end,
		exists (select 1), (select max(version) from items), sum(version), pg_advisory_lock(1) from items`)
	if err == nil {
		t.Fatal("a column beside an aggregate is not refused")
	}
	st, err := s.session("1").Prepare(`select version, value as v, 1, 'x', 1::bigint, version::text, now(), coalesce(value, 'y'), case when true then 1 end,
		exists (select 1), (select max(version) from items), pg_advisory_lock(1) from items`)
	if err != nil {
		t.Fatal(err)
	}
	want := "[{version bigint} {v text} {?column? integer} {?column? text} {int8 bigint} {version text} {now timestamp with time zone} " +
		"{coalesce text} {case integer} {exists boolean} {max bigint} {pg_advisory_lock void}]"
	if got := fmt.Sprint(st.Columns); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestWhatIsNotSimulatedIsRefusedByName has one statement for each entry of the list in package sql.
func TestWhatIsNotSimulatedIsRefusedByName(t *testing.T) {
	s := newScript(engine.Hooks{})
	s.run(items)
	for text, name := range map[string]string{
		"select * from items a join items b on true": "JOIN",
		"select * from items, items b":               "a second table in FROM",
		"select * from (select 1) x":                 "a subselect in FROM",
		"select * from pg_sleep(1)":                  "a function in FROM",
		"with recursive x as (select 1) select 1":    "WITH RECURSIVE",
		"with x as (delete from items) select 1":     "WITH of another statement than SELECT",
		"select count(*) from items group by name":   "GROUP",
		"select distinct name from items":            "DISTINCT",
		"select 1 union select 2":                    "UNION",
		"select 1 offset 1":                          "OFFSET",
		"select count(*) over () from items":         "OVER",
		"select array[1]":                            "an array or a row value",
		"select 1 = any(array[1])":                   "an array or a row value",
		"select name like 'a' from items":            "LIKE",
		"savepoint s":                                "SAVEPOINT",
		"rollback to s":                              "ROLLBACK TO SAVEPOINT",
		"prepare transaction 'x'":                    "PREPARE",
		"declare c cursor for select 1":              "DECLARE",
		"copy items to stdout":                       "COPY",
		"listen c":                                   "LISTEN",
		"notify c":                                   "NOTIFY",
		"alter table items add column x int":         "ALTER",
		"do 'x'":                                     "DO",
		"create unique index on items (value)":       "CREATE UNIQUE INDEX",
		"create view v as select 1":                  "CREATE VIEW",
		"create table x (a jsonb)":                   "type jsonb",
		"create table x (a int references items)":    "REFERENCES",
		"select name from other.items":               "schema other",
		"begin isolation level serializable":         "ISOLATION LEVEL SERIALIZABLE",
		"set work_mem = '4MB'":                       "setting work_mem",
		"select interval '1 month'":                  "an interval of months or years",
	} {
		session := s.db.Connect()
		st, err := session.Prepare(text)
		if err == nil {
			session.Execute(st, nil, 0, func(r *engine.Result) {
				if r.Err != nil {
					err = r.Err
				}
			})
		}
		e := (*engine.Error)(nil)
		if !errors.As(err, &e) || e.Code != "0A000" || e.Message != name+" is not simulated" {
			t.Errorf("%s: %v, want %s", text, err, name)
		}
		session.Close()
	}
}

func TestSplitReturnsTheStatementsOfASimpleQuery(t *testing.T) {
	s := newScript(engine.Hooks{}).session("1")
	got, err := s.Split("begin; select ';' -- a; comment\n; ; commit /* ; */")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"begin", "select ';'", "commit"}, got); diff != "" {
		t.Error(diff)
	}
	if got, err := s.Split("-- ping"); len(got) != 0 || err != nil {
		t.Errorf("a comment is %q, %v", got, err)
	}
	if _, err := s.Split("select 1; selec 2"); err == nil {
		t.Error("no syntax error")
	}
}

// TestOldVersionsAreRemoved updates one row often while no transaction is old enough to need its versions.
func TestOldVersionsAreRemoved(t *testing.T) {
	s := newScript(engine.Hooks{})
	s.run(items)
	session := s.session("2")
	old := s.session("3")
	exec(t, old, "begin isolation level repeatable read")
	exec(t, old, "select * from items")
	for range 100 {
		exec(t, session, "update items set version = version + 1, name = name || 'x' where value = 'y'")
		exec(t, session, "delete from items where name = 'n'")
		exec(t, session, "insert into items values ('n', 'n')")
	}
	if got := exec(t, old, "select version from items where name = 'b'"); len(got) != 1 || got[0][0] != int64(0) {
		t.Errorf("the old transaction reads %v", got)
	}
	if got := exec(t, old, "select name from items where name = 'n'"); len(got) != 0 {
		t.Errorf("the old transaction reads %v", got)
	}
	exec(t, old, "commit")
	for range 2 {
		exec(t, session, "update items set version = version + 1 where value = 'y'")
	}
	if versions, rows := s.db.Size(); versions > 20 || rows > 20 {
		t.Errorf("%d versions of %d rows are left", versions, rows)
	}
}

func TestWallClockOfTheHostIsThatOfNow(t *testing.T) {
	s := newScript(engine.Hooks{})
	session := s.session("1")
	exec(t, session, "begin")
	first := exec(t, session, "select now(), clock_timestamp()")[0]
	s.clock.pass(time.Second)
	second := exec(t, session, "select now(), statement_timestamp()")[0]
	if first[0] != second[0] || second[1].(time.Time).Sub(first[1].(time.Time)) != time.Second {
		t.Errorf("%v, then %v", first, second)
	}
}
