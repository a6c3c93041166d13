package holders

import (
	"time"

	"lockquake/lock"
)

// due returns the true time at which a lease ends that lasts for h.For after the last change of the
// records; 0 for other leases. Before is the same holder before the command, nil for a new one.
func (l *Ledger) due(before *grant, h lock.Holder, changed bool) time.Duration {
	switch {
	case h.For == 0:
		return 0
	case before == nil || changed || h.For != before.For:
		return l.Node.World().Time() + h.For
	}
	return before.due
}

// isOver reports whether the lease has ended.
func (l *Ledger) isOver(g *grant) bool {
	if g.For > 0 {
		return l.Node.World().Time() >= g.due
	}
	return !g.End.IsZero() && !l.Now().Before(g.End)
}

// arm schedules the end of the lease, so that it is noticed even if no command follows.
func (l *Ledger) arm(e *entry, g *grant) {
	g.stop()
	if g.End.IsZero() && g.For == 0 {
		return
	}
	number := g.number
	check := func() {
		if g.number != number {
			return
		}
		l.Due(e.key)
		if g.number == number {
			l.arm(e, g) // the clock has become slower since the timer was armed
		}
	}
	if l.Monotonic || g.For > 0 {
		l.Node.World().At(l.until(g), check)
		return
	}
	g.timer = l.Node.AtWall(g.End, check)
}

func (g *grant) stop() {
	g.number++
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
}

// until returns the true time at which the lease ends if the lease and the clock are not changed, 0
// if it never ends.
func (l *Ledger) until(g *grant) time.Duration {
	switch {
	case g.For > 0:
		return g.due
	case g.End.IsZero():
		return 0
	case g.timer != nil:
		return g.timer.Time()
	}
	return l.Node.World().Time() + g.End.Sub(l.Now())
}
