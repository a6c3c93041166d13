package sim

import (
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
)

// Impairment degrades a link that still carries messages.
type Impairment struct {
	// Extra is added to the latency of each message.
	Extra draw.Dist
	// LossPPM is the chance, in parts per million, that a message is lost. As with TCP, a lost
	// message is sent again after 200 ms, another 400 ms and so on, with at most two minutes
	// between; a message that opens a connection after 1 s, 2 s and so on. So a loss shows as a
	// delay, and holds up the later messages of the connection.
	LossPPM int64
	// Arrives, if it is not nil, is called with the time at which each of these messages arrives if nothing else holds
	// it up. It is called when the message is sent.
	Arrives func(at time.Duration)
}

// impairment is an impairment of one link that lasts until a true time.
type impairment struct {
	Impairment
	draws draw.Stream // by the ordinal of the message on the link
	until int64
}

const (
	resendAfter     = int64(200 * time.Millisecond)
	resendOpenAfter = int64(time.Second)
	resendAtMost    = int64(2 * time.Minute)
	million         = 1_000_000
)

// Impair impairs all messages that are sent from one node to another, in this direction, for d from
// now. Impairments that overlap add up. It returns an error if the link or the impairment is
// invalid.
func (w *World) Impair(from, to string, i Impairment, d time.Duration) error {
	l, err := w.linkCalled(from, to)
	if err != nil {
		return err
	}
	if err := i.Extra.Validate(); err != nil {
		return fmt.Errorf("latency to add from %q to %q: %w", from, to, err)
	}
	if i.LossPPM < 0 || i.LossPPM > million {
		return fmt.Errorf("a loss of %d parts per million from %q to %q is not between 0 and %d", i.LossPPM, from, to, million)
	}
	w.note(kindImpair, l.name(), i.Extra.String(), i.LossPPM)
	t := l.inTrouble()
	t.impaired++
	one := &impairment{
		Impairment: i, until: w.now + int64(d),
		draws: w.source.Stream("impairment", fmt.Sprintf("%s %d", l.name(), t.impaired)),
	}
	l.trouble.impairments = append(l.trouble.impairments, one)
	w.At(w.Time()+d, func() {
		w.note(kindHeal, l.name(), "impairment", 0)
		i := slices.Index(l.trouble.impairments, one)
		l.trouble.impairments = slices.Delete(l.trouble.impairments, i, i+1)
	})
	return nil
}

// addedDelay returns how long the impairments of the link delay the message with that ordinal:
// their extra latency, and the wait for the first copy that is not lost.
func (l *link) addedDelay(m *message, ordinal uint64) int64 {
	var extra, resent int64
	draws := make([]draw.Draw, len(l.trouble.impairments))
	for i, one := range l.trouble.impairments {
		draws[i] = one.draws.At(ordinal)
		extra += int64(one.Extra.Sample(&draws[i]))
	}
	wait := resendAfter
	if m.opens() {
		wait = resendOpenAfter
	}
	for l.drawLoss(draws, l.world.now+resent) {
		l.world.note(kindResent, l.name(), m.op(), m.number())
		resent += wait
		wait = min(2*wait, resendAtMost)
	}
	return extra + resent
}

// drawLoss draws whether a copy that leaves at that time is lost.
func (l *link) drawLoss(draws []draw.Draw, at int64) bool {
	lost := false
	for i, one := range l.trouble.impairments {
		hit := draws[i].Int64N(million) < one.LossPPM
		lost = lost || hit && at < one.until
	}
	return lost
}
