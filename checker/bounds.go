package checker

import "time"

// The bounds of the checks that judge times. A lock that keeps to none of
// them is broken for the worker that has to wait, however right its answers are.
const (
	// toldBound is how long after the end of its validity a holder may still
	// not have been told that it lost the lock.
	toldBound = time.Second
	// recoveryMargin is how long a lock may still be refused to others after the
	// moment at which it had to be free.
	recoveryMargin = time.Second
	// answerBound is how long a client waits for an answer at least, where the
	// history does not say.
	answerBound = time.Second
	// clockSlack is by how much a holder's sense of its lease may differ from the
	// server's, which counts whole milliseconds.
	clockSlack = 10 * time.Millisecond
	// needlessShare: a lease that is given up was needless to lose if there was time to
	// renew it for 1/needlessShare of it in one piece. A worker that renews at a third of the
	// lease, as is usual, has tried by then.
	needlessShare = 2
	// oversleep is how long a waiter may sleep beside a free lock.
	oversleep = 30 * time.Second
	// patience, patientLeases and patientTurns make the time in which a call
	// has to end: patience, plus that many leases and longest sections, and that many
	// turns of every worker. Locks that poll are not fair, so a waiter may be
	// overtaken many times; but in 20 turns of each of n others hardly ever,
	// since it loses all of them with a chance of about e^-20.
	patience      = 30 * time.Second
	patientLeases = 5
	patientTurns  = 20
	// turnedAwayTimes is how often, at least, a lock has to be asked for, before the
	// time in which it turns everybody away is as long as patience.
	turnedAwayTimes = 10
	// Waiters poll in step if a part of 1/loadShare of their requests comes in
	// windows of loadWindow that hold loadPeak times the mean, and at least
	// loadLeast, and if there are loadTimes such windows. Any lock has some when
	// many begin to wait at once; with jitter they are soon spread.
	loadWindow = 10 * time.Millisecond
	loadPeak   = 5
	loadLeast  = 10
	loadTimes  = 3
	loadShare  = 4
	// A waiter asks without a pause if spinTimes requests for one and the same grant
	// come within spinWindow: one every 20 ms. Ordinary locks ask every 50 to 200 ms.
	spinTimes  = 100
	spinWindow = 2 * time.Second
)
