package libraries

// coordination lists the libraries with a lock on etcd, ZooKeeper, DynamoDB or Kubernetes.
func coordination() []Library {
	return []Library{
		{
			Name: "etcd-concurrency", Aliases: []string{"go.etcd.io/etcd/client/v3/concurrency", "concurrency"}, Project: "etcd-io/etcd", Version: "3.8.0-alpha.0", Commit: "c34dc7ee0048fd2bcc44d50beff002e5e8069b69",
			Preset: "etcd-unfenced", Defaults: "ttl: 60s, retry: {attempts: unlimited}",
			Bugs:  []string{"etcd-queued-lease", "etcd-cut-off", "etcd-leader-change", "set-add"},
			Fails: []string{"etcd-pause", "etcd-leader-change"},
			Facts: []Fact{
				{Same, "a key for each waiter with the session's lease; the one with the lowest revision has the lock", "client/v3/concurrency/mutex.go"},
				{Same, "a waiter reads its own key before it enters: its lease may have ended in the queue", "client/v3/concurrency/mutex.go"},
				{Same, "a session keeps its lease alive, and closes a channel (Done) when it no longer does", "client/v3/concurrency/session.go"},
				{Differs, "Done is closed; it does not stop the work, which has to watch it", "client/v3/concurrency/session.go"},
				{Differs, "all mutexes of a session share one lease", "client/v3/concurrency/session.go"},
				{Same, "all renewals are on one stream to one member, until an error: a member that is stopped for the TTL costs the lease", "client/v3/lease.go"},
				{Differs, "the revision of the key can be a fencing token, if the caller passes it on: then it is the preset etcd", "client/v3/concurrency/mutex.go"},
				{Default, "a session lasts 60 s without a keep-alive", "client/v3/concurrency/session.go"},
			},
		},
		{
			Name: "curator", Aliases: []string{"apache-curator", "interprocessmutex"}, Project: "apache/curator", Version: "5.9.1-SNAPSHOT", Commit: "88dee99a85921bd0f20955e1d7efbaf896fc17f3",
			Preset: "zookeeper-suspended-ok", Defaults: "ttl: 60s",
			Fails: []string{"zookeeper-suspended", "zookeeper-pause"},
			Facts: []Fact{
				{Same, "ephemeral sequential znodes, and a watch of the one before", "curator-recipes/src/main/java/org/apache/curator/framework/recipes/locks/LockInternals.java"},
				{Same, "InterProcessMutex ignores the state of the connection: the holder is told of SUSPENDED only if the application listens", "curator-recipes/src/main/java/org/apache/curator/framework/recipes/locks/InterProcessMutex.java"},
				{Differs, "an application that stops at SUSPENDED has the preset zookeeper-unfenced", ""},
				{Differs, "it is re-entrant in one thread, counted in the process", "curator-recipes/src/main/java/org/apache/curator/framework/recipes/locks/InterProcessMutex.java"},
				{Default, "a session timeout of 60 s", "curator-framework/src/main/java/org/apache/curator/framework/CuratorFrameworkFactory.java"},
			},
		},
		{
			Name: "client-go", Aliases: []string{"leaderelection", "controller-runtime"}, Project: "kubernetes/client-go", Commit: "32ce75a7d6bc6960fd048d3d1e3b34185418d8c8",
			Preset: "kube-lease", Defaults: "ttl: 15s, renew-deadline: 10s, renew: 2s",
			Bugs:  []string{"lease-released-first", "kube-trusting-release"},
			Fails: []string{"kube-lease-pause", "leader-election"},
			Facts: []Fact{
				{Same, "a Lease under an optimistic version; others take over when they have seen no change for its length", "tools/leaderelection/leaderelection.go"},
				{Same, "a leader that cannot renew for the renew deadline ends the context of its work, and Run returns", "tools/leaderelection/leaderelection.go"},
				{Differs, "with ReleaseOnCancel the Lease is freed while the work can still run: the preset lease-release-first", "tools/leaderelection/leaderelection.go"},
				{Differs, "that release goes by the last observation of the candidate, and not by the record that it reads: the preset kube-lease-trusting-release", "tools/leaderelection/leaderelection.go"},
				{Differs, "coordinated leader election is not modelled", ""},
				{Default, "15 s, 10 s and 2 s in the core components; a caller has to set them", "tools/leaderelection/leaderelection.go"},
			},
		},
		{
			Name: "amazon-dynamodb-lock-client", Aliases: []string{"dynamodb-lock-client"}, Project: "awslabs/amazon-dynamodb-lock-client", Version: "1.4.0", Commit: "601eab15fc03aef4aa70550f3963f4d0651ad08e",
			Preset: "dynamodb-unfenced", Defaults: "ttl: 20s, renew: 5s",
			Bugs:  []string{"dynamodb-heartbeat-races"},
			Fails: []string{"dynamodb-pause", "dynamodb-clock-rate"},
			Facts: []Fact{
				{Same, "conditional writes with a version that each heartbeat changes", "src/main/java/com/amazonaws/services/dynamodbv2/AmazonDynamoDBLockClient.java"},
				{Same, "heartbeat and release of one lock exclude each other, since the fix of the race in the scenario", "src/main/java/com/amazonaws/services/dynamodbv2/AmazonDynamoDBLockClient.java"},
				{Differs, "the version is random, and no fencing token", "src/main/java/com/amazonaws/services/dynamodbv2/AmazonDynamoDBLockClient.java"},
				{Differs, "the holder asks isExpired or sets a session monitor; nothing stops its work", "src/main/java/com/amazonaws/services/dynamodbv2/LockItem.java"},
				{Default, "a lease of 20 s, a heartbeat every 5 s", "src/main/java/com/amazonaws/services/dynamodbv2/AmazonDynamoDBLockClientOptions.java"},
			},
		},
	}
}
