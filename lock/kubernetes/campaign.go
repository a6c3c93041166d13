package kubernetes

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// locker elects a leader for each key. Each call of Acquire is a candidate of its own.
type locker struct {
	env    env.Env
	leases Leases
	params lock.Params
	random *rand.Rand

	// The parts that params name.
	campaign campaign
	fenced   bool
	check    lock.LeaseCheck
	stepDown stepDown
}

// campaign waits until the candidate is elected.
type campaign func(l *locker, ctx context.Context, key string) (lock.Lease, error)

func campaigns() lock.Choice[campaign] {
	return lock.Choice[campaign]{Name: "campaign", Doc: "how a candidate waits for its election", Options: []lock.Option[campaign]{
		{Way: lock.Sound("one", "it tries again after each retry period, until it is elected"), Value: (*locker).campaignOnce},
		{Way: lock.Flaw("overlapping", "a candidate that is not elected within the renew deadline starts another campaign beside its old ones; one that wins late overwrites the lease that the candidate holds, and nothing ends it"), Value: (*locker).campaignAgain},
	}}
}

func fences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "fence", Doc: "where the fencing token comes from", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no token"), Value: false},
		{Way: lock.Sound("transitions", "leaseTransitions of the Lease when the leader was elected, plus one"), Value: true},
	}}
}

// parts lists the parts of a locker and of its strategy.
func parts() []lock.Part {
	return []lock.Part{campaigns().Part(), fences().Part(), lock.LeaseChecks().Part(), stepDowns().Part(), lock.Refusals().Part()}
}

func newLocker(d lock.Deps) lock.Strategy {
	p := d.Params
	l := &locker{
		env: d.Env, leases: PortOf(d).Leases, params: p, random: d.Env.Rand("lock"),
		campaign: campaigns().In(p), fenced: fences().In(p), check: lock.LeaseChecks().In(p), stepDown: stepDowns().In(p),
	}
	return lock.Recipe{Locker: l, Refused: lock.Refusals().In(p)}
}

// Acquire implements lock.Locker.
func (l *locker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	return l.campaign(l, ctx, key)
}

// campaignOnce tries until the candidate is elected, the attempts are used up, or ctx ends.
func (l *locker) campaignOnce(ctx context.Context, key string) (lock.Lease, error) {
	e := &elector{
		env: l.env, leases: l.leases, name: LeaseName(key), identity: strconv.FormatUint(l.random.Uint64(), 16),
		seconds: int32(leaseTime(l.params) / time.Second),
	}
	retry := l.params.Retry
	for n := 1; ; n++ {
		if e.try(env.WithOp(ctx, "acquire")) {
			return l.lead(ctx, key, e), nil
		}
		if retry.Attempts != lock.Unlimited && n >= int(retry.Attempts) {
			cause := lock.ErrNotObtained
			if e.failed != nil {
				cause = fmt.Errorf("%w: %w", lock.ErrUnknown, e.failed)
			}
			return nil, l.giveUp(ctx, key, e, cause)
		}
		if err := l.env.Sleep(ctx, retry.Pause(n, l.random)); err != nil {
			return nil, l.giveUp(ctx, key, e, err)
		}
	}
}

// giveUp returns the error of a candidate that has given up because of cause. client-go leaves it to the end of the
// lease to undo a write of unknown outcome; giveUp undoes it.
func (l *locker) giveUp(ctx context.Context, key string, e *elector, cause error) error {
	limited, cancel := l.env.WithTimeout(env.WithOp(context.WithoutCancel(ctx), "release"), renewDeadline(l.params))
	defer cancel()
	if err := e.undo(limited); err != nil {
		return fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
	}
	return fmt.Errorf("acquire %s: %w", key, cause)
}

// retryPeriod is the time from one renewal to the next.
func (l *locker) retryPeriod() time.Duration {
	if l.params.Renew != 0 {
		return l.params.Renew
	}
	return time.Duration(float64(l.params.TTL) * l.params.RenewShare)
}

// renewDeadline is how long a leader tries to renew its lease before it steps down.
func renewDeadline(p lock.Params) time.Duration {
	if p.RenewDeadline != 0 {
		return p.RenewDeadline
	}
	return 2 * leaseTime(p) / 3
}

// leaseTime is the length of a lease. A Lease object has it in whole seconds.
func leaseTime(p lock.Params) time.Duration { return p.TTL.Truncate(time.Second) }

// margin is the rest of a lease after the renew deadline.
func margin(p lock.Params) time.Duration { return max(0, leaseTime(p)-renewDeadline(p)) }

// wrong refuses what the API server and client-go refuse: a lease without a second, and one that ends before its
// renew deadline.
func wrong(p lock.Params) (key, why string) {
	switch {
	case leaseTime(p) == 0:
		return "ttl", fmt.Sprintf("must be at least 1s, since a Lease has whole seconds, and is %v", p.TTL)
	case renewDeadline(p) >= leaseTime(p):
		return "renew-deadline", fmt.Sprintf("must be less than the lease of %v, and is %v", leaseTime(p), renewDeadline(p))
	}
	return "", ""
}

// LeaseName returns the name of the Lease object of a lock: the name of the lock if the API server accepts it, or
// a hash of it.
func LeaseName(key string) string {
	if ValidName(key) {
		return key
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // it never fails
	return fmt.Sprintf("lock-%016x", h.Sum64())
}

// ValidName reports whether the API server accepts the name of a Lease: labels of small letters, digits and inner
// hyphens, with dots between them.
func ValidName(name string) bool {
	const longest = 253
	for label := range strings.SplitSeq(name, ".") {
		inner := strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789")
		if label == "" || strings.Trim(inner, "-abcdefghijklmnopqrstuvwxyz0123456789") != "" || strings.Trim(label, "-") != label {
			return false
		}
	}
	return len(name) <= longest
}
