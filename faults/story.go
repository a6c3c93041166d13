package faults

import (
	"strings"
	"time"
)

// Scene holds the facts for the sentences about the begin or the end of a fault.
type Scene struct {
	// Length is the length of the fault with few digits.
	Length string
	// Where is the step of its work that the target is in, such as "right before its
	// write".
	Where string
	// Message names the message of the fault's point, such as "write of worker-1".
	Message string
	// Keys lists the keys that the fault removed, without those that have a sentence
	// of their own.
	Keys []string
	// Worker: the target is a worker. Down: it has crashed. Idle: it is in no section.
	// Deluded: it believes that it holds a lock, but has lost it.
	Worker, Down, Idle, Deluded bool
	// Missed: the target reported that the fault hit nothing.
	Missed bool
	// Short writes a duration with few digits. Plain writes a text on one line and cuts
	// it to a number of characters.
	Short func(time.Duration) string
	Plain func(text string, longest int) string
}

// LeaseEnder is a fault that can end leases.
type LeaseEnder interface {
	// EndsLease returns the sentence for the end of a worker's lease.
	EndsLease(worker string) string
}

// keysGone returns the sentence about the keys that the fault removed.
func (s Scene) keysGone(how string) string {
	list := s.Plain(strings.Join(s.Keys, ", "), 60)
	switch len(s.Keys) {
	case 0:
		return ""
	case 1:
		return "key " + list + " is " + how
	}
	return "keys " + list + " are " + how
}

// stops returns the sentence for the stop of a process, "" if it has crashed before.
func (s Scene) stops(how string) string {
	if s.Down {
		return ""
	}
	return strings.TrimSpace(how + " " + s.Length + " " + s.Where)
}

// wakes returns the sentence for a process that goes on after a stop.
func (s Scene) wakes() (text string, turning bool) {
	switch {
	case s.Down:
		return "", false
	case s.Deluded:
		return "wakes, and believes it still holds", true
	}
	return "wakes", false
}
