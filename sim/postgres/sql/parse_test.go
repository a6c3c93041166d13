package sql_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/postgres/sql"
)

// TestParse has one statement for each shape of a tree.
func TestParse(t *testing.T) {
	column := func(n string) sql.Expr { return &sql.Column{Name: n} }
	for _, c := range []struct {
		text string
		want any
	}{
		{"select 1 + 2 * 3 = 7 and not a or b", &sql.Select{Targets: []sql.Target{{Expr: &sql.Binary{
			Op: "or",
			L: &sql.Binary{
				Op: "and",
				L: &sql.Binary{
					Op: "=",
					L:  &sql.Binary{Op: "+", L: &sql.Literal{Value: int64(1)}, R: &sql.Binary{Op: "*", L: &sql.Literal{Value: int64(2)}, R: &sql.Literal{Value: int64(3)}}},
					R:  &sql.Literal{Value: int64(7)},
				},
				R: &sql.Unary{Op: "not", X: column("a")},
			},
			R: column("b"),
		}}}}},
		{"SELECT a AS b FROM T x WHERE a IS NOT NULL ORDER BY a DESC LIMIT $1 FOR NO KEY UPDATE OF x SKIP LOCKED", &sql.Select{
			Targets: []sql.Target{{Expr: column("a"), Name: "b"}},
			From:    &sql.Table{Name: "t", Alias: "x"},
			Where:   &sql.Is{X: column("a"), What: "null", Not: true},
			OrderBy: []sql.Order{{Expr: column("a"), Descending: true, NullsFirst: true}},
			Limit:   &sql.Param{Number: 1},
			Locking: &sql.Locking{Strength: "no key update", Policy: "skip locked", Named: true},
		}},
		{`insert into "T" (a) values (default) on conflict (a) do update set a = excluded.a where t.a < 'it''s' returning *`, &sql.Insert{
			Table:   sql.Table{Name: "T", Alias: "T"},
			Columns: []string{"a"},
			Rows:    [][]sql.Expr{{&sql.Default{}}},
			OnConflict: &sql.Conflict{
				Columns: []string{"a"},
				Set:     []sql.Assignment{{Column: "a", Value: &sql.Column{Table: "excluded", Name: "a"}}},
				Where:   &sql.Binary{Op: "<", L: &sql.Column{Table: "t", Name: "a"}, R: &sql.Literal{Value: "it's"}},
			},
			Returning: []sql.Target{{Expr: column("*")}},
		}},
		{"update t set n = (-1)::bigint, m = cast($2 as text)", &sql.Update{
			Table: sql.Table{Name: "t", Alias: "t"},
			Set: []sql.Assignment{
				{Column: "n", Value: &sql.Cast{X: &sql.Literal{Value: int64(-1)}, Type: "bigint"}},
				{Column: "m", Value: &sql.Cast{X: &sql.Param{Number: 2}, Type: "text"}},
			},
		}},
		{"delete from t where a in (select b from u) and exists (select 1)", &sql.Delete{
			Table: sql.Table{Name: "t", Alias: "t"},
			Where: &sql.Binary{
				Op: "and",
				L:  &sql.In{X: column("a"), Select: &sql.Select{Targets: []sql.Target{{Expr: column("b")}}, From: &sql.Table{Name: "u", Alias: "u"}}},
				R:  &sql.Subselect{Exists: true, Select: &sql.Select{Targets: []sql.Target{{Expr: &sql.Literal{Value: int64(1)}}}}},
			},
		}},
		{"create table if not exists t (a bigint primary key, b varchar(10) not null default 'x' check (b <> ''), constraint u unique (a, b))", &sql.CreateTable{
			Name:        "t",
			IfNotExists: true,
			Columns:     []sql.ColumnDef{{Name: "a", Type: "bigint"}, {Name: "b", Type: "varchar", NotNull: true, Default: &sql.Literal{Value: "x"}}},
			Uniques:     []sql.Unique{{Columns: []string{"a"}, Primary: true}, {Name: "u", Columns: []string{"a", "b"}}},
			Checks:      []sql.Check{{Expr: &sql.Binary{Op: "<>", L: column("b"), R: &sql.Literal{Value: ""}}}},
		}},
		{"create index concurrently if not exists i on t using btree (a desc)", &sql.CreateIndex{
			Name: "i", Table: "t", Columns: []string{"a"}, Concurrently: true, IfNotExists: true,
		}},
		{"start transaction isolation level repeatable read, read only", &sql.Transaction{Verb: "begin", Word: "START", Isolation: "repeatable read", ReadOnly: true}},
		{"set local lock_timeout to '5s'", &sql.Set{Name: "lock_timeout", Value: "5s", Local: true}},
		{"reset all", &sql.Set{Word: "RESET", Name: "all", Reset: true}},
		{"lock table a, b in share row exclusive mode nowait", &sql.Lock{Tables: []string{"a", "b"}, Mode: "share row exclusive", NoWait: true}},
		{"drop table if exists public.t cascade", &sql.Drop{Names: []string{"t"}, IfExists: true}},
	} {
		got, err := sql.Parse(c.text)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", c.text, got, err)
			continue
		}
		if diff := cmp.Diff(c.want, got[0].Statement); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

func TestSyntaxErrorsHaveTheWordsOfTheServer(t *testing.T) {
	for text, want := range map[string]string{
		"selec 1":            `syntax error at or near "selec"`,
		"select 1,":          `syntax error at end of input`,
		"select * form t":    `syntax error at or near "form"`,
		"select 'a":          `unterminated quoted string at or near "'a"`,
		`select "a`:          `unterminated quoted identifier at or near ""a"`,
		"update t where a":   `syntax error at or near "where"`,
		"select 1 2":         `syntax error at or near "2"`,
		"insert into t":      `syntax error at end of input`,
		"select case end":    `syntax error at or near "end"`,
		"lock t in odd mode": `syntax error at or near "odd"`,
	} {
		_, err := sql.Parse(text)
		if e := (*sql.Error)(nil); !errors.As(err, &e) || e.Code != "42601" || e.Message != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse looks for texts that the parser does not survive.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"select a from t where b in (1, $2) for update skip locked", "insert into t default values on conflict do nothing", "create table t (a int check (a > 0))",
		"begin; set local x = 'y'; commit", "select case a when 1 then 2 end, cast('1' as int), make_interval(secs => 1), extract(epoch from now())", "select extract(",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := sql.Parse(text)
		if e := (*sql.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		for _, q := range list {
			again, err := sql.Parse(q.Text)
			if err != nil || len(again) != 1 {
				t.Fatalf("%q is a statement of %q and alone %v, %v", q.Text, text, again, err)
			}
		}
	})
}
