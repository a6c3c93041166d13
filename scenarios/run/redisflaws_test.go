package run_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/scenarios/internal/runtest"
	"lockquake/sim"
)

// Flaws of a lock on one server, and what a replica is worth, each beside what it
// is a flaw of and under one fault.
func TestRedisFlawsWorkedOutByHand(t *testing.T) {
	for _, test := range []story{
		{
			// The client waits 5 s for the answer to what it sent after 4 ms.
			name: "the reply to an acquire is lost",
			tune: func(p *lock.Params) { p.TTL = 20 * time.Second },
			arrange: func(r *rig) {
				r.workers[0].OnPoint("acquire.replied", 1, func() { _ = r.world.DropMessage(time.Minute) })
			},
			told:   []history.Type{history.Granted, history.Freed, history.Expired},
			visits: []visit{{1, 0, ms(50)}},
			want: map[string]string{
				"redis": `
5 lock granted worker-1 on lock-1
5011 lock freed worker-1 on lock-1
5012 worker-1 ends unknown`,
				"redis-client-resend": `
5 lock granted worker-1 on lock-1
20006 lock expired worker-1 on lock-1
20105 lock granted worker-1 on lock-1
20106 worker-1 enters
20156 worker-1 leaves
20159 lock freed worker-1 on lock-1
20160 worker-1 ends`,
			},
		},
		{
			// The renewal of 3,339 ms is applied, and given up 5 s after it was sent.
			name: "the reply to a renewal is lost",
			arrange: func(r *rig) {
				r.workers[0].OnPoint("renew.replied", 2, func() { _ = r.world.DropMessage(time.Minute) })
			},
			told:   []history.Type{history.Renewed, history.Freed, history.Expired},
			visits: []visit{{1, 0, 9 * time.Second}},
			want: map[string]string{
				"redis-watchdog": `
6 worker-1 enters
3342.333333 lock renewed worker-1 on lock-1
8446.333333 lock renewed worker-1 on lock-1
9006 worker-1 leaves
9009 lock freed worker-1 on lock-1
9010 worker-1 ends`,
				"redis-watchdog-crash": `
6 worker-1 enters
3342.333333 lock renewed worker-1 on lock-1
8341.333333 worker-1 exits: renew x: i/o timeout
13343 lock expired worker-1 on lock-1`,
			},
		},
		{
			// A watchdog's release waits for its renewing task; the other renewal begins at
			// 1,000 ms and asks a third of a TTL later.
			name:    "what begins the renewal is late",
			arrange: func(r *rig) { r.workers[0].Stall("renewal", time.Second, nil) },
			told:    []history.Type{history.Freed, history.NotRenewed},
			visits:  []visit{{1, 0, ms(50)}},
			want: map[string]string{
				"redis-watchdog": `
6 worker-1 enters
56 worker-1 leaves
1003 lock freed worker-1 on lock-1
1004 worker-1 ends`,
				"redis-watchdog-racy": `
6 worker-1 enters
56 worker-1 leaves
59 lock freed worker-1 on lock-1
60 worker-1 ends
4336.333333 lock not-renewed worker-1 on lock-1`,
			},
		},
		{
			// The entry of worker 1 is made at 7 ms and gone after 5,007. Worker 2 looks once
			// a second, and each look takes 4 ms.
			name:   "work of 8 s",
			told:   []history.Type{history.Freed},
			visits: []visit{{1, 0, 8 * time.Second}, {2, time.Second, ms(50)}},
			want: map[string]string{
				"redis": `
6 worker-1 enters
8006 worker-1 leaves
8009 lock freed worker-1 on lock-1
8010 worker-1 ends
8044 worker-2 enters
8094 worker-2 leaves
8095 lock freed worker-2 on lock-1
8096 worker-2 ends`,
				"redis-reaped": `
8 worker-1 enters
5017 lock freed worker-2 on lock-1
5088 worker-2 enters
5138 worker-2 leaves
5141 lock freed worker-2 on lock-1
5142 worker-2 ends
8008 worker-1 leaves
8010 worker-1 ends lost`,
			},
		},
		{
			// The waiters are refused at 106 and 206 ms, and listen from 112 and 212 on, or
			// 208 over the connection that is there. Both hear of the release at 1,010 and
			// ask; worker 2 is first. Its UNSUBSCRIBE takes 2 ms. No waiter
			// hears of the next release over that connection.
			name:    "two waiters of one process",
			arrange: func(r *rig) { r.inOneProcess(3) },
			told:    []history.Type{history.Freed},
			visits:  []visit{{1, 0, time.Second}, {2, ms(100), ms(50)}, {3, ms(200), ms(50)}},
			want: map[string]string{
				"redis-notify": `
6 worker-1 enters
1006 worker-1 leaves
1009 lock freed worker-1 on lock-1
1010 worker-1 ends
1012 worker-2 enters
1062 worker-2 leaves
1063 lock freed worker-2 on lock-1
1064 worker-2 ends
1066 worker-3 enters
1116 worker-3 leaves
1117 lock freed worker-3 on lock-1
1118 worker-3 ends`,
				"redis-notify-shared": `
6 worker-1 enters
1006 worker-1 leaves
1009 lock freed worker-1 on lock-1
1010 worker-1 ends
1014 worker-2 enters
1064 worker-2 leaves
1065 lock freed worker-2 on lock-1
1066 worker-2 ends`,
			},
		},
		{
			// The replica has the key after 2 ms.
			name:    "a failover within the lag",
			arrange: func(r *rig) { r.world.At(ms(6.5), func() { r.group.Promote() }) },
			visits:  []visit{{1, 0, ms(50)}, {2, ms(10), ms(50)}},
			want: map[string]string{
				"redis-replica": `
6 worker-1 enters
16 worker-2 enters
56 worker-1 leaves
64 worker-1 ends lost
66 worker-2 leaves
68 worker-2 ends`,
				"redis-replica-wait": `
14.5 worker-1 ends unknown
18 worker-2 enters
68 worker-2 leaves
70 worker-2 ends`,
			},
		},
		{
			// A WAIT for 500 ms that came at 7 ms is answered at 507.
			name: "a replica that cannot be reached",
			tune: func(p *lock.Params) { p.Retry.Attempts = 1 },
			arrange: func(r *rig) {
				_ = r.world.CutLink("lock", "lock-replica", sim.CutDrop, time.Minute)
			},
			told:   []history.Type{history.Granted, history.Freed},
			visits: []visit{{1, 0, ms(50)}},
			want: map[string]string{
				"redis-replica": `
5 lock granted worker-1 on lock
6 worker-1 enters
56 worker-1 leaves
59 lock freed worker-1 on lock
60 worker-1 ends`,
				"redis-replica-wait": `
5 lock granted worker-1 on lock
511 lock freed worker-1 on lock
512 worker-1 ends unknown`,
			},
		},
	} {
		test.run(t)
	}
}

