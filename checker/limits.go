package checker

import "time"

// The bounds of the checks that judge times. A lock that exceeds them fails its users, even if all
// its answers are right.
const (
	// toldBound is how long a holder may work on untold after its lease has ended.
	toldBound = time.Second
	// recoveryMargin is how long a lock may still be refused to others after the time at which it
	// had to be free.
	recoveryMargin = time.Second
	// clockSlack is the accepted difference between the ends of a lease by the holder's and by the
	// server's clock. The server counts whole milliseconds.
	clockSlack = 10 * time.Millisecond
	// needlessShare defines when a lease was given up needlessly: there was time to renew it for
	// 1/needlessShare of it in one piece. A worker that renews at a third of the lease, as is
	// usual, has tried by then.
	needlessShare = 2
	// oversleep is how long a waiter may sleep while the lock is free, besides the time of two messages: a client may wait for the
	// server to open its session.
	oversleep = 30 * time.Second
	// A call has to end within patience, plus patientLeases leases and longest sections, plus
	// patientTurns turns of every worker. Locks that poll are not fair, so a waiter may be
	// overtaken many times. But it hardly ever loses 20 turns of each of n others: the chance is
	// about e^-20.
	patience      = 30 * time.Second
	patientLeases = 5
	patientTurns  = 20
	// heedBound is how long an acquire may go on after the context of its caller has ended, besides the time of messages.
	// The waking of a waiter takes far less.
	heedBound = time.Second
	// turnedAwayTimes is how often a free lock has to be asked for, at least, before its refusals
	// can add up to patience.
	turnedAwayTimes = 10
	// Waiters poll in step if 1/loadShare of their requests come in peaks and there are loadTimes
	// such peaks. A peak is a window of loadWindow with loadPeak times the mean number of requests,
	// and at least loadLeast. Any lock has some peaks when many workers begin to wait at once;
	// jitter soon spreads them.
	loadWindow = 10 * time.Millisecond
	loadPeak   = 5
	loadLeast  = 10
	loadTimes  = 3
	loadShare  = 4
	// A waiter asks without a pause if it sends spinTimes requests within spinWindow while one and
	// the same grant is in its way: one request every 20 ms. Ordinary locks ask every 50 to 200 ms.
	spinTimes  = 100
	spinWindow = 2 * time.Second
)

// margin returns the part of a lease that a holder may subtract: for clock drift if several servers
// have to agree, or what its strategy says.
func (in *input) margin(lease time.Duration) time.Duration {
	if in.Quorum() == 1 {
		return in.Meta.Margin
	}
	const share = 50 // 2 %
	return lease / share
}
