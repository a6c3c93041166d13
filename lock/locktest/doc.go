// Package locktest runs scenarios in ordinary Go tests.
//
//	func TestMine(t *testing.T) {
//		mine := lock.Entry{Name: "mine", Doc: "SET NX with a lease", New: newMine}
//		locktest.RunEntry(t, "gc-pause", mine, locktest.Seeds(200), locktest.Holds("lost-update"))
//	}
//
// [Run] does the same for a lock library as it is. A test fails with what went wrong and how often, the story of the smallest run that fails, and
// the command that repeats it. It prints nothing if everything is as expected.
//
// # A tour
//
//   - run.go: [Run] and [Do], for a lock library or a service as it is; explore.go: [Explore].
//   - deps.go: [Deps], the clients of the simulated servers; redis.go, kubernetes.go and conn.go have these. etcd.go: [Etcd], of which package
//     etcdclient makes the official client of etcd.
//   - lease.go: [Locker], which makes a lock of a function that acquires.
//   - library.go, service.go: how a lock or a service in a synctest bubble takes part in a run.
//   - runentry.go: RunEntry, and which expectation decides.
//   - options.go: [Seeds], [Set], [Results], [OneProcess], [Holds] and [Violates].
//   - failure.go: the text of a failure, and its shrunk scenario.
//   - replay.go: the flag -lockquake.replay; again.go: a test begins with its last failure.
//   - crash.go: the line that follows the panic of a goroutine of a library.
//   - processes.go: the flag -lockquake.jobs, and the processes that share the seeds of a test.
package locktest