// In the profile batch the tenth attempt of worker 2 is 255.5 s after its first,
// and is followed by a sleep of 256 s beside a lock that is free from 300 s on.
func TestDoublingSleepsAfterItsLastAttempt(t *testing.T) {
	story{
		name: "work of 300 s",
		tune: func(p *lock.Params) {
			p.ApplyProfile("batch")
			p.TTL, p.Retry.AfterLast = time.Hour, true
		},
		visits: []visit{{1, 0, 300 * time.Second}, {2, time.Second, ms(50)}},
		want: map[string]string{
			"redis-doubling": `
6 worker-1 enters
300006 worker-1 leaves
300010 worker-1 ends
512524 worker-2 ends not-obtained`,
		},
	}.run(t)
}

// A profile sets numbers; a key beside it, and a nearer part of the file, win.
func TestProfileInAScenario(t *testing.T) {
	s := runtest.Parse(t, `name: smallest
duration: 60s
workload: {kind: register}
strategies: [redis]
lock: {profile: batch, ttl: 7s}
each: [{worker: worker-1, lock: {profile: cache, retry: {attempts: 4}}}]
`)
	own := lock.Params{TTL: time.Hour, Retry: lock.Retry{Attempts: 11, Jitter: time.Second}}
	for worker, want := range map[string]lock.Params{
		"worker-2": {
			Profile: "batch", TTL: 7 * time.Second, Renew: 5 * time.Second,
			Retry: lock.Retry{Attempts: 10, Delay: 500 * time.Millisecond, Jitter: time.Second, Doubling: true},
		},
		"worker-1": {
			Profile: "cache", TTL: 2 * time.Second, Renew: 800 * time.Millisecond,
			Retry: lock.Retry{Attempts: 4, Delay: 50 * time.Millisecond, Jitter: time.Second, Doubling: true},
		},
	} {
		if diff := cmp.Diff(want, s.ParamsOf(own, s.Strategies[0], worker)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", worker, diff)
		}
	}
}
