package postgres_test

import "maps"

// items is the table of most sequences.
const items = `
a: create table items (name text primary key, value text not null, version bigint not null default 0, fence bigint not null default 0)
a: insert into items (name, value) values ('x', '1'), ('y', '2'), ('z', '3')
`

// jobs is a queue.
const jobs = `
a: create table jobs (id bigserial primary key, state text not null default 'new', owner text, tries int not null default 0)
a: insert into jobs (owner) values (null), (null), (null)
`

// handWritten returns the sequences that each prove a rule, by its name.
func handWritten() map[string]string {
	all := severalSessions()
	maps.Copy(all, oneSession())
	return all
}

// severalSessions returns the sequences about locks, visibility and ends of sessions.
func severalSessions() map[string]string {
	return map[string]string{
		"a session lock excludes other sessions": `
a: select pg_advisory_lock(1)
b: select pg_try_advisory_lock(1)
b: select pg_advisory_lock(1)
a: select pg_advisory_unlock(1)
a: select pg_try_advisory_lock(1)
b: select pg_advisory_unlock(1)
a: select pg_try_advisory_lock(1)
`,
		"a session lock is counted": `
a: select pg_advisory_lock(1)
a: select pg_advisory_lock(1)
a: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
`,
		"a session lock survives the end of a transaction": `
a: begin
a: select pg_advisory_lock(1)
a: rollback
b: select pg_try_advisory_lock(1)
a: begin
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_lock(1)
a: rollback
a: select pg_try_advisory_lock(1)
`,
		"a transaction lock ends with its transaction": `
a: begin
a: select pg_advisory_xact_lock(1)
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_xact_lock(1)
b: select pg_advisory_xact_lock(1)
a: commit
a: select pg_try_advisory_lock(1)
b: select pg_try_advisory_lock(1)
a: select pg_try_advisory_xact_lock(1)
`,
		"a transaction lock ends with a rollback": `
a: begin
a: select pg_try_advisory_xact_lock(1)
b: select pg_advisory_lock(1)
a: rollback
`,
		"a failed transaction holds its locks until its rollback": `
a: begin
a: select pg_advisory_xact_lock(1)
a: select 1/0
b: select pg_advisory_lock(1)
a: select 1
a: rollback
`,
		"an unlock takes nothing away from a transaction": `
a: begin
a: select pg_advisory_lock(1)
a: select pg_advisory_xact_lock(1)
a: select pg_advisory_unlock(1)
a: select pg_advisory_unlock(1)
b: select pg_try_advisory_lock(1)
a: commit
b: select pg_try_advisory_lock(1)
`,
		"both levels are one lock": `
a: select pg_advisory_lock(1)
a: begin
a: select pg_advisory_xact_lock(1)
b: begin
b: select pg_advisory_xact_lock(1)
a: commit
a: select pg_advisory_unlock(1)
b: commit
`,
		"shared locks share, and exclude the exclusive one": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock_shared(1)
c: select pg_try_advisory_lock(1)
c: select pg_advisory_lock(1)
a: select pg_advisory_unlock_shared(1)
b: select pg_advisory_unlock_shared(1)
a: select pg_try_advisory_lock_shared(1)
c: select pg_advisory_unlock_shared(1)
c: select pg_advisory_unlock(1)
a: select pg_try_advisory_lock_shared(1)
`,
		"a shared request waits behind an exclusive one": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock_shared(1)
d: select pg_try_advisory_lock_shared(1)
a: select pg_advisory_unlock_shared(1)
b: select pg_advisory_unlock(1)
`,
		"a holder gets a shared lock again past the queue": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock(1)
a: select pg_advisory_lock_shared(1)
a: select pg_advisory_xact_lock_shared(1)
a: select pg_advisory_unlock_shared(1)
a: select pg_advisory_unlock_shared(1)
`,
		"a holder of the shared lock asks for the exclusive one past the queue": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock(1)
a: select pg_advisory_lock(1)
a: select pg_advisory_unlock(1)
a: select pg_advisory_unlock_shared(1)
`,
		"two holders of the shared lock that want the exclusive one are a deadlock": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock_shared(1)
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
b: select pg_advisory_unlock_shared(1)
`,
		"the queue is served in order": `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock_shared(1)
d: select pg_advisory_lock_shared(1)
a: select pg_advisory_unlock(1)
b: select pg_advisory_unlock(1)
a: select pg_advisory_lock(1)
c: select pg_advisory_unlock_shared(1)
d: select pg_advisory_unlock_shared(1)
`,
		"a key of two numbers is not a key of one": `
a: select pg_advisory_lock(1)
b: select pg_try_advisory_lock(0, 1)
c: select pg_try_advisory_lock(0, 1)
b: select pg_advisory_unlock(0, 1)
c: select pg_try_advisory_lock(0, 1)
a: select pg_try_advisory_xact_lock_shared(1, 2)
b: select pg_try_advisory_xact_lock(1, 2)
b: select pg_advisory_unlock(1, 2)
a: select pg_try_advisory_lock(4294967296)
b: select pg_try_advisory_lock(1, 0)
b: select pg_advisory_lock(4294967296 * 4294967296)
b: select pg_try_advisory_lock(4294967296, 1)
`,
		"arguments have the types of the functions": `
a: select pg_advisory_lock($1) <- 7
b: select pg_try_advisory_lock($1, $2) <- 0, 7
b: select pg_try_advisory_lock($1::bigint) <- 7
a: select pg_advisory_unlock($1) as released <- 7
b: select pg_try_advisory_lock($1::bigint) <- 7
a: select pg_advisory_lock($1) <- null
a: select pg_try_advisory_lock(null)
`,
		"all session locks are released at once, and no others": `
a: select pg_advisory_lock(1)
a: select pg_advisory_lock(2)
a: select pg_advisory_lock_shared(3)
a: begin
a: select pg_advisory_xact_lock(4)
a: select pg_advisory_unlock_all()
b: select pg_try_advisory_lock(1)
b: select pg_try_advisory_lock(2)
b: select pg_try_advisory_lock(3)
b: select pg_try_advisory_lock(4)
`,
		"discard all releases session locks and settings": `
a: set lock_timeout = '30s'
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
a: begin
a: discard all
a: rollback
a: discard all
a: show lock_timeout
`,
		"a transaction lock outside of a transaction lasts as long as its statement": `
a: select pg_advisory_xact_lock(1)
b: select pg_try_advisory_xact_lock(1)
a: select pg_try_advisory_lock(1)
b: select pg_advisory_xact_lock(1)
a: select pg_advisory_unlock(1)
a: select pg_try_advisory_lock(1)
`,
		"the end of a session ends its locks": `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
a: \close
c: begin
c: select pg_advisory_xact_lock(1)
b: \terminate
d: select pg_advisory_lock(1)
c: \gone
d: select pg_advisory_unlock(1)
`,
		"a session that waits ends when it is terminated": `
a: select pg_advisory_lock(1)
b: begin
b: select pg_advisory_xact_lock(2)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock(2)
b: \terminate
a: select pg_terminate_backend($1) <- @c
a: select pg_try_advisory_lock(2)
b: select 1
`,
		"a cancel ends the statement under way": `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock(1)
b: \cancel
b: begin
b: select pg_advisory_xact_lock(1)
a: select pg_cancel_backend($1) <- @b
b: select 1
b: rollback
a: select pg_advisory_unlock(1)
c: \cancel
c: select pg_cancel_backend(999999999)
`,
		"a client that is gone keeps its place in the queue": `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock(1)
b: \gone
d: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
`,
		"the update of a client that is gone takes place": items + `
a: begin
a: update items set value = '2' where name = 'x'
b: update items set value = value || 'b' where name = 'x'
b: \gone
a: commit
a: select value from items where name = 'x'
`,
		"a lock timeout ends the wait": `
a: select pg_advisory_lock(1)
b: set lock_timeout = '50ms'
b! select pg_advisory_lock(1)
b: begin
b: set local lock_timeout = 60
b! select pg_advisory_xact_lock(1)
b: rollback
b: show lock_timeout
b: reset lock_timeout
b: show lock_timeout
b: select pg_advisory_lock(1)
a: \close
`,
		"a lock timeout leaves the queue": items + `
a: begin
a: select * from items where name = 'x' for update
b: set lock_timeout = '50ms'
b! update items set value = '9' where name = 'x'
c: update items set value = '10' where name = 'x'
a: commit
c: select value from items where name = 'x'
`,
		"a statement timeout ends the statement": `
a: select pg_advisory_lock(1)
b: set statement_timeout = '200ms'
b! select pg_advisory_lock(1)
b! select pg_sleep(10)
b: begin
b! select pg_sleep(10)
b: commit
b: set statement_timeout = 0
b! select pg_sleep(0.02)
b: select pg_advisory_lock(1)
a: select pg_advisory_unlock(1)
`,
		"an idle transaction ends by its timeout": items + `
a: set idle_in_transaction_session_timeout = '100ms'
a& begin
a& update items set value = '9' where name = 'x'
b& select pg_try_advisory_lock(1)
a: \expire
b: select value from items where name = 'x'
`,
		"a failed transaction refuses statements until its rollback": items + `
a: begin
a: update items set value = '9' where name = 'x'
a: select nothing from items
a: select 1
a: update items set value = '10' where name = 'x'
a: commit
a: select value from items where name = 'x'
a: begin
a: insert into items (name, value) values ('x', '1')
a: rollback
a: select value from items where name = 'x'
`,
		"the words of transactions": `
a: begin
a: begin
a: commit
a: commit
a: rollback
a: start transaction
a: end
a: begin work
a: abort
a: begin transaction isolation level repeatable read
a: show transaction_isolation
a: commit
a: begin isolation level read committed read only
a: show transaction_isolation
a: commit transaction
a: start transaction isolation level repeatable read, read only
a: rollback work
`,
		"a read-only transaction writes nothing": items + `
a: begin read only
a: select value from items where name = 'x'
a: select pg_try_advisory_lock(1)
a: update items set value = '9' where name = 'x'
a: rollback
a: begin read only
a: insert into items (name, value) values ('w', '1')
a: rollback
a: begin read only
a: delete from items
a: rollback
a: begin read only
a: select value from items where name = 'x' for update
a: rollback
`,
		"read committed sees what is committed when a statement begins": items + `
a: begin
b: begin
a: select value from items where name = 'x'
b: update items set value = '9' where name = 'x'
b: select value from items where name = 'x'
a: select value from items where name = 'x'
b: commit
a: select value from items where name = 'x'
a: commit
`,
		"repeatable read sees what was committed at its first statement": items + `
a: begin isolation level repeatable read
b: update items set value = '9' where name = 'x'
a: select value from items where name = 'x'
b: update items set value = '10' where name = 'x'
b: insert into items (name, value) values ('w', '0')
a: select value from items where name = 'x'
a: select count(*) from items
a: update items set value = '11' where name = 'x'
a: rollback
a: select value from items where name = 'x'
`,
		"repeatable read refuses a row that changed while it waited": items + `
a: begin isolation level repeatable read
b: begin
b: update items set value = '9' where name = 'x'
a: update items set value = value || 'a' where name = 'x'
b: commit
a: rollback
a: begin isolation level repeatable read
a: select 1
b: begin
b: update items set value = '10' where name = 'x'
a: select value from items where name = 'x' for update
b: rollback
a: commit
a: begin isolation level repeatable read
a: select 1
b: delete from items where name = 'x'
a: update items set value = '12' where name = 'x'
a: rollback
`,
		"a lock without a change does not disturb repeatable read": items + `
a: begin isolation level repeatable read
a: select 1
b: begin
b: select value from items where name = 'x' for update
a: update items set value = '9' where name = 'x'
b: commit
a: commit
`,
		"an update waits and reads the newest version": items + `
a: begin
a: update items set version = version + 1 where name = 'x'
b: update items set version = version + 1 where name = 'x' returning version
c: select version from items where name = 'x'
a: commit
c: select version from items where name = 'x'
`,
		"an update that no longer matches after its wait changes nothing": items + `
a: begin
a: update items set value = '9', version = 1 where name = 'x' and version = 0
b: update items set value = '10', version = 1 where name = 'x' and version = 0
a: commit
b: update items set value = '10', version = 2 where name = 'x' and version = 1 returning *
`,
		"an update goes on after a rollback": items + `
a: begin
a: update items set value = '9', version = 1 where name = 'x' and version = 0
b: update items set value = '10', version = 1 where name = 'x' and version = 0
a: rollback
b: select value, version from items where name = 'x'
`,
		"a deleted row is skipped after the wait": items + `
a: begin
a: delete from items where name = 'x'
b: update items set value = '10' where name = 'x'
c: delete from items where name = 'x'
d: select value from items where name = 'x' for update
a: commit
a: select count(*) from items
`,
		"an update of the key moves the row": items + `
a: begin
a: update items set name = 'w' where name = 'x'
b: update items set value = '10' where name = 'x'
a: commit
b: update items set value = '10' where name = 'w'
a: update items set name = 'y' where name = 'w'
`,
		"the select list is evaluated before the wait for a row": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: select value from items where name = 'x' for update
a: commit
`,
		"a lock and a read in one statement read what was before the lock": items + `
a: begin
a: select pg_advisory_xact_lock(1)
b: select pg_advisory_xact_lock(1), (select value from items where name = 'x')
a: update items set value = '9' where name = 'x'
a: commit
b: select (select value from items where name = 'x')
`,
		"row locks conflict as in the table of strengths": items + `
a: begin
a: select name from items where name = 'x' for key share
b: begin
b: select name from items where name = 'x' for share nowait
c: begin
c: select name from items where name = 'x' for no key update nowait
c: rollback
b: commit
c: begin
c: select name from items where name = 'x' for no key update nowait
b: select name from items where name = 'x' for share nowait
b: select name from items where name = 'x' for key share nowait
b: select name from items where name = 'x' for update nowait
c: rollback
b: select name from items where name = 'x' for update nowait
a: commit
b: select name from items where name = 'x' for update nowait
`,
		"an update takes the lock of its columns": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: select name from items where name = 'x' for key share nowait
b: select name from items where name = 'x' for share nowait
a: commit
a: begin
a: update items set name = 'w' where name = 'y'
b: select name from items where name = 'y' for key share nowait
a: rollback
a: begin
a: delete from items where name = 'y'
b: select name from items where name = 'y' for key share nowait
a: rollback
`,
		"waiters for a row queue": items + `
a: begin
a: select value from items where name = 'x' for update
b: update items set value = value || 'b' where name = 'x' returning value
c: update items set value = value || 'c' where name = 'x' returning value
d: update items set value = value || 'd' where name = 'x' returning value
a: commit
a: select value from items where name = 'x'
`,
		"waiters for a row queue behind each other's transaction": items + `
a: begin
a: select value from items where name = 'x' for update
b: begin
b: update items set value = value || 'b' where name = 'x' returning value
c: begin
c: update items set value = value || 'c' where name = 'x' returning value
d: begin
d: update items set value = value || 'd' where name = 'x' returning value
a: commit
b: commit
c: rollback
d: commit
`,
		"shared row locks are held together": items + `
a: begin
a: select value from items where name = 'x' for share
b: begin
b: select value from items where name = 'x' for share
c: update items set value = '9' where name = 'x'
a: commit
b: commit
c: select value from items where name = 'x'
`,
		"two upgrades of a shared row lock are a deadlock": items + `
a: begin
a: select value from items where name = 'x' for share
b: begin
b: select value from items where name = 'x' for share
a: update items set value = '9' where name = 'x'
b: update items set value = '10' where name = 'x'
b: rollback
a: commit
`,
		"nowait refuses and skip locked passes": items + `
a: begin
a: select value from items where name = 'x' for update
b: select value from items where name = 'x' for update nowait
b: select value from items where name = 'x' for update skip locked
b: select name from items order by name for update skip locked
b: select name from items order by name limit 1 for update skip locked
b: select name from items order by name for update nowait
a: commit
b: select name from items order by name for update nowait
`,
		"a nowait of a queue": items + `
a: begin
a: select value from items where name = 'x' for update
b: update items set value = '9' where name = 'x'
c: select value from items where name = 'x' for update nowait
c: select value from items where name = 'x' for update skip locked
c: begin
c: select value from items where name = 'x' for update
a: commit
b: select 1
c: commit
`,
		"workers claim different jobs": jobs + `
a: begin
a: update jobs set state = 'busy', owner = 'a' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id
b: begin
b: update jobs set state = 'busy', owner = 'b' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id
c: update jobs set state = 'busy', owner = 'c' where id in (select id from jobs where state = 'new' order by id limit 5 for update skip locked) returning id
d: update jobs set state = 'busy' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id
a: rollback
b: commit
d: select id, state, owner from jobs order by id
`,
		"workers claim different jobs with WITH": jobs + `
a: begin
a: with next as (select id from jobs where state = 'new' order by id limit 1 for update skip locked) update jobs set state = 'busy' from next where jobs.id = next.id returning jobs.id
b: with next as (select id from jobs where state = 'new' order by id limit 1 for update skip locked) update jobs set state = 'busy' from next where jobs.id = next.id returning jobs.id
c: with next as (select id from jobs where state = 'new' order by id limit 1 for update) update jobs set state = 'busy' from next where jobs.id = next.id and state = 'new' returning jobs.id
a: commit
`,
		"workers that do not skip claim one job twice or none": jobs + `
a: begin
a: update jobs set state = 'busy', owner = 'a' where id = (select id from jobs where state = 'new' order by id limit 1) returning id
b: update jobs set state = 'busy', owner = 'b' where id = (select id from jobs where state = 'new' order by id limit 1) returning id
c: update jobs set state = 'busy', owner = 'c' where id = (select id from jobs where state = 'new' order by id limit 1) and state = 'new' returning id
d: update jobs set state = 'busy', owner = 'd' where id = (select id from jobs where state = 'new' order by id limit 1 for update) returning id
a: commit
`,
		"a limit counts before a wait": jobs + `
a: begin
a: update jobs set state = 'busy' where id = 1
b: select id from jobs where state = 'new' order by id limit 1 for update
a: commit
`,
		"an insert waits for the same key": items + `
a: begin
a: insert into items (name, value) values ('w', '1')
b: insert into items (name, value) values ('w', '2')
a: commit
c: begin
c: insert into items (name, value) values ('v', '1')
b: insert into items (name, value) values ('v', '2')
c: rollback
b: select name, value from items order by name
`,
		"a key that a transaction deletes is free after its commit": items + `
a: begin
a: delete from items where name = 'x'
b: insert into items (name, value) values ('x', '2')
a: commit
c: begin
c: delete from items where name = 'x'
b: insert into items (name, value) values ('x', '3')
c: rollback
`,
		"on conflict do nothing waits and does nothing": items + `
a: begin
a: insert into items (name, value) values ('w', '1') on conflict do nothing
b: insert into items (name, value) values ('w', '2') on conflict (name) do nothing returning name
a: commit
b: insert into items (name, value) values ('w', '2'), ('v', '1'), ('v', '2') on conflict do nothing returning name, value
c: begin
c: insert into items (name, value) values ('u', '1')
b: insert into items (name, value) values ('u', '2') on conflict do nothing returning name
c: rollback
`,
		"an upsert waits and updates": items + `
a: begin
a: insert into items (name, value) values ('w', '1') on conflict (name) do update set value = excluded.value, version = items.version + 1
b: insert into items (name, value) values ('w', '2') on conflict (name) do update set value = excluded.value, version = items.version + 1 returning value, version
a: commit
a: insert into items (name, value) values ('w', '3') on conflict (name) do update set value = excluded.value where items.version < 0 returning value
a: insert into items as i (name, value) values ('w', '3') on conflict (name) do update set version = i.version + 1 where i.version >= 0 returning *
a: insert into items (name, value) values ('q', '1'), ('q', '2') on conflict (name) do update set value = excluded.value
a: insert into items (name, value) values ('q', '1') on conflict (value) do nothing
`,
		"an upsert waits for a row that is being changed": items + `
a: begin
a: update items set version = 5 where name = 'x'
b: insert into items (name, value) values ('x', '2') on conflict (name) do update set version = items.version + 1 returning version
c: insert into items (name, value) values ('x', '2') on conflict (name) do nothing
a: commit
`,
		"an upsert in repeatable read refuses what it cannot see": items + `
a: begin isolation level repeatable read
a: select 1
b: insert into items (name, value) values ('w', '1')
a: insert into items (name, value) values ('w', '2') on conflict (name) do update set value = 'a'
a: rollback
a: begin isolation level repeatable read
a: select 1
b: insert into items (name, value) values ('v', '1')
a: insert into items (name, value) values ('v', '2') on conflict do nothing
a: rollback
a: begin isolation level repeatable read
a: select 1
b: update items set value = '9' where name = 'x'
a: insert into items (name, value) values ('x', '2') on conflict do nothing
a: rollback
`,
		"a deadlock of two rows ends the one that closes the circle": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: begin
b: update items set value = '9' where name = 'y'
a: update items set value = '10' where name = 'y'
b: update items set value = '10' where name = 'x'
b: select 1
b: rollback
a: commit
`,
		"a deadlock of three advisory locks": `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(2)
c: select pg_advisory_lock(3)
a: select pg_advisory_lock(2)
b: select pg_advisory_lock(3)
c: select pg_advisory_lock(1)
c: select pg_advisory_unlock(3)
b: select pg_advisory_unlock(2)
`,
		"the session whose deadlock timeout ends first is the victim": `
a: set deadlock_timeout = '300ms'
b: set deadlock_timeout = '10s'
a: begin
a: select pg_advisory_xact_lock(1)
b: select pg_advisory_lock(2)
a& select pg_advisory_lock(2)
b! select pg_advisory_lock(1)
a: select 1
`,
		"a deadlock of a row and an advisory lock": items + `
a: select pg_advisory_lock(1)
b: begin
b: update items set value = '9' where name = 'x'
a: update items set value = '10' where name = 'x'
b: select pg_advisory_xact_lock(1)
b: rollback
`,
		"the queue is rearranged if that avoids a deadlock": `
a: select pg_advisory_lock_shared(1)
b: select pg_advisory_lock(2)
b: select pg_advisory_lock(1)
c: select pg_advisory_lock_shared(3)
a: select pg_advisory_lock(2)
a: select 1
b: select 1
`,
		"a soft deadlock lets the shared request pass": `
a: select pg_advisory_lock_shared(1)
c: select pg_advisory_lock(2)
b: select pg_advisory_lock(1)
a: select pg_advisory_lock(2)
c: select pg_advisory_lock_shared(1)
c: select pg_advisory_unlock(2)
c: select pg_advisory_unlock_shared(1)
`,
		"the constraints of a table": `
a: create table t (id int primary key, n int not null check (n >= 0), u text unique, d timestamptz default now(), b boolean not null default false)
a: insert into t (id, n, u) values (1, 1, 'a'), (2, 2, null), (3, 3, null)
a: insert into t (id, n, u) values (4, 1, 'a')
a: insert into t (id, n) values (1, 1)
a: insert into t (id, n) values (4, -1)
a: insert into t (id) values (4)
a: insert into t (n) values (4)
a: update t set n = n - 2 where id = 1
a: update t set id = 2 where id = 1
a: update t set u = 'a' where id = 2
a: update t set n = null where id = 1
a: select id, n, u, b from t order by id
a: insert into t values (5, 1) returning *
a: insert into t (id, n) values (6, 'x')
a: insert into t (id, nope) values (6, 1)
a: select * from nope
a: create table t (id int)
a: create table if not exists t (id int)
a: drop table t
a: drop table t
a: drop table if exists t
`,
		"a key of two columns": `
a: create table t (g text, n int, v text, primary key (g, n), unique (v))
a: insert into t values ('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'z')
a: insert into t values ('a', 2, 'w')
a: insert into t values ('a', 3, 'x')
a: insert into t values ('a', 3, 'w') on conflict (g, n) do nothing
a: insert into t values ('a', 3, 'q') on conflict (g, n) do update set v = excluded.v returning *
a: select v from t where g = 'a' and n = 2
a: select v from t where g = 'a' order by n desc limit 2
a: select g, n from t order by g desc, n asc
`,
		"a serial counts on after a rollback": jobs + `
a: begin
a: insert into jobs (owner) values ('a') returning id
b: insert into jobs (owner) values ('b') returning id
a: rollback
a: insert into jobs (owner) values ('a') returning id, state
a: select id from jobs order by id
`,
		"rows of an open transaction are not seen": items + `
a: begin
a: insert into items (name, value) values ('w', '1')
a: select count(*) from items
b: select count(*) from items
b: update items set value = '9'
a: delete from items where name = 'w'
a: commit
b: select name, value from items order by name
`,
		"a table lock conflicts with its users": items + `
a: begin
a: select 1 from items where name = 'x'
b: drop table items
c: select value from items where name = 'x'
a: commit
`,
		"a table of an open transaction": `
a: begin
a: create table t (id int primary key)
a: insert into t values (1)
b: select * from t
a: commit
b: select * from t
a: begin
a: drop table t
b: select * from t
a: rollback
`,
		"functions and expressions": `
a: select 1 + 2 * 3 as n, 7 / 2, 7 % 3, -5 as minus
a: select 'a' || 'b' as t, length('abc'), upper('a'), lower('B')
a: select coalesce(null, 1), nullif(1, 1), nullif(1, 2), greatest(1, 3, 2), least(3, 1, 2)
a: select true and false, true or null, not true, null is null, 1 is not null
a: select 1 = 1, 1 <> 2, 1 != 1, 1 < 2, 2 <= 1, 'a' < 'b', 1 > null
a: select 1 between 0 and 2, 3 in (1, 2), 2 in (1, 2), 3 not in (1, 2)
a: select case when 1 > 2 then 'a' else 'b' end
a: select '5'::int + 1, cast('7' as bigint), 5::text, 'true'::boolean, '1.5'::double precision
a: select 'x'::int
a: select 1 + 'x'
a: select 1 / 0
a: select 9223372036854775807 + 1
a: select 2147483647 + 1
a: select now() = transaction_timestamp(), statement_timestamp() >= now(), clock_timestamp() >= statement_timestamp()
a: select now() + interval '30 seconds' > now(), now() - interval '1 minute' < now(), now() + make_interval(secs => 5) > now()
a: select now() + $1 * interval '1 second' > now() <- 5
a: select now() + $1 * interval '1 millisecond' > now() as later <- 5
a: select extract(epoch from now() - now()) = 0
a: select pg_backend_pid() > 0, pg_is_in_recovery()
a: select current_setting('lock_timeout'), set_config('lock_timeout', '3s', false), current_setting('lock_timeout')
a: show lock_timeout
a: select hashtext('lock'), hashtextextended('lock', 0)
a: select $1::text, $2::int, $3::boolean <- a, 5, true
a: select $1 <- a
a: select nope()
a: select pg_advisory_lock('x')
a: select pg_advisory_lock()
a: select * from
a: selec 1
a: select 'open
`,
		"the time of a transaction does not go on": `
a: create table t (id int primary key, at timestamptz not null)
a: begin
a: insert into t values (1, now())
a! select pg_sleep(0.01)
a: select at = now(), at < clock_timestamp(), at < statement_timestamp() from t
a: commit
a: select at < now() from t
`,
		"a lease in a row is taken over when it has expired": `
a: create table leases (name text primary key, owner text not null, expires timestamptz not null, token bigint not null default 1)
a: insert into leases (name, owner, expires) values ('l', 'a', now() + interval '1 hour') on conflict (name) do update set owner = excluded.owner, expires = excluded.expires, token = leases.token + 1 where leases.expires < now() returning token
b: insert into leases (name, owner, expires) values ('l', 'b', now() + interval '1 hour') on conflict (name) do update set owner = excluded.owner, expires = excluded.expires, token = leases.token + 1 where leases.expires < now() returning token
a: update leases set expires = now() - interval '1 second' where name = 'l' and owner = 'a' returning token
b: insert into leases (name, owner, expires) values ('l', 'b', now() + interval '1 hour') on conflict (name) do update set owner = excluded.owner, expires = excluded.expires, token = leases.token + 1 where leases.expires < now() returning token
a: delete from leases where name = 'l' and owner = 'a'
a: update leases set expires = now() + interval '1 hour' where name = 'l' and owner = 'a'
b: delete from leases where name = 'l' and owner = 'b' returning token
`,
		"settings of a transaction end with it": `
a: begin
a: set lock_timeout = '1s'
a: show lock_timeout
a: rollback
a: show lock_timeout
a: begin
a: set local lock_timeout = '2s'
a: set local statement_timeout = 90000
a: show lock_timeout
a: show statement_timeout
a: commit
a: show lock_timeout
a: begin
a: set lock_timeout to 1500
a: commit
a: show lock_timeout
a: set local lock_timeout = '5s'
a: show lock_timeout
a: set session lock_timeout = default
a: show lock_timeout
a: set application_name = 'worker-1'
a: show application_name
a: set lock_timeout = 'soon'
a: set lock_timeout = -5
a: reset all
a: show application_name
`,
		"a session lock survives the failure of its statement": items + `
a: select pg_advisory_lock(2)
b: select pg_advisory_lock(1), pg_advisory_lock(2)
b: \cancel
a: select pg_try_advisory_lock(1)
b: begin
b: select pg_advisory_lock(3), 1 / version from items where name = 'x'
b: rollback
a: select pg_try_advisory_lock(3)
b: select pg_advisory_unlock_all()
a: select pg_try_advisory_lock(1), pg_try_advisory_lock(3)
`,
		"a lock timeout counts for each lock of a statement": `
a: select pg_advisory_lock(1), pg_advisory_lock(2)
b: set lock_timeout = '60ms'
b! select pg_advisory_lock(1), pg_advisory_lock(2)
a: select pg_advisory_unlock(1)
b! select pg_advisory_lock(1), pg_advisory_lock(2)
a: select pg_try_advisory_lock(1)
`,
		"a session that is terminated in its transaction gives its locks back": items + `
a: begin
a: update items set value = '9' where name = 'x'
a: select pg_advisory_xact_lock(1)
b: update items set value = '10' where name = 'x' returning value
c: select pg_advisory_lock(1)
a: \terminate
b: select value from items where name = 'x'
`,
		"a failed transaction refuses everything but its end": `
a: begin
a: select 1/0
a: set lock_timeout = 5
a: discard all
a: begin
a: show lock_timeout
a: select pg_advisory_unlock_all()
a: create table t (a int)
a: selec 1
a: end
a: select 1
`,
		"the newest of several versions counts": items + `
a: begin
a: update items set value = '8' where name = 'x'
a: update items set value = '9', version = 5 where name = 'x'
b: update items set value = value || 'b' where name = 'x' and version = 5 returning value
c: update items set value = value || 'c' where name = 'x' and version = 0 returning value
a: commit
`,
		"a row that is deleted and inserted again is another row": items + `
a: begin
a: delete from items where name = 'x'
a: insert into items (name, value) values ('x', '9')
b: update items set value = '10' where name = 'x'
c: insert into items (name, value) values ('x', '11')
a: commit
b: update items set value = '10' where name = 'x'
`,
		"a subselect is evaluated with the snapshot of the statement": items + `
a: begin
a: update items set value = '8' where name = 'y'
a: update items set value = '9' where name = 'x'
b: update items set value = (select value from items where name = 'y') where name = 'x' returning value
c: update items set value = 'c' where name = 'x' and (select value from items where name = 'y') = '2' returning value
a: commit
`,
		"a reader of a key does not wait for an update": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: begin
b: select name from items where name = 'x' for key share
c: update items set value = '10' where name = 'x'
d: delete from items where name = 'x'
a: commit
b: commit
`,
		"an update after FOR UPDATE counts as one of the key": items + `
a: begin
a: select name from items where name = 'x' for update
a: update items set value = '9' where name = 'x'
b: select value from items where name = 'x' for key share
a: commit
a: begin
a: update items set value = '10' where name = 'x'
b: select value from items where name = 'x' for key share
a: rollback
a: begin isolation level repeatable read
a: select 1
b: begin
b: select name from items where name = 'y' for update
b: update items set value = '9' where name = 'y'
b: commit
a: select value from items where name = 'y' for key share
a: rollback
`,
		"a shared row lock passes those that wait for the row": items + `
a: begin
a: select name from items where name = 'x' for share
b: begin
b: select name from items where name = 'x' for update
c: begin
c: select name from items where name = 'x' for share
d: begin
d: select name from items where name = 'x' for key share
a: commit
c: commit
b: commit
`,
		"a holder of a row lock asks for a stronger one": items + `
a: begin
a: select name from items where name = 'x' for key share
b: begin
b: select name from items where name = 'x' for key share
a: update items set value = '9' where name = 'x'
a: select name from items where name = 'x' for update
c: select name from items where name = 'x' for update
b: commit
a: commit
`,
		"a holder of a row lock passes those that wait for the row": items + `
a: begin
a: select name from items where name = 'x' for no key update
b: update items set value = '10' where name = 'x'
c: select name from items where name = 'x' for share
a: select name from items where name = 'x' for update
a: update items set value = '9' where name = 'x'
a: commit
`,
		"the strengths of those that wait decide who waits for whom": items + `
a: begin
a: select name from items where name = 'x' for update
b: begin
b: select name from items where name = 'x' for key share
c: begin
c: select name from items where name = 'x' for share
d: begin
d: select name from items where name = 'x' for no key update
a: commit
b: commit
c: commit
`,
		"rows are locked one after the other": items + `
a: begin
a: update items set value = '9' where name = 'y'
b: begin
b: select name from items order by name for update
c: update items set value = '9' where name = 'x'
d: update items set value = '9' where name = 'z'
a: commit
b: commit
`,
		"two upserts of two rows in two orders are a deadlock": items + `
a: begin
a: insert into items (name, value) values ('v', 'a') on conflict (name) do update set value = 'a'
b: begin
b: insert into items (name, value) values ('w', 'b') on conflict (name) do update set value = 'b'
a: insert into items (name, value) values ('w', 'a') on conflict (name) do update set value = 'a'
b: insert into items (name, value) values ('v', 'b') on conflict (name) do update set value = 'b'
b: rollback
a: commit
`,
		"repeatable read passes what is locked, and claims no job twice": jobs + `
a: begin isolation level repeatable read
a: select count(*) from jobs
b: update jobs set state = 'busy' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id
a: update jobs set state = 'busy' where id = (select id from jobs where state = 'new' order by id limit 1 for update skip locked) returning id
a: rollback
`,
		"repeatable read and a row that is deleted or moved": items + `
a: begin isolation level repeatable read
a: select 1
b: delete from items where name = 'x'
a: select value from items where name = 'x'
a: select value from items where name = 'x' for update
a: rollback
a: begin isolation level repeatable read
a: select 1
b: update items set name = 'w' where name = 'y'
a: delete from items where name = 'y'
a: rollback
a: begin isolation level repeatable read
a: select 1
b: update items set value = '9' where name = 'z'
a: select value from items where name = 'z' for key share
a: rollback
`,
		"repeatable read takes its snapshot with the first statement, even while that waits": items + `
a: begin
a: select pg_advisory_xact_lock(1)
b: begin isolation level repeatable read
b: select pg_advisory_xact_lock(1)
a: update items set value = '9' where name = 'x'
a: commit
b: select value from items where name = 'x'
b: update items set value = value || 'b' where name = 'x'
b: rollback
`,
		"read committed after a lock reads what the holder has committed": items + `
a: begin
a: select pg_advisory_xact_lock(1)
b: begin
b: select pg_advisory_xact_lock(1)
a: update items set value = '9' where name = 'x'
a: commit
b: select value from items where name = 'x'
b: commit
`,
		"a lock of a table excludes what it says": items + `
a: begin
a: lock table items in share mode
b: select count(*) from items
b: select name from items where name = 'x' for update
b: lock table items in row exclusive mode nowait
b: begin
b: lock table items in row exclusive mode nowait
b: rollback
b: update items set value = '9' where name = 'x'
a: commit
a: begin
a: lock items
b: select count(*) from items
a: rollback
a: lock table items in exclusive mode
a: begin
a: lock table items in share row exclusive mode
b: begin
b: lock table items in share mode nowait
b: rollback
a: commit
`,
		"a truncation waits for its readers, and takes effect at once": items + `
a: begin
a: select count(*) from items
b: truncate items
c: select count(*) from items
a: commit
a: begin
a: insert into items (name, value) values ('x', '1')
a: truncate items
a: select count(*) from items
a: rollback
`,
		"an index waits for writers and lets readers pass": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: create index byvalue on items (value)
c: select count(*) from items
c: update items set value = '10' where name = 'y'
a: commit
b: begin
b: create index byversion on items (version)
a: select count(*) from items
a: update items set value = '10' where name = 'y'
b: commit
`,
		"an index that is built concurrently passes a reader and waits for an old snapshot": items + `
a: begin
a: select value from items where name = 'x'
b: create index concurrently one on items (value)
a: commit
a: begin isolation level repeatable read
a: select value from items where name = 'x'
b: create index concurrently two on items (value)
a: commit
a: begin
b: create index concurrently three on items (value)
`,
		"a table that another transaction makes or drops": items + `
a: begin
a: create table t (n int)
b: create table t (n int)
a: commit
a: begin
a: drop table t
b: insert into t values (1)
c: create table t (m int)
a: commit
`,
		"a row of a foreign session is seen as soon as the session has committed": items + `
a: begin
a: insert into items (name, value) values ('w', '1')
b: select value from items where name = 'w' for update
b: select value from items where name = 'w' for update skip locked
b: update items set value = '2' where name = 'w'
a: commit
b: update items set value = '2' where name = 'w'
`,
		"a statement timeout counts while a statement waits for a row": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: set statement_timeout = '150ms'
b! update items set value = '10' where name = 'x'
b: begin
b! select name from items where name = 'x' for update
b: rollback
a: commit
b: update items set value = '10' where name = 'x'
`,
		"a client that is gone while it is idle gives its locks back": items + `
a: begin
a: update items set value = '9' where name = 'x'
a: select pg_advisory_lock(1)
b: update items set value = value || 'b' where name = 'x' returning value
c: select pg_advisory_lock(1)
a: \gone
`,
		"a client that is gone commits nothing of an open transaction": items + `
a: select pg_advisory_lock(1)
b: begin
b: update items set value = '9' where name = 'x'
b: select pg_advisory_lock(1)
b: \gone
c: update items set value = '10' where name = 'x' returning value
a: select pg_advisory_unlock(1)
c: select pg_try_advisory_lock(1)
`,
		"advisory locks in conditions": items + `
a: select name from items where name = 'x' and pg_try_advisory_lock(1)
b: select name from items where name = 'x' and pg_try_advisory_lock(1)
b: update items set value = '9' where name = 'x' and pg_try_advisory_xact_lock(1)
b: select name from items where name = 'nothing' and pg_try_advisory_lock(2)
a: select pg_try_advisory_lock(2)
b: update items set value = '9' where name = 'x' and pg_try_advisory_xact_lock(3)
a: select pg_try_advisory_lock(3)
a: select case when pg_try_advisory_lock(4) then 'a' else 'b' end
b: select case when pg_try_advisory_lock(4) then 'a' else 'b' end
b: select pg_advisory_lock(4), 1 from items where name = 'x'
a: select pg_advisory_unlock(4), pg_advisory_unlock(4)
`,
		"an index that is built concurrently waits for older transactions": items + `
a: begin
a: update items set value = '9' where name = 'x'
b: create index concurrently byvalue on items (value)
c: select value from items where name = 'x'
a: commit
a: begin
a: create index concurrently other on items (value)
a: rollback
`,
		"an index that is built concurrently waits for a statement that waits": items + `
a: select pg_advisory_lock(1)
b: begin
b: select value from items where name = 'x'
b: select pg_advisory_lock(1)
a: create index concurrently byvalue on items (value)
a: select pg_advisory_unlock(1)
`,
		"an index that is built concurrently and an advisory lock are a deadlock": items + `
a: select pg_advisory_lock(1)
b: select pg_advisory_lock(1)
a: create index concurrently byvalue on items (value)
a: select pg_advisory_unlock(1)
`,
	}
}
