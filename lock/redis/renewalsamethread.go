package redis

import "time"

// startSameThread begins the first period.
func startSameThread(r *lease, started time.Duration) { r.renewed = started }

// renewIfDue renews the lease if its period is over. The worker's own thread calls it
// between two steps of the work.
func renewIfDue(r *lease) {
	e := r.locker.env
	if e.Mono() < r.renewed+r.period() {
		return
	}
	e.Point("renew-called")
	r.renewed = e.Mono()
	_, _ = r.sendRenewal(r.ctx) // the flaw: the answer is dropped
}
