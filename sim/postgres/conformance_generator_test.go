package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes sequences of steps by chance, in which few locks and rows meet many statements.
//
// It leaves out what the simulation does not promise to do as PostgreSQL does:
//
//   - statements that lock several rows without ORDER BY: PostgreSQL locks them in the order in
//     which their versions are in the file;
//   - times as values, process numbers, and the details of messages;
//   - how many digits a numeric shows.
type generator struct {
	*rand.Rand
	names []string // of the sessions
}

// themes are lists of templates. A word with a $ is replaced by words that chance chooses; a
// template that is listed twice is drawn twice as often.
func themes() [][]string {
	transactions := []string{
		"begin", "begin", "begin", "rollback; begin isolation level repeatable read", "rollback; begin read only",
		"commit", "commit", "commit", "commit", "rollback", "rollback", "end", "abort",
	}
	locks := []string{
		"select pg_advisory_lock($k)", "select pg_advisory_lock($k)", "select pg_advisory_lock($k)", "select pg_advisory_lock_shared($k)",
		"select pg_advisory_lock_shared($k)", "select pg_try_advisory_lock($k)", "select pg_try_advisory_lock_shared($k)",
		"select pg_advisory_unlock($k)", "select pg_advisory_unlock($k)", "select pg_advisory_unlock($k)", "select pg_advisory_unlock($k)",
		"select pg_advisory_unlock_shared($k)", "select pg_advisory_unlock_shared($k)", "select pg_advisory_unlock_all()",
		"select pg_advisory_xact_lock($k)", "select pg_advisory_xact_lock($k)", "select pg_advisory_xact_lock_shared($k)",
		"select pg_try_advisory_xact_lock($k)", "select pg_try_advisory_xact_lock_shared($k)",
		"discard all",
	}
	rows := []string{
		"select value, version from items where name = '$n' for $strength $policy",
		"select value, version from items where name = '$n' for $strength $policy",
		"select name from items order by name limit $limit for $strength $policy",
		"select name, value, version from items order by name",
		"select value, version from items where name = '$n'",
		"select count(*), sum(version), max(version), min(value) from items",
		"update items set value = value || '$v', version = version + 1 where name = '$n' $guard $returning",
		"update items set value = '$v' where name = '$n' $guard $returning",
		"update items set version = version + 1, fence = $k where name = '$n' and fence < $k $returning",
		"update items set name = '$n' where name = '$n'",
		"delete from items where name = '$n' $guard",
		"insert into items (name, value) values ('$n', '$v') $returning",
		"insert into items (name, value) values ('$n', '$v') on conflict do nothing $returning",
		"insert into items (name, value) values ('$n', '$v') on conflict (name) do update set value = excluded.value, version = items.version + 1 $upsert $returning",
		"insert into items (name, value, version) select '$n', value, version + 1 from items where name = '$n'",
		"select pg_advisory_xact_lock($k), (select value from items where name = '$n')",
	}
	// Several sessions that a lock of a table makes wait are released at once, and then it is chance
	// who is first. So only two sessions do this.
	tables := []string{
		"lock table items in $mode mode $nowait", "lock table items in $mode mode $nowait", "create index concurrently on items (version)",
		"truncate items", "select count(*) from items",
	}
	queue := []string{
		"insert into jobs (owner, u) values ('$v', $u) returning id",
		"insert into jobs (owner, u) values ('$v', $u) on conflict (u) do nothing returning id",
		"insert into jobs (owner, u) values ('$v', $u) on conflict (u) do update set tries = jobs.tries + 1 returning id, tries",
		"update jobs set state = 'busy', owner = '$v' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id",
		"update jobs set state = 'busy', owner = '$v' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id",
		"with next as (select id from jobs where state = 'new' order by id limit 1 for update skip locked) update jobs set state = 'busy', owner = '$v' from next where jobs.id = next.id returning jobs.id",
		"update jobs set state = 'busy' where id in (select id from jobs where state = 'new' order by id limit 2 for update skip locked) returning id",
		"update jobs set state = 'busy' where id = (select id from jobs where state = 'new' order by id limit 1) and state = 'new' returning id",
		"update jobs set state = 'new', tries = tries + 1 where id = $k returning tries",
		"delete from jobs where id = $k",
		"update jobs set u = $u where id = $k",
		"select id from jobs where state = 'new' order by id limit $limit for $strength $policy",
		"select id, state, owner, u, tries from jobs order by id",
	}
	join := func(lists ...[]string) []string {
		var all []string
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	return [][]string{
		join(locks, transactions), join(locks, transactions), join(rows, transactions), join(rows, transactions),
		join(queue, transactions), join(locks, rows, queue, transactions, transactions),
		join(tables, rows[:8], locks, transactions, transactions),
	}
}

// one returns one of the words.
func (g *generator) one(words ...string) string { return words[g.IntN(len(words))] }

// chance is true in percent of a hundred cases.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// statement returns a template with its words replaced.
func (g *generator) statement(template string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "$")
		b.WriteString(before)
		if !found {
			return strings.TrimSpace(b.String())
		}
		end := 0
		for end < len(rest) && rest[end] >= 'a' && rest[end] <= 'z' {
			end++
		}
		b.WriteString(g.word(rest[:end]))
		template = rest[end:]
	}
}

