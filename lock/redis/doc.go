// Package redis implements the locks on Redis servers. They are one recipe, made of parts.
//
// # The recipe
//
// To read it, begin with Acquire (locker.go), which repeats an attempt until it has the
// lease. The lease has Check and Release (lease.go). With several servers every request
// goes to all of them, and a quorum decides (quorum.go).
//
// # The parts
//
// Each part has one file, in this order: the type of the part; its ways, each with a name, a
// sentence and whether it is a flaw; their functions and scripts. The parts refused and check are
// in package lock, since all families have them. The locker looks up its parts once, when it is
// made.
//
//	part      decides                                   file
//	owner     the value of the key                      owner.go
//	take      the commands that take the key            take.go
//	fence     where the fencing token comes from        fence.go
//	unknown   what an acquire without a reply means     unknown.go
//	vote      which answers make a quorum               vote.go
//	validity  the end of a lease                        validity.go
//	waiting   what a waiter waits for                   waiting.go
//	refused   the work of a lock that was not obtained  lock/refused.go
//	check     the check before a write                  lock/check.go
//	renewal   who renews the lease                      renewal.go, and renewal*.go for its longer ways
//	release   how the key is released                   release.go, lock/ending.go
//	reaper    who deletes abandoned locks               reaper.go
//
// # Modes
//
// A [form] (form.go) replaces the string of a lock by other records and the scripts that change them. The
// rest of the recipe stays. Read-write locks (readwrite.go) have a sorted set of readers. Semaphores
// (semaphore.go) have a sorted set of the holders of permits. Re-entrant locks (reentrant.go) have a hash
// with a counter. modepresets.go lists their presets.
//
// # The rest
//
//   - [Family] lists the presets. Each is the recipe with a part or a number changed
//     (presets.go for one server, quorumpresets.go for several). Presets without a known
//     bug claim that checks hold (claims.go).
//   - [Port] holds the go-redis clients of a strategy, and [PortOf] returns it (port.go).
//     A [Subscriber] receives what is published on a server, over go-redis or in the
//     simulation (subscriber.go).
//
// A lock of your own on Redis takes the same port:
//
//	func newMine(d lock.Deps) lock.Strategy {
//		return lock.WithLock(&mine{d.Env, redis.PortOf(d).Client, d.Params.TTL})
//	}
package redis
