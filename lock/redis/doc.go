// Package redis has the locks on Redis servers: one recipe, made of parts.
//
// # A tour
//
//   - [Family] lists the presets: the recipe with a part or a number changed
//     (presets.go for one server, quorumpresets.go for several, claims.go).
//   - The recipe is the locker: Acquire and its attempt (locker.go), and the lease with
//     Check and Release (lease.go). With several servers every request goes to all of
//     them, and a quorum decides (quorum.go).
//   - A part is one file. It has a type for what the part does, and a list of the ways
//     with a sentence each: owner.go, take.go, fence.go, renewal.go, release.go,
//     unknown.go, validity.go, vote.go, waiting.go, reaper.go. Ways of renewal that need
//     more than a few lines have files of their own (renewaltask.go and so on). A script
//     is in the file of its part. The locker looks up its parts once, when it is made.
//   - [Port] holds the go-redis clients that a strategy is handed, and [PortOf] returns
//     it (port.go). [Subscriber] hears what is published, over go-redis or in the
//     simulation (subscriber.go).
//
// A lock of one's own on Redis takes the same port:
//
//	func newMine(d lock.Deps) lock.Strategy {
//		return lock.WithLock(&mine{d.Env, redis.PortOf(d).Client, d.Params.TTL})
//	}
package redis
