// Package locktest runs scenarios in ordinary Go tests.
//
//	func TestMine(t *testing.T) {
//		mine := lock.Entry{Name: "mine", Doc: "SET NX with a lease", New: newMine}
//		locktest.RunEntry(t, "gc-pause", mine, locktest.Seeds(200), locktest.Holds("lost-update"))
//	}
//
// [Run] does the same for an unmodified lock library. A failure of the test prints the violations with their rates, the
// story of the smallest failing run, and the command that repeats that run. The test prints nothing if everything is as
// expected.
//
// # A tour
//
//   - run.go: [Run] and [Do], for an unmodified lock library or service; explore.go: [Explore].
//   - deps.go: [Deps], the clients of the simulated servers, which redis.go, dynamodb.go, zookeeper.go, kubernetes.go and conn.go implement.
//     etcd.go: [Etcd], from which package etcdclient makes the official client of etcd.
//   - lease.go: [Locker], which turns a function that acquires into a lock.
//   - library.go, service.go: how a lock or a service in a synctest bubble takes part in a run.
//   - runentry.go: [RunEntry], and the choice of the expectation that decides.
//   - options.go: [Seeds], [Set], [Kinds], [Results], [OneProcess], [Holds] and [Violates].
//   - failure.go: the text of a failure, and its shrunk scenario.
//   - replay.go: the flag -lockquake.replay; again.go: a test begins with its last failure.
//   - crash.go: the line that follows the panic of a goroutine of a library.
//   - processes.go: the flag -lockquake.jobs, and the processes that share the seeds of a test.
package locktest
