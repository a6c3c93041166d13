package libraries

// redis lists the libraries with a lock on one Redis server.
func redis() []Library {
	return []Library{
		{
			Name: "redislock", Project: "bsm/redislock", Version: "v0.10.0", Commit: "76760bd8b28471f9c2a71f27406b7e825c912b95",
			Preset: "redis", Lock: "unknown: refused", Defaults: "retry: {attempts: 1}",
			Fails: []string{"lost-reply", "gc-pause"},
			Facts: []Fact{
				{Same, "a random value of 16 bytes; the release is a compare-and-delete, and a lost lock is an error", "redislock.go"},
				{Same, "an error of the acquire ends it: the key that the request may have set stays until its TTL is over", "redislock.go"},
				{Differs, "the script of the acquire accepts its own value, so a request that go-redis sends twice is granted", "obtain.lua"},
				{Differs, "one acquire can take several keys", "redislock.go"},
				{Default, "no retry unless a RetryStrategy is set; with one, an acquire without a deadline ends after the TTL", "redislock.go"},
				{Default, "no renewal: the caller calls Refresh, and a refusal is an error there", "redislock.go"},
			},
		},
		{
			Name: "redis-py", Project: "redis/redis-py", Version: "8.0.0", Commit: "34817ce2a2accc893a81180fe737e0c4f5ac6b0c",
			Preset: "redis", Lock: "unknown: resend", Defaults: "retry: {attempts: unlimited, delay: 100ms, jitter: 0s}",
			Fails: []string{"lost-reply", "gc-pause"},
			Facts: []Fact{
				{Same, "SET with NX and PX, a release by compare-and-delete; a lost lock is a LockNotOwnedError", "redis/lock.py"},
				{Same, "the client sends a command again after a network error, and its own key then refuses the SET", "redis/client.py"},
				{Default, "no TTL unless timeout is set: then it is the preset redis-noexpire", "redis/lock.py"},
				{Default, "waits for ever, and asks every 0.1 s without jitter", "redis/lock.py"},
				{Default, "the client repeats a command up to 10 times; max-retries is 0 here", "redis/_defaults.py"},
				{Differs, "the value is a version 1 UUID, from the clock and the address of the machine", "redis/lock.py"},
				{Differs, "no renewal: the caller calls extend or reacquire", "redis/lock.py"},
			},
		},
		{
			Name: "python-redis-lock", Project: "ionelmc/python-redis-lock", Version: "v4.0.1", Commit: "e448f12f49aa4a07885fe8cd02eae19a7e75fa51",
			Preset: "redis-watchdog-deaf", Lock: "waiting: message, fallback: 1s", Defaults: "retry: {attempts: unlimited}",
			Fails: []string{"cut-off", "leader"},
			Facts: []Fact{
				{Same, "with auto_renewal, a thread renews after 2/3 of the TTL; an error ends the thread, and the work is not told", "src/redis_lock/__init__.py"},
				{Same, "a waiter is woken by the release", "src/redis_lock/__init__.py"},
				{Differs, "without a message a waiter asks again after the TTL; here after 1 s", "src/redis_lock/__init__.py"},
				{Differs, "the message is an element of a list with a TTL of 1 s, so a waiter that asks late still finds it", "src/redis_lock/__init__.py"},
				{Default, "auto_renewal is off: then it is the preset redis-notify", "src/redis_lock/__init__.py"},
				{Default, "no TTL unless expire is set: then it is the preset redis-noexpire, with messages", "src/redis_lock/__init__.py"},
				{Default, "TTLs are whole seconds", "src/redis_lock/__init__.py"},
			},
		},
		{
			Name: "redisson", Project: "redisson/redisson", Version: "4.7.1-SNAPSHOT", Commit: "66863978b4a92093b97c1f8c96f182a77e81d50e",
			Preset: "redis-reentrant", Lock: "reentry: increment, unknown: refused, renewal: deaf, waiting: message, fallback: 1s",
			Defaults: "ttl: 30s, renew: 10s, retry: {attempts: unlimited}",
			Bugs:     []string{"cut-off", "renewal-races-release", "lost-wakeup", "reentrant-resent", "rwlock-crash", "rwlock-starving", "late-commit"},
			Fails:    []string{"gc-pause", "cut-off", "late-commit"},
			Facts: []Fact{
				{Same, "a hash with one field for each client and thread, which counts how often the thread has taken the lock", "redisson/src/main/java/org/redisson/RedissonLock.java"},
				{Same, "without a lease time a watchdog renews the lock at a third of its 30 s; a refusal ends the renewal of the lock, and the work is not told", "redisson/src/main/java/org/redisson/renewal/LockTask.java"},
				{Same, "waiters subscribe to a channel", "redisson/src/main/java/org/redisson/RedissonLock.java"},
				{Differs, "without a message a waiter asks again at the end of the TTL that a refusal returns; here after 1 s", "redisson/src/main/java/org/redisson/RedissonLock.java"},
				{Same, "tryLock takes a timeout of the response for a refusal, and the key that it may have set stays until its TTL is over", "redisson/src/main/java/org/redisson/RedissonLock.java"},
				{Differs, "with a single server the script of an acquire is not sent again; with replicas it is, up to 4 times, and counts twice: see reentrant-resent", "redisson/src/main/java/org/redisson/command/CommandAsyncService.java"},
				{Differs, "with replicas it waits for them (WAIT), and an acquire fails if none has confirmed it: see redis-replica-wait", "redisson/src/main/java/org/redisson/command/CommandAsyncService.java"},
				{Differs, "its fair locks, multi-locks and fenced locks are not modelled", ""},
				{Default, "lockWatchdogTimeout 30 s, timeout of a command 3 s", "redisson/src/main/java/org/redisson/config/Config.java"},
			},
		},
		{
			Name: "shedlock-redis", Aliases: []string{"shedlock redis"}, Project: "lukas-krecan/ShedLock", Version: "7.9.1-SNAPSHOT", Commit: "2495b1406d85323b8deadbe75d7a5dd3e8b8e844",
			Preset: "redis-del", Defaults: "retry: {attempts: 1}",
			Bugs:  []string{"cron", "late-release"},
			Fails: []string{"late-release", "unlock-by-name", "cron"},
			Facts: []Fact{
				{Same, "SET with NX and PX", "providers/redis/shedlock-support-redis/src/main/java/net/javacrumbs/shedlock/provider/redis/support/InternalRedisLockProvider.java"},
				{Same, "a plain DEL releases it, unless safeUpdate is set: that is a compare-and-delete, and the preset redis-release-ignored", "providers/redis/shedlock-support-redis/src/main/java/net/javacrumbs/shedlock/provider/redis/support/InternalRedisLockProvider.java"},
				{Differs, "lockAtLeastFor keeps the key after the work; without it the next scheduler can run the same tick (scenario cron)", "providers/redis/shedlock-support-redis/src/main/java/net/javacrumbs/shedlock/provider/redis/support/InternalRedisLockProvider.java"},
				{Differs, "extend is a SET with XX without safeUpdate: it overwrites the value of another holder", "providers/redis/shedlock-support-redis/src/main/java/net/javacrumbs/shedlock/provider/redis/support/InternalRedisLockProvider.java"},
				{Default, "safeUpdate is off in the provider for Spring", "providers/redis/shedlock-provider-redis-spring/src/main/java/net/javacrumbs/shedlock/provider/redis/spring/RedisLockProvider.java"},
				{Default, "no retry: a task that is refused is skipped", "providers/redis/shedlock-support-redis/src/main/java/net/javacrumbs/shedlock/provider/redis/support/InternalRedisLockProvider.java"},
			},
		},
		{
			Name: "spring-integration", Aliases: []string{"spring integration", "redislockregistry"}, Project: "spring-projects/spring-integration", Version: "7.2.0-SNAPSHOT", Commit: "f369e899dd3007756e4da49273e201b85afa5cc7",
			Preset: "redis", Defaults: "ttl: 60s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}",
			Fails: []string{"gc-pause", "kleppmann"},
			Facts: []Fact{
				{Same, "a key with a TTL, released by compare-and-delete; a lost lock is a ConcurrentModificationException", "spring-integration-redis/src/main/java/org/springframework/integration/redis/util/RedisLockRegistry.java"},
				{Differs, "one value for each registry, and a local lock that its threads take first; the script of the acquire accepts its own value", "spring-integration-redis/src/main/java/org/springframework/integration/redis/util/RedisLockRegistry.java"},
				{Differs, "with a task scheduler set it renews at a third of the TTL; a refusal ends that, and the work is not told (renewal: deaf)", "spring-integration-redis/src/main/java/org/springframework/integration/redis/util/RedisLockRegistry.java"},
				{Default, "60 s, asks every 100 ms without jitter, no renewal", "spring-integration-redis/src/main/java/org/springframework/integration/redis/util/RedisLockRegistry.java"},
				{Default, "PUB_SUB_LOCK waits for messages (waiting: message); SPIN_LOCK is the default", "spring-integration-redis/src/main/java/org/springframework/integration/redis/util/RedisLockRegistry.java"},
			},
		},
		{
			Name: "symfony-lock", Aliases: []string{"symfony"}, Project: "symfony/lock", Version: "v7.1.1", Commit: "091a6ff7f2417035df966a9a90258fa769f6c57d",
			Preset: "redis-release-ignored", Defaults: "ttl: 300s, retry: {attempts: unlimited, delay: 90ms, jitter: 20ms}",
			Fails: []string{"gc-pause", "cut-off"},
			Facts: []Fact{
				{Same, "the release ignores the answer of its script: a lock that was lost counts as released", "Store/RedisStore.php"},
				{Differs, "a sorted set by the clock of the server instead of a key, for readers too: see redis-rwlock", "Store/RedisStore.php"},
				{Differs, "an acquire that took longer than its TTL fails, by the clock of the process", "Lock.php"},
				{Differs, "no renewal: the caller calls refresh", "Lock.php"},
				{Default, "300 s; a blocking acquire asks every 90 to 110 ms", "Lock.php"},
			},
		},
		{
			Name: "laravel-lock", Aliases: []string{"laravel"}, Project: "laravel/framework", Version: "13.26.1", Commit: "bd71b45fbb7e672957bf6ff61baddefe15fbca6a",
			Preset: "redis-release-ignored", Defaults: "retry: {attempts: unlimited, delay: 250ms, jitter: 0s}",
			Fails: []string{"gc-pause", "cut-off"},
			Facts: []Fact{
				{Same, "SET with EX and NX, a release by compare-and-delete", "src/Illuminate/Cache/RedisLock.php"},
				{Same, "get and block with a callback ignore the answer of the release", "src/Illuminate/Cache/Lock.php"},
				{Differs, "no renewal: the caller calls refresh", "src/Illuminate/Cache/RedisLock.php"},
				{Default, "no TTL if the seconds are 0: then it is the preset redis-noexpire", "src/Illuminate/Cache/RedisLock.php"},
				{Default, "get asks once; block asks every 250 ms without jitter", "src/Illuminate/Cache/Lock.php"},
				{Differs, "forceRelease deletes the key of any owner", "src/Illuminate/Cache/RedisLock.php"},
			},
		},
		{
			Name: "sidekiq-unique-jobs", Aliases: []string{"sidekiq"}, Project: "mhenrixon/sidekiq-unique-jobs", Version: "v9.0.0.alpha2", Commit: "76aa8c947b8318ebbc5fa021be240097d7a926b3",
			Preset: "redis-reaped", Defaults: "retry: {attempts: 1}",
			Bugs:  []string{"reaper"},
			Fails: []string{"reaper"},
			Facts: []Fact{
				{Same, "a reaper deletes locks for which it finds no job", "lib/sidekiq_unique_jobs/orphans/reaper.rb"},
				{Differs, "it looks through the queues, the retries and the running processes; the reports of the scenario are of older versions, with a list of its own", "lib/sidekiq_unique_jobs/orphans/reaper.rb"},
				{Differs, "a hash with the job's ID as the owner, which a script fills up to a limit", "lib/sidekiq_unique_jobs/lua/lock.lua"},
				{Default, "no TTL (lock_ttl), no wait (lock_timeout 0); the reaper comes every 10 minutes", "lib/sidekiq_unique_jobs/config.rb"},
			},
		},
	}
}
