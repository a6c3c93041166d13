package redis

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	"lockquake/lock/env"
)

// renewal says who keeps a lease alive.
type renewal struct {
	// start begins the renewal of a lease that was granted at started, by the
	// monotonic clock. nil: nothing renews.
	start func(r *lease, started time.Duration)
	// atCheck is called when the holder checks its lease; nil for nothing.
	atCheck func(r *lease)
	// fails is told of a renewal that failed (err) or was refused (nil), and reports
	// whether it ends the renewal. nil: after an error the task tries again, and a
	// refusal loses the lease.
	fails func(r *lease, watching context.Context, err error) bool
	// script renews a key for ARGV[2] ms if it is the owner's (ARGV[1]).
	script string
	// endless: a request may take longer than the lease.
	endless bool
	// crossing: requests to one of several servers, and the release, do not wait for
	// each other.
	crossing bool
}

func renewals() lock.Choice[renewal] {
	return lock.Choice[renewal]{Name: "renewal", Doc: "who renews the lease, and what a refusal means", Options: []lock.Option[renewal]{
		{Way: lock.Sound("none", "no renewal"), Do: renewal{crossing: true}},
		{
			Way: lock.Sound("watchdog", "a task renews; the holder is told of a loss, and its work is stopped"),
			Do:  renewal{start: startWatchdog, script: renewScript},
		},
		{
			Way: lock.Flaw("deaf", "refused, it stops to renew, and tells nobody"),
			Do:  renewal{start: startDeaf, script: renewScript},
		},
		{
			Way: lock.Flaw("late-flag", "a refusal or one error sets a flag that is read when the work has ended"),
			Do:  renewal{start: startDeaf, fails: raiseFlag, script: renewScript},
		},
		{
			Way: lock.Flaw("overlap", "the timer does not wait for the last renewal, nor the release for any"),
			Do:  renewal{start: startOverlapping, script: renewScript, crossing: true},
		},
		{
			Way: lock.Flaw("recreate", "a renewal that finds no key sets it again"),
			Do:  renewal{start: startDeaf, script: recreateScript, endless: true}, // a lease that it sets again has no end
		},
		{
			Way: lock.Flaw("same-thread", "the worker renews by itself, between two steps of its work"),
			Do:  renewal{start: startSameThread, atCheck: renewIfDue, script: renewScript},
		},
		{
			Way: lock.Flaw("crash", "as watchdog, and an error of one renewal ends the process"),
			Do:  renewal{start: startWatchdog, fails: exitOnError, script: renewScript},
		},
		{
			Way: lock.Flaw("racy", "begun by a callback that may come after the one that stops it"),
			Do:  renewal{start: startRacy, script: renewScript},
		},
		{
			Way: lock.Flaw("late", "counted from the return of the acquire, and nothing watches the end"),
			Do:  renewal{start: startUnwatched, script: renewScript, endless: true},
		},
		{
			Way: lock.Flaw("zombie", "one that is under way at the release goes on, with whatever its locker holds then"),
			Do:  renewal{start: startZombie, script: renewScript, endless: true, crossing: true},
		},
	}}
}

// begin starts what keeps the lease alive.
func (r *lease) begin() {
	l := r.locker
	started := l.env.Mono()
	if !l.renewal.crossing {
		for range l.nodes {
			r.lanes = append(r.lanes, l.env.NewSem(1))
		}
	}
	if l.renewal.start != nil {
		l.renewal.start(r, started)
	}
}

// watching returns a context that ends when the lease is given back.
func (r *lease) watching() context.Context {
	watching, stop := r.locker.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop.Store(&stop)
	return watching
}

// stopRenewal stops what keeps the lease alive, as far as it has begun.
func (r *lease) stopRenewal() {
	if stop := r.stop.Load(); stop != nil {
		(*stop)(nil)
	}
}

// lost tells the holder, if its lease is one that does, and stops renewing.
func (r *lease) lost(why string) {
	if r.lose != nil {
		r.lose(fmt.Errorf("%w: %s", lock.ErrLost, why))
	}
	r.stopRenewal()
}

// period is the time from one renewal to the next.
func (r *lease) period() time.Duration {
	const shortest = time.Millisecond // half of a validity that is nearly over
	p := &r.locker.params
	switch {
	case p.Renew != 0:
		return p.Renew
	case p.RenewShare != 0:
		return time.Duration(float64(p.TTL) * p.RenewShare)
	case r.locker.nodes != nil:
		return max(r.left()/2, shortest)
	}
	return p.TTL / 3
}

// until returns when a lease that was asked for at sent is over by the
// holder's monotonic clock.
func (l *locker) until(sent time.Duration) int64 {
	return int64(sent + l.params.TTL - l.drift())
}

// extend renews the lease once, and counts its end anew if that was granted.
func (r *lease) extend(watching context.Context) (bool, error) {
	sent := r.locker.env.Mono()
	renewed, err := r.renewOnce(watching)
	if err == nil && renewed {
		r.end.Store(r.locker.until(sent))
	}
	return renewed, err
}

// renewOnce sends one renewal, which the end of the lease bounds.
func (r *lease) renewOnce(watching context.Context) (bool, error) {
	l := r.locker
	asking := env.WithOp(watching, "renew")
	ctx, cancel := l.env.WithTimeout(asking, r.left())
	defer cancel()
	if l.renewal.endless {
		ctx = asking // the timer runs all the same: without it the events of a run would have other numbers
	}
	return l.agree(ctx, r.lanes, func(ctx context.Context, client goredis.Cmdable) (int64, error) {
		return l.renew.Run(ctx, client, []string{r.key}, r.owner, l.params.TTL.Milliseconds()).Int64()
	})
}

const (
	// renewScript gives the key a new expiry of ARGV[2] ms if it is still the
	// owner's.
	renewScript = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`
	// recreateScript is renewScript that sets the key anew if there is none.
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
