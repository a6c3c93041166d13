package docgen

import (
	"fmt"
	"strings"
)

// finding is something that a test of a public library as it is has shown.
type finding struct {
	library   string   // its module with the version, or a package of Go
	project   string   // its repository; "": Go's
	what      string   // goes wrong
	condition string   // under which it does
	shown     string   // the test in examples that shows it
	without   string   // the test that shows that it does not happen without the condition; "": remedy
	remedy    string   // the test that shows that it does not happen if the client is used in another way
	check     string   // that is violated; "": the test measures it
	issues    []string // that report the same, as those of reproduced
}

// findings lists the findings. A test compares them with the tests in examples.
func findings() []finding {
	const (
		etcd      = "go.etcd.io/etcd/client/v3 v3.7.3"
		zookeeper = "github.com/go-zookeeper/zk v1.0.4"
		redsync   = "github.com/go-redsync/redsync/v4 v4.18.1"
		redislock = "github.com/bsm/redislock v0.9.4"
		migrate   = "github.com/golang-migrate/migrate/v4 v4.20.1"
		goose     = "github.com/pressly/goose/v3 v3.30.0"
		database  = "database/sql of Go 1.26"
	)
	return []finding{
		{
			etcd, "etcd-io/etcd", "`Session.Done` is closed after another session has the lock: the client counts the TTL from the answer to a renewal, and looks once a second whether it is over",
			"the holder reaches the resource and not etcd, for longer than the TTL", "TestEtcdDoneComesLate", "TestEtcdDoneOfASessionThatIsNotCutOff", "", "exclusion",
			[]string{"etcd-io/etcd#10811"},
		},
		{
			etcd, "etcd-io/etcd", "`Session.Done` is closed after 5 to 6 s, or `DialTimeout` and 1 to 2 s, although the TTL is shorter",
			"the TTL is under 5 s, and the answer to the first renewal of the session does not come", "TestEtcdDoneWithoutAFirstRenewal", "", "TestEtcdDoneWithAShortDialTimeout", "lost-update", nil,
		},
		{
			etcd, "etcd-io/etcd", "two mutexes with the same key in one session are both locked",
			"the workers of a process share a session; nothing fails", "TestEtcdMutexesOfOneSession", "TestEtcdMutexesOfSeveralSessions", "", "exclusion",
			[]string{"etcd-io/etcd!11364", "gluster/glusterd2!1426"},
		},
		{
			etcd, "etcd-io/etcd", "`Mutex.Lock` with a timeout of 2 s returns after 30 s: it deletes its key with the context of the client",
			"the waiter cannot reach etcd when its timeout ends", "TestEtcdLockOutlivesItsContext", "TestEtcdLockEndsWithItsContext", "", "",
			[]string{"etcd-io/etcd#18082"},
		},
		{
			etcd, "etcd-io/etcd", "`Mutex.Unlock` returns no error although the session is over and another one has had the lock; a transaction with `IsOwner` tells",
			"a pause that outlasts the lease", "TestEtcdUnlockOfALostMutex", "", "TestEtcdUnlockOfALostMutexByItsOwner", "told", nil,
		},
		{
			zookeeper, "go-zookeeper/zk", "nothing tells the holder of a lock that its session is over: only the events of the connection do",
			"the holder reaches the resource and not ZooKeeper, for longer than the session timeout", "TestZookeeperHolderWithoutAConnection", "", "TestZookeeperHolderThatHeedsTheConnection", "lost-update",
			[]string{"samuel/go-zookeeper#20"},
		},
		{
			zookeeper, "go-zookeeper/zk", "`Unlock` returns an error and the lock stays, for as long as the session of its holder goes on",
			"the connection is lost, here by a change of the leader, and the holder does not call `Unlock` again", "TestZookeeperUnlockWithoutAConnection", "", "TestZookeeperUnlockUntilItIsAnswered", "progress", nil,
		},
		{
			redsync, "go-redsync/redsync", "`Extend` sets a key that is gone, and the holder does not learn that another one has had the lock",
			"`WithSetNXOnExtend`, and the server loses the key", "TestRedsyncExtendSetsALostLockAgain", "TestRedsyncExtendOfALostLock", "", "lost-update",
			[]string{"go-redsync/redsync!149"},
		},
		{
			redislock, "bsm/redislock", "`Obtain` with a retry strategy gives up after one TTL, with `context.DeadlineExceeded` and not `ErrNotObtained`",
			"the context has no deadline, and the holder keeps the lock for longer than the TTL", "TestRedislockGivesUpAfterATTLOfAnother", "TestRedislockWaitsUntilItsDeadline", "", "",
			[]string{"bsm/redislock#74", "bsm/redislock#79"},
		},
		{
			goose, "pressly/goose", "`SessionLock` gives up at the first refusal, long before the timeout that `WithLockTimeout` sets: the locker counts its retries over all calls",
			"a session locker takes locks several times, and has been refused as often as its failure threshold before", "TestGooseSessionLockerUsesUpItsRetries", "", "TestGooseSessionLockerForEachCall", "", nil,
		},
		{
			migrate, "golang-migrate/migrate", "after `ErrLockTimeout` the statement that waits for the lock goes on. It gets the lock after the holder and keeps it: no process can migrate until that one ends",
			"the `LockTimeout` (15 s by default) is shorter than a migration of another process", "TestMigrateTakesTheLockAfterItsTimeout", "", "TestMigrateWithALongTimeout", "", nil,
		},
		{
			migrate, "golang-migrate/migrate", "PostgreSQL ends `CREATE INDEX CONCURRENTLY` because of a deadlock: it waits for the older statements, and one of them waits for the lock",
			"another process waits to migrate; `CREATE INDEX` has no deadlock", "TestMigrateBuildsAnIndexConcurrently", "TestMigrateBuildsAnIndex", "", "",
			[]string{"golang-migrate/migrate#960"},
		},
		{
			database, "", "the pool closes the session of an advisory lock while the work goes on",
			"the lock is taken on a `*sql.DB` whose `ConnMaxLifetime` is shorter than the work, and not on a `*sql.Conn`", "TestAdvisoryLockOnAPoolThatClosesItsSession", "TestAdvisoryLockOnAConnectionOfSuchAPool", "", "exclusion",
			[]string{"concourse/concourse!4232"},
		},
		{
			database, "", "the unlock of an advisory lock comes to another session, and the lock stays",
			"the lock is taken and released on a `*sql.DB` that other goroutines use, and not on a `*sql.Conn`", "TestAdvisoryUnlockInAnotherSession", "TestAdvisoryUnlockInTheSameSession", "", "progress",
			[]string{"remind101/migrate#6", "lyft/clutch!2441"},
		},
	}
}

// writeFindings writes the table of findings.
func writeFindings(b *strings.Builder) {
	b.WriteString("\n## Findings about Go libraries\n\n" +
		"Tests of unmodified public libraries found these failures ([test the library that you use](test-a-library.md)). The first test of\n" +
		"a row runs the library under the condition. The second test runs it without the condition, or under the condition with a remedy.\n" +
		"Both are in [examples](../examples), and run with the versions of the table. The reports describe the same behaviour, often of an\n" +
		"older version.\n\n" +
		"| library | what goes wrong | condition | tests | check | reports |\n|---|---|---|---|---|---|\n")
	for _, f := range findings() {
		check, reports := "measured", "-"
		if f.check != "" {
			check = "`" + f.check + "`"
		}
		if len(f.issues) > 0 {
			reports = linksTo(f.issues, f.project)
		}
		contrast := "without it `" + f.without + "`"
		if f.remedy != "" {
			contrast = "remedy `" + f.remedy + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | `%s`, %s | %s | %s |\n", f.library, f.what, f.condition, f.shown, contrast, check, reports)
	}
}
