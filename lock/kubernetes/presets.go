package kubernetes

import (
	"time"

	"lockquake/lock"
)

// Family returns the leader elections over Lease objects.
func Family() lock.Family {
	f := lock.Family{Name: Name, Parts: parts(), Tasks: []string{"renewal", "campaign"}}
	for _, e := range presets() {
		e.Defaults.Complete(parts())
		e.Margin, e.Watches, e.Wrong, e.New, e.Records = margin, leaseTime, wrong, newLocker, func(key string) []string { return []string{LeaseName(key)} }
		f.Strategies = append(f.Strategies, e)
	}
	return f
}

func presets() []lock.Entry {
	return []lock.Entry{
		sound("kube-lease", "leader election as in client-go: a Lease of 15 s under an optimistic version, renewed every 2 s and given up after 10 s; others take over when they have seen no change for 15 s; no fencing", leaseClaims()),
		sound("kube-lease-fenced", "kube-lease, and leaseTransitions is the fencing token", fencedClaims(), lock.With("fence", "transitions")),
		flawed("lease-release-first", "kube-lease with ReleaseOnCancel, and the work shares the context of the election: the lease is freed before the work has ended", lock.With("step-down", "release-first")),
		flawed("kube-lease-trusting-release", "lease-release-first with the release of client-go 0.37.2: a former leader that has not seen its successor frees the lease of the successor", lock.With("step-down", "trusting")),
		flawed("leader-never-steps-down", "kube-lease, and a leader that cannot renew its lease continues to lead", lock.With("step-down", "never")),
		flawed("leader-overlapping", "kube-lease, and a candidate starts another campaign every 10 s: one that wins late overwrites the lease that the candidate holds, and is renewed forever", lock.With("campaign", "overlapping")),
	}
}

// The defaults of client-go. A candidate waits for RetryPeriod times 1 to 2.2, which is 1 plus the jitter factor,
// between two tries.
const (
	leaseDuration = 15 * time.Second
	retryPeriod   = 2 * time.Second
	jitterFactor  = 1.2
)

// preset returns the election of client-go with some parts changed.
func preset(name, doc string, changes []lock.Change) lock.Entry {
	period := float64(retryPeriod)
	e := lock.Entry{Name: name, Doc: doc, Family: Name, Defaults: lock.Params{
		TTL: leaseDuration, RenewShare: period / float64(leaseDuration),
		Retry: lock.Retry{Attempts: lock.Unlimited, Delay: retryPeriod, Jitter: time.Duration(jitterFactor * period)},
	}}
	for _, change := range changes {
		change(&e.Defaults)
	}
	return e
}

// sound returns a preset without a known bug.
func sound(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Claims = claims
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Flawed = true
	return e
}
