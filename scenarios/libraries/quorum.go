package libraries

// quorum lists the libraries with a lock on a quorum of Redis servers. All of them also take a
// single one.
func quorum() []Library {
	return []Library{
		{
			Name: "redsync", Project: "go-redsync/redsync", Version: "v4.17.0", Commit: "5560bd2d477db3ce962d5f052bf695543c826751",
			Preset: "redlock", Lock: "owner: call",
			Defaults: "ttl: 8s, node-timeout: 400ms, retry: {attempts: 32, delay: 50ms, jitter: 200ms}",
			Fails:    []string{"redlock-one-token", "redlock-freeze-after", "redlock-clock-step", "redlock-restart"},
			Facts: []Fact{
				{Same, "SET NX on all servers at once; a majority within the TTL, by the monotonic clock, less a hundredth for drift", "mutex.go"},
				{Same, "one value for all attempts of a call; a failed attempt is released, and its release can arrive after the next attempt", "mutex.go"},
				{Differs, "it waits for all servers, up to the timeout, unless WithFailFast is set", "mutex.go"},
				{Differs, "no renewal: the caller calls Extend, and checks Until before a write", "mutex.go"},
				{Differs, "WithSetNXOnExtend lets an extension set a key that has gone (renewal: recreate, on each server)", "redsync.go"},
				{Default, "8 s, 32 attempts, 50 to 250 ms between them, a timeout of 5 % of the TTL for the servers", "redsync.go"},
				{Default, "go-redis sends a command again up to 3 times unless the client says otherwise; max-retries is 0 here", ""},
			},
		},
		{
			Name: "node-redlock", Project: "mike-marcacci/node-redlock", Version: "v5.0.0-beta.2", Commit: "afe5cf92c8247ba7b65b4ae36230f415493c44f0",
			Preset: "redlock-no-validity", Lock: "owner: call",
			Defaults: "retry: {attempts: 11, delay: 100ms, jitter: 200ms}",
			Bugs:     []string{"failover"},
			Fails:    []string{"redlock-freeze", "redlock-freeze-after", "redlock-one-token"},
			Facts: []Fact{
				{Same, "acquire returns a lock if a majority granted it, however long that took: its expiration can be in the past", "src/index.ts"},
				{Same, "one value for all attempts of an acquire", "src/index.ts"},
				{Differs, "it releases only after the last attempt, so a key of its own on a minority refuses its next attempts", "src/index.ts"},
				{Differs, "using extends 500 ms before the expiration, by the wall clock, and aborts a signal after a failure", "src/index.ts"},
				{Default, "10 retries, 200 ms with a jitter of 100 ms up or down, drift of a hundredth of the TTL plus 2 ms", "src/index.ts"},
			},
		},
		{
			Name: "redlock-net", Aliases: []string{"redlock.net"}, Project: "samcook/RedLock.net", Commit: "dcfe373b3e288caac4f45b78c88b5943f8b47e42",
			Preset: "redlock-extend-deaf", Lock: "owner: call",
			Defaults: "ttl: 30s, node-timeout: 1s, retry: {attempts: 3, delay: 400ms, random: true}",
			Fails:    []string{"redlock-cut-off", "redlock-freeze-after", "redlock-one-token"},
			Facts: []Fact{
				{Same, "a majority within the TTL by a monotonic stopwatch, less a hundredth and 2 ms", "RedLockNet.SERedis/RedLock.cs"},
				{Same, "a timer extends at half of the TTL; after a failure IsAcquired is false, and the work is not told unless it asks", "RedLockNet.SERedis/RedLock.cs"},
				{Same, "one value for all attempts", "RedLockNet.SERedis/RedLock.cs"},
				{Differs, "the timer goes on after a failure, and IsAcquired can become true again", "RedLockNet.SERedis/RedLock.cs"},
				{Differs, "a timer that fires while the last extension is under way is skipped, and a release waits for it", "RedLockNet.SERedis/RedLock.cs"},
				{Default, "3 attempts with a random pause of up to 400 ms", "RedLockNet.SERedis/RedLock.cs"},
				{Default, "a timeout of 1 s for a command, if the library makes the connections", "RedLockNet.SERedis/Configuration/InternallyManagedRedLockConnectionProvider.cs"},
			},
		},
	}
}
