package redis

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// renewal decides who renews a lease. Renewing is a context that ends when the lease is
// released.
type renewal struct {
	// start starts the renewal of a lease that was granted at started, by the monotonic
	// clock; nil: nothing renews the lease.
	start func(r *lease, started time.Duration)
	// onCheck is called when the holder checks its lease; nil: nothing is called.
	onCheck func(r *lease)
	// onFailure is called after a renewal that failed with err, or was refused (err is
	// nil). It reports whether the renewal ends. If onFailure is nil, the task tries
	// again after an error, and reports a loss after a refusal.
	onFailure func(r *lease, renewing context.Context, err error) bool
	// script sets the expiry of the key KEYS[1] to ARGV[2] ms if its owner is ARGV[1].
	script string
	// unbounded: a request may take longer than the lease.
	unbounded bool
	// concurrent: with several servers, the renewals and the release do not wait for
	// each other.
	concurrent bool
}

func renewals() lock.Choice[renewal] {
	return lock.Choice[renewal]{Name: "renewal", Doc: "who renews the lease, and what a refusal means", Options: []lock.Option[renewal]{
		{Way: lock.Sound("none", "no renewal"), Value: renewal{concurrent: true}},
		{
			Way:   lock.Sound("watchdog", "a task renews it; after a loss it tells the holder and stops the work"),
			Value: renewal{start: startWatchdog, script: renewScript},
		},
		{
			Way:   lock.Flaw("deaf", "a task renews it; after a refusal it stops and does not tell the holder"),
			Value: renewal{start: startDeaf, script: renewScript},
		},
		{
			Way:   lock.Flaw("late-flag", "a refusal or one error sets a flag, which is read only after the work has ended"),
			Value: renewal{start: startDeaf, onFailure: raiseFlag, script: renewScript},
		},
		{
			Way:   lock.Flaw("overlap", "a renewal begins before the last one has ended, and the release waits for none of them"),
			Value: renewal{start: startOverlapping, script: renewScript, concurrent: true},
		},
		{
			Way:   lock.Flaw("recreate", "a renewal that finds no key sets it again"),
			Value: renewal{start: startDeaf, script: recreateScript, unbounded: true}, // it also renews a lease that has ended
		},
		{
			Way:   lock.Flaw("same-thread", "the worker's own thread renews it, between two steps of the work"),
			Value: renewal{start: startSameThread, onCheck: renewIfDue, script: renewScript},
		},
		{
			Way:   lock.Flaw("crash", "like `watchdog`, but an error of one renewal ends the process"),
			Value: renewal{start: startWatchdog, onFailure: exitOnError, script: renewScript},
		},
		{
			Way:   lock.Flaw("racy", "a callback starts it, possibly after the callback that stops it"),
			Value: renewal{start: startRacy, script: renewScript},
		},
		{
			Way:   lock.Flaw("late", "its period is counted from the return of the acquire, and no task watches the end of the lease"),
			Value: renewal{start: startWithoutExpiry, script: renewScript, unbounded: true},
		},
		{
			Way:   lock.Flaw("zombie", "if a renewal is under way at the release, its task goes on and renews whatever lease its locker holds by then"),
			Value: renewal{start: startZombie, script: renewScript, unbounded: true, concurrent: true},
		},
	}}
}

// startRenewal starts the renewal of a lease that was granted just now.
func (r *lease) startRenewal() {
	l := r.locker
	started := l.env.Mono()
	if !l.renewal.concurrent {
		for range l.nodes {
			r.queues = append(r.queues, l.env.NewSem(1))
		}
	}
	if l.renewal.start != nil {
		l.renewal.start(r, started)
	}
}

// renewalContext returns a context that ends when the lease is released or lost.
func (r *lease) renewalContext() context.Context {
	renewing, stop := r.locker.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop.Store(&stop)
	return renewing
}

// period returns the time from one renewal to the next.
func (r *lease) period() time.Duration {
	const shortest = time.Millisecond // of half a validity that is nearly over
	if p := &r.locker.params; r.locker.nodes == nil || p.Renew != 0 || p.RenewShare != 0 {
		return p.RenewPeriod()
	}
	return max(r.left()/2, shortest)
}

// extend renews the lease once. It sets the new end of the lease if the servers agree.
func (r *lease) extend(renewing context.Context) (bool, error) {
	sent := r.locker.env.Mono()
	renewed, err := r.sendRenewal(renewing)
	if err == nil && renewed {
		r.end.Store(r.locker.leaseEnd(sent))
	}
	return renewed, err
}

// sendRenewal sends one renewal, and waits for its answer until the lease ends.
func (r *lease) sendRenewal(renewing context.Context) (bool, error) {
	l := r.locker
	asking := env.WithOp(renewing, "renew")
	ctx, cancel := l.env.WithTimeout(asking, r.left())
	defer cancel()
	if l.renewal.unbounded {
		ctx = asking // the timer still runs: without it the events of a run would have other numbers
	}
	return l.ask(ctx, r.queues, func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return l.run(ctx, client, l.renew, r.records(), r.owner)
	})
}

// reportLoss ends the context of the holder, if its way of renewal has one, and stops the
// renewal.
func (r *lease) reportLoss(why string) {
	if r.lose != nil {
		r.lose(fmt.Errorf("%w: %s", lock.ErrLost, why))
	}
	r.stopRenewal()
}

// stopRenewal stops the renewal if it has begun.
func (r *lease) stopRenewal() {
	if stop := r.stop.Load(); stop != nil {
		(*stop)(nil)
	}
}

const (
	// renewScript sets the expiry of the key if its owner still has it.
	renewScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`
	// recreateScript is renewScript, and also sets the key again if it is missing.
	recreateScript = `
local owner = redis.call("GET", KEYS[1])
if owner == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
elseif not owner then
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return 1
end
return 0`
)
