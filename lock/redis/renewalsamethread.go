package redis

import "time"

// startSameThread begins to count the first period.
func startSameThread(r *lease, started time.Duration) { r.renewed = started }

// renewIfDue renews the lease if a period has passed. The worker's own thread calls it
// between two steps of its work.
func renewIfDue(r *lease) {
	e := r.locker.env
	if e.Mono() < r.renewed+r.period() {
		return
	}
	e.Point("renew-called")
	r.renewed = e.Mono()
	_, _ = r.renewOnce(r.ctx) // the flaw: the answer is dropped
}