func (g *generator) word(name string) string {
	switch name {
	case "k":
		return g.one("1", "1", "1", "2", "2", "3")
	case "n":
		return g.one("x", "x", "x", "y", "y", "z", "w")
	case "v":
		return g.one("p", "q")
	case "u":
		return g.one("1", "1", "2", "3", "null")
	case "limit":
		return g.one("1", "1", "2", "5")
	case "strength":
		return g.one("update", "update", "update", "no key update", "share", "key share")
	case "policy":
		return g.one("", "", "", "nowait", "skip locked")
	case "nowait":
		return g.one("", "", "nowait")
	case "mode":
		return g.one("access share", "row share", "row exclusive", "share update exclusive", "share", "share row exclusive", "exclusive", "access exclusive")
	case "guard":
		return g.one("", "", "and version = 0", "and version < 2", "and value = '1'")
	case "upsert":
		return g.one("", "", "where items.version < 2", "where items.value <> excluded.value")
	case "returning":
		return g.one("", "", "returning version", "returning name, value")
	}
	panic("no word " + name)
}

// sequence returns a random sequence.
func (g *generator) sequence() sequence {
	all := themes()
	theme := g.IntN(len(all))
	templates := all[theme]
	g.names = []string{"a", "b", "c", "d"}[:2+g.IntN(3)]
	if theme == len(all)-1 { // tables
		g.names = g.names[:2]
	}
	s := sequence{
		{session: "a", rest: ':', text: "create table items (name text primary key, value text not null, version bigint not null default 0, fence bigint not null default 0)"},
		{session: "a", rest: ':', text: "insert into items (name, value) values ('x', '1'), ('y', '2'), ('z', '3')"},
		{session: "a", rest: ':', text: "create table jobs (id bigserial primary key, state text not null default 'new', owner text, u int unique, tries int not null default 0)"},
		{session: "a", rest: ':', text: "insert into jobs (u) values (1), (2), (null)"},
	}
	const shortest, spread = 12, 20
	for n := shortest + g.IntN(spread); n > 0; n-- {
		name := g.one(g.names...)
		add := func(rest byte, text string, args ...string) {
			s = append(s, step{session: name, rest: rest, text: text, args: args})
		}
		text := g.statement(g.one(templates...))
		switch {
		case g.chance(88):
			for one := range strings.SplitSeq(text, "; ") {
				add(':', one)
			}
		case g.chance(50) && strings.Contains(text, " "):
			for one := range strings.SplitSeq(text, "; ") {
				if !strings.HasPrefix(one, "begin") && one != "rollback" { // these would change when the setting ends
					add(':', fmt.Sprintf("set lock_timeout = '%dms'", 40+g.IntN(20)))
					add('!', one)
					add(':', "set lock_timeout = 0")
				}
			}
		case g.chance(40):
			add(':', actCancel)
		case g.chance(30):
			add(':', "select "+g.one("pg_cancel_backend", "pg_terminate_backend")+"($1)", "@"+g.one(g.names...))
		default:
			add(':', g.one(actTerminate, actClose, actGone))
		}
	}
	return s
}
