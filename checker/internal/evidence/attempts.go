package evidence

import (
	"cmp"
	"slices"

	"lockquake/history"
)

// Attempt holds the requests of a section for its lock, and their outcome.
type Attempt struct {
	section *history.Section
	Grants  []*Grant
	Refusal *history.Event // the last one
	Refused bool           // because of a grant of another section
	Again   bool           // it was refused, asked again, and was refused again
	got     Holding        // computed when first needed
}

// Asker is a worker that asks for a lock.
type Asker struct{ Worker, Key string }

// Attempt returns the requests of a section and their outcome.
func (b *Ledger) Attempt(s *history.Section) *Attempt {
	for _, i := range [...]int{b.looked, b.looked + 1} { // usually it is the section of the last call, or the next one
		if i < len(b.sections) && b.sections[i] == s {
			b.looked = i
			return &b.attempts[i]
		}
	}
	b.looked, _ = slices.BinarySearchFunc(b.sections, s.Call, func(s *history.Section, call int64) int { return cmp.Compare(s.Call, call) })
	return &b.attempts[b.looked]
}

// FoundTaken reports whether a section found its lock taken by another one. A server refused it
// because of the grant of another section, or let it wait in a queue until that grant ended; or the
// section ended before it was let in, and another section held the lock then.
func (in *Evidence) FoundTaken(s *history.Section) bool {
	book := in.Ledger()
	w := book.Attempt(s)
	switch {
	case w.Refused:
		return true
	case s.Entered():
		return s.Grant != 0 && in.Meta.Unread == "" && book.givenAt(s.Grant)[0].handed
	}
	end, _ := in.SectionEnd(s)
	for _, g := range slices.Backward(GivenBefore(book.Locks[s.Key], end)) {
		switch {
		case g.Held(end) && g.Section != s:
			return true
		case g.alone && g.Section != s:
			return false // all earlier ones had ended
		}
	}
	return false
}

// Waited reports whether a section waited for its lock before it was refused for good: it asked
// again after a refusal, or it was never refused and nevertheless found the lock taken, since it
// waited in the server's queue.
func (in *Evidence) Waited(s *history.Section) bool {
	w := in.Ledger().Attempt(s)
	return w.Again || w.Refusal == nil && in.FoundTaken(s)
}

// attemptOf returns the attempt that a server's answer belongs to: that of the last section that
// the worker had called for the lock when it sent the request. The request may arrive after that
// section has ended.
func (b *Ledger) attemptOf(e *history.Event) *Attempt {
	for _, w := range slices.Backward(b.called[Asker{e.Worker, e.Key}]) {
		if e.Sent == 0 || e.Sent >= w.section.CallAt {
			return w
		}
	}
	return nil
}
