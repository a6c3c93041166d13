package postgres_test

// oneSession returns sequences of one session: statements, functions, and the errors of each.
func oneSession() map[string]string {
	return map[string]string{
		"the errors of names": items + `
a: select nope from items
a: select items.nope from items
a: select i.name from items
a: select items.name from items as i where i.name = 'x'
a: select i.name, i.* from items i where i.name = 'x'
a: select nope.name from items
a: select * from nope
a: update nope set value = '1'
a: delete from nope
a: insert into nope values (1)
a: drop table nope
a: truncate nope
a: update items set nope = '1'
a: insert into items (name, nope) values ('a', 'b')
a: insert into items (name, name) values ('a', 'b')
a: update items set value = '1', value = '2'
a: create table t (a int, a int)
a: create table t (a int primary key, b int primary key)
a: create table t (a int primary key, primary key (a))
a: create table t (a nope)
a: create table t (a int, primary key (b))
a: create table t (a int, unique (b))
a: create table items (a int)
a: select 1 from items order by nope
a: select name from items order by 2
a: select name as n, value from items order by n desc
a: select name from items order by 1 desc
a: select value from items where value = '1' for update of items
a: select name from items for update of nope
a: select nope(1), pg_advisory_lock('x', 'y')
a: select pg_advisory_lock(1.5)
a: select pg_advisory_lock(true)
a: select length(1)
a: select $0
a: select $1, $2::int <- a, 1
a: select $2::int <- a, 1
`,
		"the errors of types": items + `
a: select 'a' + 1
a: select 'a' + 'b'
a: select true + 1
a: select 1 = 'x'
a: select 1 = true
a: select 1 || 2
a: select 1 || 'b', 'a' || 1, 'a' || null
a: select true and 1
a: select not 1
a: select 1 where 1
a: select 1 where 'true'
a: select case when 1 then 2 end
a: select case when true then 1 else 'x' end
a: select coalesce(1, 'x')
a: select coalesce(1, true)
a: select greatest(1, now())
a: select 1::boolean, 0::boolean, true::int
a: select now()::int
a: select true::bigint
a: select 'a'::boolean
a: select 'yes'::boolean, 'off'::boolean, ' t '::boolean
a: select '99999999999'::int
a: select 99999999999::int
a: select 2147483648, -2147483648, 9223372036854775808 > 1
a: select 40000::smallint
a: select '1.5'::int
a: select ' 7 '::int, '-7'::bigint, '+7'::int
a: select 1.5::int, 2.5::int, -1.5::int, 1.4::double precision::int
a: select ''::int
a: select 'soon'::timestamptz
a: select 'long'::interval
a: select '1 hour'::interval = '60 minutes'::interval, '90 seconds'::interval > '00:01:00'::interval, interval '1 day' = interval '24 hours'
a: select '2026-01-01 00:00:00+00'::timestamptz < '2026-01-01 00:00:01+00'::timestamptz
a: select now() + now()
a: select now() - 5
a: select now() < 5
a: select interval '1 second' * 2 = interval '2 seconds', 2 * interval '1 second' = interval '2 seconds', interval '1 second' / 2 = interval '500 milliseconds', -interval '1 second' < interval '0'
a: select interval '1 second' + interval '1 minute' = interval '61 seconds', interval '1 second' - interval '1 minute' = interval '-59 seconds'
a: update items set version = 'x' where name = 'x'
a: update items set version = value where name = 'x'
a: update items set version = true where name = 'x'
a: update items set value = 5 where name = 'x'
a: update items set value = version where name = 'x'
a: insert into items (name, value) values ('a', 5) returning value
a: insert into items (name, value) values ('b', true)
a: insert into items (name, value, version) values ('c', 'd', '7') returning version
a: insert into items (name, value, version) values ('d', 'd', 1.6) returning version
a: insert into items (name) values ('a', 'b')
a: insert into items (name, value) values ('a')
a: insert into items values ('e', 'f', 1, 2, 3)
a: insert into items values ('e', 'f', default, 2) returning *
a: select name from items where version = $1 and name = $2 <- 0, z
a: select 1 in (1, 'x')
a: select 1 in (select name from items)
a: select (select name, value from items where name = 'x')
a: select (select name from items)
a: select 1 where 'x' in (select name from items), 2
a: select 'x' in (select name from items), 'q' in (select name from items), 'q' not in (select name from items), exists (select 1 from items where name = 'q')
a: select (select value from items where name = 'q') is null
`,
		"the tables of the catalogue": items + `
a: select current_database() is not null, current_schema() = 'public'
a: select count(1) from information_schema.tables where table_schema = 'public' and table_name = 'items' limit 1
a: select count(*) from information_schema.tables where table_schema = 'public' and table_catalog = current_database() and table_type = 'BASE TABLE'
a: select exists (select 1 from pg_tables where (current_schema() is null or schemaname = current_schema()) and tablename = 'items')
a: select exists (select 1 from pg_catalog.pg_tables where schemaname = 'public' and tablename = 'nope')
b: begin
b: create table t (a int)
a: select count(*) from pg_tables where tablename = 't'
b: select count(*) from pg_tables where tablename = 't'
b: commit
a: select count(*) from pg_tables where tablename = 't'
b: begin
b: drop table t
a: select count(*) from pg_tables where tablename = 't'
b: select count(*) from pg_tables where tablename = 't'
b: rollback
a: select count(*) from pg_tables where tablename = 't'
a: drop table t
b: select count(*) from pg_tables where tablename = 't'
`,
		"sequences": items + `
a: create sequence s
a: select nextval('s'), nextval('public.s')
b: begin
b: select nextval('S')
b: rollback
a: select nextval('s')
a: create sequence s
a: create table s (a int)
a: create sequence if not exists s
a: create sequence items
a: select nextval('items')
a: select nextval('nope')
a: select nextval(null)
a: select nextval('s') from items
a: create sequence t start with 40 no cycle
a: select nextval('t')
a: alter sequence t restart
a: select nextval('t')
a: alter sequence t restart with 7
a: select nextval('t')
a: begin
a: alter sequence t restart with 100
a: select nextval('t')
b: select nextval('t')
a: rollback
b: alter sequence nope restart
a: alter sequence if exists nope restart
a: alter sequence items restart
a: begin read only
a: select nextval('t')
a: rollback
a: create sequence items_rvn cycle owned by items.version
a: create sequence v owned by nope.version
a: create sequence v owned by items.nope
b: begin
b: select nextval('items_rvn')
a: drop table items
b: commit
a: select nextval('items_rvn')
a: drop table s
a: drop sequence s, t
a: drop sequence s
a: drop sequence if exists s
a: create table u (a int)
a: drop sequence u
b: begin
b: create sequence w
a: select nextval('w')
a: create sequence w
b: commit
a: select nextval('w')
b: begin
b: drop sequence w
a: select nextval('w')
b: rollback
a: insert into u values (nextval('w')) returning a
a: select count(*) from information_schema.tables where table_schema = 'public'
`,
		"bytes": `
a: create table t (k bytea primary key, v bytea not null default 'x')
a: insert into t (k) values ('a'), ('\x00ff'), ($1) <- \x6263
a: insert into t (k) values ('\x61')
a: select k, v from t order by k
a: select k = 'a', k < 'b', k = '\x61'::bytea, k is null from t where k = 'a'
a: update t set v = '' where k = '\x00ff' returning v, v = '', k::text
a: update t set v = null where k = 'a'
a: update t set v = 5
a: update t set v = 'text'::text
a: select k = 5 from t
a: select k || 'x'::text from t
a: select coalesce(null, k) from t where k = $1 <- \x6263
a: delete from t where k > 'a'
`,
		"numbers": `
a: select 9223372036854775807 + 1
a: select 9223372036854775807::bigint * 2
a: select 2147483647 + 1
a: select 2147483647 * 2
a: select 2147483647::bigint + 1
a: select 32767::smallint + 1::smallint
a: select -7 / 2, -7 % 3, 7 / -2, 7 % -3
a: select 1 / 0
a: select 1 % 0
a: select 1.0 / 0
a: select 1::double precision / 0
a: select 2::double precision * 1.5, 1e3::double precision, 1::double precision / 3
a: select abs(-5), abs(5::bigint)
a: select 1 + 2 * 3 - 4 / 2, (1 + 2) * 3, -(-3), - - 3, +3
a: select 1 < 2 and 2 < 3 or false, not true or true, 1 + 1 = 2
a: select -2147483648::int
a: select (-2147483648)::int - 1
a: select 5 is null, null is null, 5 is not null, true is true, null is true, false is not true, null is not false
a: select null = null, null <> 1, null and false, null or true, not null::boolean
a: select 1 is distinct from null, null is distinct from null, 1 is not distinct from 1
a: select 5 between 1 and 5, 5 not between 1 and 4, null between 1 and 2
a: select 1 in (1, null), 2 in (1, null), 2 not in (1, null)
`,
		"texts": `
a: select 'it''s', '' = '', 'a' < 'B', 'ab' > 'a'
a: select length('äö'), lower('ÄB'), upper('äb'), char_length('abc')
a: select 'a' || 'b' || 'c', 'a' || null is null
a: select hashtext(''), hashtext('a'), hashtext('a longer name of a lock, longer than twelve bytes'), hashtext('äöü')
a: select hashtextextended('', 0), hashtextextended('a', 0), hashtextextended('a', 1), hashtextextended('a longer name of a lock, longer than twelve bytes', -5)
a: select 'a'::varchar, 'a'::varchar(3) = 'a', 'a'::text = 'a'::varchar
a: select 1 as "Two Words", 2 as "select", 3 as Upper
a: select /* a comment */ 1 -- and another
a: select 1;
a: ;
a: select 1; select 2
`,
		"words that are no statement": items + `
a: selec 1
a: select * from items where
a: select 1 +
a: select (1
a: select 1)
a: select 'open
a: select 1 from items limit
a: select name from items limit -1
a: select name from items order by name limit 0
a: select name from items order by name limit null
a: select name from items order by name limit 1 + 1
a: select name from items order by name limit $1 <- 2
a: insert items values (1)
a: insert into items
a: insert into items (name values ('a')
a: update items where name = 'x'
a: update items set
a: delete items
a: begin isolation level nothing
a: begin isolation repeatable read
a: set lock_timeout
a: set lock_timeout = 
a: create table
a: create table u (a int
a: discard everything
a: commit now
a: show
a: lock items in no mode
`,
		"aggregates": items + `
a: select count(*), count(name), sum(version), max(value), min(name) from items
a: select count(*), sum(version), max(version), min(version) from items where name = 'q'
a: select count(*) + 1, sum(version) + 0.5 > 0 from items
a: select name, count(*) from items
a: select count(*) from items where count(*) > 1
a: update items set version = count(*)
a: select sum(value) from items
a: select count(*) from items for update
a: select max(nope) from items
a: select coalesce(sum(version), 0) from items where name = 'q'
a: select count()
a: select count(*)
a: select sum(1), max(2), count(3)
a: select count(*) from items order by 1 limit 1
a: select sum(n) from items
a: create table t (n int, b bigint, f double precision, s smallint)
a: insert into t values (1, 2, 0.5, 3), (4, 5, 1.25, 6), (null, null, null, null)
a: select sum(n), sum(b), sum(f), sum(s), count(n), count(*), max(f), min(s) from t
`,
		"returning": items + `
a: update items set value = value || '!' where name = 'x' returning name, value, version + 1 as next, *
a: delete from items where name = 'x' returning *
a: delete from items where name = 'x' returning *
a: insert into items (name, value) values ('v', '1'), ('w', '2') returning name || value
a: insert into items (name, value) select 'u', value from items where name = 'y' returning *
a: insert into items (name, value) select name || '2', value from items
a: select name, value from items order by name
a: update items as i set value = '7' where i.name = 'y' returning i.value
a: delete from items i where i.name = 'y' returning i.name
a: insert into items (name, value) values ('y', 'v') returning version = 0, nope
a: update items set version = version + 1, fence = version where name = 'z' returning version, fence
a: update items set name = name where name = 'z' returning name
a: truncate items
a: select count(*) from items
`,
		"upserts": items + `
a: insert into items (name, value) values ('x', '5') on conflict (name) do update set value = excluded.value returning *
a: insert into items (name, value) values ('x', '6') on conflict (name) do update set value = items.value || excluded.value, version = items.version + 1 where items.value = '5' returning value, version
a: insert into items (name, value) values ('x', '7') on conflict (name) do update set value = excluded.value where items.value = '5' returning value
a: insert into items (name, value) values ('q', '1'), ('q', '2') on conflict (name) do nothing returning value
a: insert into items (name, value) values ('r', '1'), ('r', '2') on conflict (name) do update set value = excluded.value
a: insert into items (name, value) values ('s', '1') on conflict (value) do nothing
a: insert into items (name, value) values ('s', '1') on conflict do update set value = '1'
a: insert into items (name, value) values ('x', '1') on conflict (name) do update set value = value
a: insert into items (name, value) values ('x', '1') on conflict (name) do update set value = null
a: insert into items (name, value) values ('x', '1') on conflict (name) do update set nope = '1'
a: insert into items (name, value) values ('x', '1') on conflict (nope) do nothing
a: insert into items (name, value) values ('x', null) on conflict (name) do nothing
a: insert into items (name, value) values ($1, $2) on conflict (name) do update set value = $2, fence = $3 where items.fence < $3 returning fence <- x, f, 5
a: insert into items (name, value) values ($1, $2) on conflict (name) do update set value = $2, fence = $3 where items.fence < $3 returning fence <- x, f, 5
a: insert into items (name, value) values ('x', 'p'), ('y', 'p'), ('n', 'p') on conflict (name) do update set value = excluded.value returning name
a: select name, value, version, fence from items order by name
`,
		"settings": `
a: set lock_timeout = '1s'
a: show lock_timeout
a: set lock_timeout = '1500ms'
a: show lock_timeout
a: set lock_timeout = 60000
a: show lock_timeout
a: set lock_timeout = '1min'
a: show lock_timeout
a: set lock_timeout = '90s'
a: show lock_timeout
a: set lock_timeout = '1.5s'
a: show lock_timeout
a: set lock_timeout = '2h'
a: show lock_timeout
a: set lock_timeout = '1d'
a: show lock_timeout
a: set lock_timeout = '1500us'
a: show lock_timeout
a: set lock_timeout = 0
a: show lock_timeout
a: set lock_timeout = '1 parsec'
a: set lock_timeout = 'x'
a: set lock_timeout = -1
a: set lock_timeout = '-1s'
a: set lock_timeout = 9999999999
a: set deadlock_timeout = 0
a: set statement_timeout to '30s'
a: show statement_timeout
a: set idle_in_transaction_session_timeout = '30s'
a: show idle_in_transaction_session_timeout
a: set application_name to worker
a: show application_name
a: select set_config('lock_timeout', '7s', true), current_setting('lock_timeout')
a: show lock_timeout
a: begin
a: select set_config('lock_timeout', '7s', true)
a: show lock_timeout
a: commit
a: show lock_timeout
a: set default_transaction_isolation = 'repeatable read'
a: begin
a: show transaction_isolation
a: commit
a: set default_transaction_isolation = 'read committed'
a: set default_transaction_read_only = on
a: create table t (a int)
a: set default_transaction_read_only = off
a: create table t (a int)
a: reset statement_timeout
a: show statement_timeout
a: reset all
a: show application_name
a: begin
a: discard all
a: rollback
a: set transaction isolation level repeatable read
a: begin
a: set transaction isolation level repeatable read
a: show transaction_isolation
a: select 1
a: set transaction isolation level read committed
a: rollback
a: begin isolation level read uncommitted
a: show transaction_isolation
a: commit
`,
		"tables come and go": `
a: create table t (id serial primary key, n int default 1 + 1, s text default 'a' || 'b', at timestamptz not null default now(), check (n > 0))
a: insert into t (n) values (default) returning id, n, s
a: insert into t (n) values (0)
a: insert into t default values returning id, n, s
a: insert into t (id, n) values (7, 1) returning id
a: insert into t (id, n) values (null, 1)
a: create index on t (n)
a: create index byn on t (n)
a: create index byn on t (n)
a: create index if not exists byn on t (n)
a: create index concurrently byn2 on t (n)
a: create index nope on t (nope)
a: create index nope on nope (n)
a: drop index byn
a: drop index byn
a: drop index if exists byn
a: drop table byn2
a: drop index t
a: begin
a: create table u (id int primary key)
a: insert into u values (1)
a: rollback
a: select * from u
a: begin
a: drop table t
a: select * from t
a: rollback
a: select count(*) from t
a: truncate t
a: truncate table t, nope
a: select count(*) from t
a: create table if not exists t (other int)
a: drop table t, nope
a: select count(*) from t
a: drop table t
`,
		"a second table": items + jobs + `
a: update items set fence = jobs.id from jobs where items.name = 'x' and jobs.id = 2 returning items.name, fence, jobs.state
a: update items i set fence = j.id from jobs j where i.name = 'y' and j.id = 3 returning *
a: update items set fence = 1 from items where items.name = 'x'
a: update items set fence = 1 from jobs where jobs.id = 99
a: update items set fence = 1 from jobs where name = 'x' and id = 1
a: delete from items using jobs where items.fence = jobs.id and jobs.id = 2 returning items.name
a: delete from items using jobs j where j.id = 1 and items.name = 'nothing'
a: select name, fence from items order by name
`,
		"tables that WITH makes": items + jobs + `
a: with next as (select id from jobs where state = 'new' order by id limit 1 for update skip locked) update jobs set state = 'busy' from next where jobs.id = next.id returning jobs.id, state
a: with next as (select id from jobs where state = 'new' order by id limit 1) update jobs set state = 'busy' where id in (select id from next) returning id
a: with n as (select id from jobs where state = 'busy') delete from jobs using n where jobs.id = n.id
a: with n as (select count(*) as c from jobs) select c + 1 from n
a: with n as (select name, value from items) insert into items (name, value) select name || '2', value from n returning name
a: with n as (select 1 as one), m as (select one + 1 as two from n) select two from m
a: with n as (select 1) select nope from n
a: select * from n
`,
		"a transaction sees its own changes": items + `
a: begin isolation level repeatable read
a: update items set value = '9' where name = 'x'
a: update items set value = value || '9' where name = 'x' returning value
a: insert into items (name, value) values ('w', '1')
a: insert into items (name, value) values ('w', '2') on conflict (name) do update set value = excluded.value returning value
a: delete from items where name = 'w'
a: insert into items (name, value) values ('w', '3')
a: delete from items where name = 'y'
a: update items set name = 'y' where name = 'z'
a: select name, value from items order by name
a: rollback
a: select name, value from items order by name
`,
		"a statement that fails changes nothing": items + `
a: insert into items (name, value) values ('v', '1'), ('w', '1'), ('x', '1')
a: update items set version = 1 / (version - 0) where name = 'x'
a: update items set name = 'q' where value > '1'
a: update items set name = 'q' || name
a: select name, version from items order by name
`,
	}
}
