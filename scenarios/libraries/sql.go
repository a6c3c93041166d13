package libraries

// sql lists the libraries with a lock in a SQL database.
func sql() []Library {
	return []Library{
		{
			Name: "shedlock", Aliases: []string{"shedlock-jdbc", "shedlock jdbc"}, Project: "lukas-krecan/ShedLock", Version: "7.9.1-SNAPSHOT", Commit: "2495b1406d85323b8deadbe75d7a5dd3e8b8e844",
			Preset: "pg-lease-row-client-clock", Lock: "renewal: none, check: none", Defaults: "retry: {attempts: 1}",
			Bugs:  []string{"lease-client-clock", "cron", "unlock-by-name"},
			Fails: []string{"lease-client-clock", "paused-lease-row"},
			Facts: []Fact{
				{Same, "a row with the end of the lock, which the clocks of the clients write and compare unless usingDbTime is set", "providers/sql/shedlock-sql-support/src/main/java/net/javacrumbs/shedlock/provider/sql/SqlStatementsSource.java"},
				{Differs, "with usingDbTime it is the preset pg-lease-row", "providers/sql/shedlock-sql-support/src/main/java/net/javacrumbs/shedlock/provider/sql/PostgresSqlServerTimeStatementsSource.java"},
				{Same, "no renewal, and nothing checks the end of the lock while the task runs", "shedlock-core/src/main/java/net/javacrumbs/shedlock/core/DefaultLockingTaskExecutor.java"},
				{Differs, "a KeepAliveLockProvider, if one wraps it, extends at half of the time, and does not tell the work of a refusal", "shedlock-core/src/main/java/net/javacrumbs/shedlock/support/KeepAliveLockProvider.java"},
				{Differs, "a release compares the name of the host; two processes of one host release each other's locks", "providers/sql/shedlock-sql-support/src/main/java/net/javacrumbs/shedlock/provider/sql/SqlStatementsSource.java"},
				{Differs, "lockAtLeastFor keeps the lock after the work; without it the next scheduler can run the same tick (scenario cron)", "providers/sql/shedlock-sql-support/src/main/java/net/javacrumbs/shedlock/provider/sql/PostgresSqlServerTimeStatementsSource.java"},
				{Default, "no retry: a task that is refused is skipped", "shedlock-core/src/main/java/net/javacrumbs/shedlock/support/StorageBasedLockProvider.java"},
			},
		},
		{
			Name: "with-advisory-lock", Aliases: []string{"with_advisory_lock"}, Project: "ClosureTree/with_advisory_lock", Version: "v7.5.0", Commit: "b5fec3524a4d6c0ef45b2cb43d01bb50d07e53ed",
			Preset: "pg-advisory-try", Defaults: "retry: {attempts: unlimited, delay: 50ms, jitter: 100ms}",
			Fails: []string{"backend-killed", "failover-without-the-lock"},
			Facts: []Fact{
				{Same, "pg_try_advisory_lock on the connection of the thread, again after 50 to 150 ms; blocking: true waits in the server, as pg-advisory-session", "lib/with_advisory_lock/core_advisory.rb"},
				{Differs, "the work uses the same connection, and fails with it", ""},
				{Differs, "transaction: true takes pg_try_advisory_xact_lock: see pg-advisory-xact", "lib/with_advisory_lock/postgresql_advisory.rb"},
				{Differs, "it ignores the answer of the unlock", "lib/with_advisory_lock/postgresql_advisory.rb"},
				{Default, "no timeout unless timeout_seconds is set", "lib/with_advisory_lock/core_advisory.rb"},
			},
		},
		{
			Name: "rails-migrations", Aliases: []string{"rails", "activerecord"}, Project: "rails/rails", Commit: "3d428777b05701ca7211a1be723cb1ee0e094bd9",
			Preset: "pg-advisory-try", Defaults: "retry: {attempts: 1}",
			Bugs:  []string{"pooled-advisory"},
			Fails: []string{"backend-killed", "failover-without-the-lock"},
			Facts: []Fact{
				{Same, "an advisory lock of a session that the migration keeps, on a connection of its own pool", "activerecord/lib/active_record/migration.rb"},
				{Same, "after the grant it reads again which migrations have run", "activerecord/lib/active_record/migration.rb"},
				{Differs, "the answer of the unlock counts: false is a ConcurrentMigrationError", "activerecord/lib/active_record/migration.rb"},
				{Default, "no retry: a refusal is a ConcurrentMigrationError", "activerecord/lib/active_record/migration.rb"},
			},
		},
		{
			Name: "quartz", Project: "quartz-scheduler/quartz", Version: "2.5.1-SNAPSHOT", Commit: "bb2505aa340b4f36c7da164e4d34cafd1249e21c",
			Preset: "optimistic-state",
			Bugs:   []string{"aba"},
			Fails:  []string{"aba"},
			Facts: []Fact{
				{Same, "with one trigger at a time, and unless acquireTriggersWithinLock is set, it claims a trigger by an UPDATE that compares only its state", "quartz/src/main/java/org/quartz/impl/jdbcjobstore/JobStoreSupport.java"},
				{Differs, "else, and for all other changes, it takes a row by SELECT FOR UPDATE: the preset pg-row-lock", "quartz/src/main/java/org/quartz/impl/jdbcjobstore/StdRowLockSemaphore.java"},
				{Differs, "a node is dead if it has not checked in, by the clocks of the nodes", ""},
				{Default, "a check-in every 7.5 s, 3 tries of a row lock", "quartz/src/main/java/org/quartz/impl/jdbcjobstore/JobStoreSupport.java"},
			},
		},
		{
			Name: "db-scheduler", Project: "kagkarlsson/db-scheduler", Version: "v16.12.0", Commit: "d17d7706299ac1e834a32bcf5ec506190f65b1dc",
			Preset: "pg-skip-locked", Defaults: "ttl: 30m",
			Fails: []string{"stale-completion"},
			Facts: []Fact{
				{Same, "a claim is an UPDATE of the status; completion compares the version of that claim", "db-scheduler/src/main/java/com/github/kagkarlsson/scheduler/jdbc/JdbcTaskRepository.java"},
				{Differs, "it finds the row by a plain SELECT, and the UPDATE compares the version (the default way to poll)", "db-scheduler/src/main/java/com/github/kagkarlsson/scheduler/jdbc/JdbcTaskRepository.java"},
				{Differs, "heartbeats prolong a claim; here it ends after the TTL", "db-scheduler/src/main/java/com/github/kagkarlsson/scheduler/jdbc/JdbcTaskRepository.java"},
				{Default, "a heartbeat every 5 minutes, dead after 6 that are missing", "db-scheduler/src/main/java/com/github/kagkarlsson/scheduler/SchedulerBuilder.java"},
			},
		},
		{
			Name: "solid-queue", Aliases: []string{"solid_queue"}, Project: "rails/solid_queue", Version: "v1.5.0", Commit: "29e818d9c1181195736ffc5d7c1d1c03757b7752",
			Preset: "pg-skip-locked", Defaults: "ttl: 5m",
			Fails: []string{"stale-completion"},
			Facts: []Fact{
				{Same, "FOR UPDATE SKIP LOCKED, committed at once with a row for the claim; completion needs that row", "app/models/solid_queue/claimed_execution.rb"},
				{Differs, "the claims of a process without a heartbeat fail; they are not run again on their own", "app/models/solid_queue/process/prunable.rb"},
				{Differs, "its semaphores (concurrency limits) are a counter with an expiry, and not modelled", "app/models/solid_queue/semaphore.rb"},
				{Default, "a heartbeat every 60 s, dead after 5 minutes", "lib/solid_queue.rb"},
			},
		},
		{
			Name: "que", Project: "que-rb/que", Version: "v2.4.1", Commit: "17fb2c3b75b37599bf17043dbb692555f582f249",
			Preset: "pg-advisory-try", Defaults: "retry: {attempts: 1}",
			Fails: []string{"backend-killed"},
			Facts: []Fact{
				{Same, "an advisory lock of a session for each job, by pg_try_advisory_lock", "lib/que/poller.rb"},
				{Differs, "one connection has the locks of all jobs of a process, and the work uses others: it goes on when that connection ends", "lib/que/locker.rb"},
				{Differs, "the answers of the unlocks are compared", "lib/que/locker.rb"},
			},
		},
		{
			Name: "good-job", Aliases: []string{"good_job", "goodjob"}, Project: "bensheldon/good_job", Version: "v4.19.2", Commit: "81db22b7cfde2579b2d735e076fa6eaacc65affa",
			Preset: "pg-advisory-try", Defaults: "retry: {attempts: 1}",
			Bugs:  []string{"counted-twice"},
			Fails: []string{"backend-killed"},
			Facts: []Fact{
				{Same, "an advisory lock of a session for each job (the strategy advisory, which is the default)", "app/models/good_job/job.rb"},
				{Same, "it counts how often a session has a lock, since the fix of counted-twice: before, it was the preset pg-advisory-twice", "app/models/concerns/good_job/advisory_lockable.rb"},
				{Differs, "its strategies skiplocked and hybrid claim rows: see pg-skip-locked", "app/models/good_job/job.rb"},
			},
		},
		{
			Name: "river", Project: "riverqueue/river", Version: "v0.43.0", Commit: "fdf6cdf12567a5b70c003f5ff850273f09e7efcf",
			Preset: "pg-skip-locked-unowned", Defaults: "ttl: 1h, tries: 25",
			Bugs:  []string{"lease-reply-anchor"},
			Fails: []string{"stale-completion"},
			Facts: []Fact{
				{Same, "FOR UPDATE SKIP LOCKED, committed at once; a rescuer takes back jobs that run for too long", "riverdriver/riverpgxv5/internal/dbsqlc/river_job.sql"},
				{Same, "completion compares the state, and neither the worker nor the attempt: a stale attempt completes the one that runs now", "riverdriver/riverpgxv5/internal/dbsqlc/river_job.sql"},
				{Differs, "its leader has a lease row by the clock of the server, trusted from the send of the request, since the fix of lease-reply-anchor: the preset pg-lease-row", "internal/leadership/elector.go"},
				{Differs, "the context of a job ends after its timeout", ""},
				{Default, "a timeout of 1 minute for a job, 25 attempts", "client.go"},
				{Default, "a job is taken back 1 hour after its claim, or after its timeout", "internal/maintenance/job_rescuer.go"},
			},
		},
		{
			Name: "graphile-worker", Aliases: []string{"graphile"}, Project: "graphile/worker", Version: "v0.17.3", Commit: "abfb4cff30747ad423046d117dfb88470f03ae00",
			Preset: "pg-skip-locked-unowned", Defaults: "ttl: 4h",
			Fails: []string{"stale-completion"},
			Facts: []Fact{
				{Same, "FOR UPDATE SKIP LOCKED, committed at once with worker and time", "src/sql/getJobs.ts"},
				{Same, "completion deletes the job by its ID, without a condition on the worker", "src/sql/completeJobs.ts"},
				{Default, "a job that is locked for 4 hours is taken back", "src/sql/resetLockedAt.ts"},
			},
		},
	}
}
