package faults

import (
	"strings"
	"time"
)

// Scene is what a story knows of the moment at which a fault begins or ends.
type Scene struct {
	// Length is how long the fault lasts, in short form.
	Length string
	// Where says which step of its work the target is in, such as "right before its
	// write".
	Where string
	// Message names the message of the fault's point, such as "write of worker-1".
	Message string
	// Keys are those that the fault took away and that no other event of the story
	// tells of.
	Keys []string
	// Worker: the target is a worker. Down: it has crashed. Idle: it is in no section.
	// Deluded: it believes to hold a lock that it has lost.
	Worker, Down, Idle, Deluded bool
	// Missed: the fault is known to have hit nothing.
	Missed bool
	// Short writes a duration with few digits. Plain makes a text fit into a number of
	// characters of one line.
	Short func(time.Duration) string
	Plain func(text string, longest int) string
}

// LeaseEnder is a fault that can take away leases.
type LeaseEnder interface {
	// EndsLease says what happens to the lease of a worker.
	EndsLease(worker string) string
}

// taken is the sentence about keys that are gone.
func (s Scene) taken(how string) string {
	list := s.Plain(strings.Join(s.Keys, ", "), 60)
	switch len(s.Keys) {
	case 0:
		return ""
	case 1:
		return "key " + list + " is " + how
	}
	return "keys " + list + " are " + how
}

// halts is the sentence about a process that is stopped, "" if it has crashed before.
func (s Scene) halts(how string) string {
	if s.Down {
		return ""
	}
	return strings.TrimSpace(how + " " + s.Length + " " + s.Where)
}

// wakes is the sentence about a process that goes on after a stop.
func (s Scene) wakes() (text string, turning bool) {
	switch {
	case s.Down:
		return "", false
	case s.Deluded:
		return "wakes, and believes it still holds", true
	}
	return "wakes", false
}
