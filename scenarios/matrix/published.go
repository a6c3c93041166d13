package matrix

import "lockquake/scenarios/results"

// published lists what popular articles on locks tell their readers, in our words, with the
// statements that follow from it. A strategy that is missing leaves its statement open.
func published() []advice {
	stopped := []string{"pauses", "network", "suspends", "clocks"}
	return []advice{
		{text: "For money: a PostgreSQL advisory lock or ZooKeeper, since they are consistent", claims: []claim{
			inNeed{"an advisory lock of a session charges no card twice", "outside", "pg-advisory-session", nil, true, nil},
			inNeed{"an advisory lock of a transaction charges no card twice", "outside", "pg-advisory-xact", nil, true, nil},
			inNeed{"ZooKeeper charges no card twice", "outside", "zookeeper", nil, true, nil},
		}},
		{text: "For invalidating a cache: SET NX on one Redis", claims: []claim{
			inNeed{"SET NX on one Redis saves work and does not get stuck", "efficiency", "redis", nil, true, nil},
		}},
		{text: "For a leader: ZooKeeper or etcd", claims: []claim{
			inNeed{"a leader by ZooKeeper is undone by no leader of the past", "leader", "zookeeper", nil, true, nil},
			inNeed{"a leader by etcd is undone by no leader of the past", "leader", "etcd", nil, true, nil},
		}},
		{text: "For rate limits: no lock, but an atomic counter or a sliding window", claims: []claim{
			inRun{"a sliding window that is not atomic needs a lock", "rate-limit", "sliding-unlocked", "bounds", true, nil},
			inRun{"a sliding window keeps its limit", "rate-limit", "sliding", "bounds", false, nil},
			inRun{"a counter of a fixed window keeps the limit in every window", "rate-limit", "fixed", "bounds", false, nil},
		}},
		{text: "For batch jobs: Redlock balances safety and speed", claims: []claim{
			inNeed{"Redlock completes no job twice", "queue", "redlock", nil, true, nil},
			compared{"one Redis needs as many requests as Redlock, or more", "queue", "redis", "redlock", results.NoFault, "requests for each job", requestsPerJob, ""},
		}},
		{text: "For session state: a row lock of the database", claims: []claim{
			inNeed{"a row lock loses no update", "database", "pg-row-lock", nil, true, nil},
		}},
		{text: "A unique constraint beats a lock, and so does a version column; a lock comes last", claims: []claim{
			inNeed{"a unique key completes no job twice", "queue", "unique-key", nil, true, nil},
			inNeed{"a version column loses no update", "database", "optimistic", nil, true, nil},
			inNeed{"a lock with a lease loses updates", "database", "redis", nil, false, nil},
			compared{"a lock needs as many requests as a unique key, or more", "queue", "redis", "unique-key", results.NoFault, "requests for each job", requestsPerJob, ""},
		}},
		{text: "For an inventory: maybe a lock; measure first", open: "it tells to measure and says nothing that a measurement could refute; the scenario flash-sale measures it"},
		{text: "Advisory locks for migrations; Redlock for whatever touches billing", claims: []claim{
			inRun{"an advisory lock runs each migration once", "migrations", "pg-advisory-session", "once", false, nil},
			inNeed{"Redlock charges no card twice", "outside", "redlock", nil, true, nil},
		}},
		{text: "DynamoDB conditional writes where there is no Redis", claims: []claim{
			inNeed{"a lock in DynamoDB loses no update", "database", "dynamodb", nil, true, nil},
		}},
		{text: "Most teams need no fencing token; for payments consider one", claims: []claim{
			inNeed{"without a token no update is lost", "database", "redis", stopped, true, nil},
			inNeed{"with a token no card is charged twice", "outside", "redis-fenced", nil, true, nil},
		}},
		{text: "Fencing tokens protect the data even if two workers believe that they hold the lock", claims: []claim{
			inNeed{"a token that the database checks keeps its rows right", "database", "redis-fenced", stopped, true, nil},
			inNeed{"a token undoes what leaders of the past write", "leader", "pg-lease-row-fenced", stopped, true, nil},
			inNeed{"a token keeps readers right", "readers", "redis-fenced", []string{"pauses", "suspends", "clocks"}, true, nil},
		}},
		{text: "More Redis nodes make a lock more available, not more correct", claims: []claim{
			inNeed{"Redlock loses updates as a single Redis does", "database", "redlock", nil, false, nil},
			compared{"under restarts of the servers Redlock finishes as much of the work as one Redis", "database", "redlock", "redis", "servers", "finished under servers", percentFinished, " %"},
		}},
		{text: "A quorum mitigates the clock skew of one node; ZooKeeper uses logical clocks", claims: []claim{
			inRun{"Redlock survives the clock of one server that jumps", "redlock-clock-step", "redlock", "exclusion", false, nil},
			inNeed{"ZooKeeper survives wrong clocks", "database", "zookeeper", []string{"clocks"}, true, nil},
		}},
		{text: "A watchdog that renews at a third of the TTL makes long operations safe; it must stop at once when the work ends", claims: []claim{
			inNeed{"a watchdog keeps a long hold without faults", "leader", "redis-watchdog", []string{results.NoFault}, true, nil},
			inNeed{"a watchdog that cancels the work is safe", "database", "redis-watchdog-cancel", stopped, true, nil},
			inNeed{"a watchdog keeps a long hold safe under faults", "leader", "redis-watchdog", nil, true, nil},
			inRun{"a watchdog that does not stop at once breaks the next holder's lock", "renewal-races-release", "redis-watchdog-overlap", "ownership", true, nil},
		}},
		{text: "The TTL should exceed the worst case with a buffer (60 s for 10 s of work)", claims: []claim{
			inRun{"a TTL of 60 s survives a pause of 15 s", "kleppmann", "redis", "lost-update", false, []string{"lock.ttl=60s"}},
			inRun{"a TTL of 10 s does not", "kleppmann", "redis", "lost-update", true, nil},
		}},
		{text: "A lock without a TTL is a deadlock waiting to happen", claims: []claim{
			inRun{"a key without an expiry stays after a crash", "crashed-holder", "redis-noexpire", "recovery", true, nil},
			inNeed{"a lock of a transaction, which has no TTL, stays after a crash", "database", "pg-advisory-xact", []string{crashes}, false, []string{"recovery", "progress"}},
		}},
		{text: "Compare and delete, or you release another worker's lock", claims: []claim{
			inRun{"a plain delete releases another worker's lock", "late-release", "redis-del", "ownership", true, nil},
			inRun{"compare-and-delete does not", "late-release", "redis", "ownership", false, nil},
		}},
		{text: "Jitter and exponential backoff prevent a herd", claims: []claim{
			inRun{"a fixed interval makes a herd", "herd", "redis-herd", "load", true, nil},
			inRun{"jitter prevents it", "herd", "redis", "load", false, nil},
		}},
		{text: "Lock each resource, not all at once; do not nest locks, or sort them", claims: []claim{
			inRun{"locks in any order end in a deadlock", "multi-lock", "renewed", "progress", true, nil},
			inRun{"sorted locks do not", "multi-lock", "sorted", "progress", false, nil},
		}},
		{text: "A queue with SKIP LOCKED gives each job to one worker", claims: []claim{
			inNeed{"a job that is claimed by its status is completed once", "queue", "pg-skip-locked", nil, true, nil},
			inNeed{"a job whose transaction stays open is completed once", "queue", "pg-skip-locked-tx", nil, true, nil},
			inNeed{"the effect outside of a claimed job happens once", "outside", "pg-skip-locked", nil, true, nil},
		}},
		{text: "Partition or steal work instead of locking: one owner for each key", claims: []claim{
			inNeed{"one owner for each key loses no update", "database", "single-writer", nil, true, nil},
		}},
		{text: "An idempotency key makes a second execution harmless", claims: []claim{
			inNeed{"without any lock, a charge with a key happens once", "outside", "none+key", nil, true, nil},
		}},
		{text: "Profiles: for money a TTL of 5 s, 5 tries from 200 ms and a renewal each 1.5 s; for caches and batches looser", claims: []claim{
			inRun{"with the figures for money pauses lose no update", "gc-pause", "redis-watchdog-cancel", "lost-update", false, []string{"lock.ttl=5s", "lock.renew=1500ms", "lock.retry.attempts=5", "lock.retry.delay=200ms"}},
		}},
	}
}
