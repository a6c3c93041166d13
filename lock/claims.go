package lock

import (
	"fmt"
	"strings"
)

// Class is the letter of a class of faults.
type Class string

// The classes.
const (
	ClassPause   Class = "P" // pause, stall, overload, overrun
	ClassDelay   Class = "D" // delay, partition, reorder
	ClassUnknown Class = "U" // lost replies, errors and cancellation of calls of the lock
	ClassCrash   Class = "C" // crash of a worker
	ClassClock   Class = "K" // offset, step and rate of a clock
	ClassSuspend Class = "S" // suspend of a node
	ClassServer  Class = "N" // a lock server restarts without data, fails over or evicts
	ClassSession Class = "X" // session and pool
	ClassStale   Class = "R" // stale reads
)

// Classes lists all classes.
func Classes() []Class {
	return []Class{
		ClassPause, ClassDelay, ClassUnknown, ClassCrash, ClassClock, ClassSuspend, ClassServer, ClassSession, ClassStale,
	}
}

func (c Class) String() string {
	switch c {
	case ClassPause:
		return "pauses"
	case ClassDelay:
		return "delays"
	case ClassUnknown:
		return "lost replies"
	case ClassCrash:
		return "worker crashes"
	case ClassClock:
		return "clock faults"
	case ClassSuspend:
		return "suspends"
	case ClassServer:
		return "lost server data"
	case ClassSession:
		return "lost sessions"
	case ClassStale:
		return "stale reads"
	}
	return string(c)
}

// Claims lists, for each group of checks, the classes of faults under which a
// strategy claims that the group holds. Under a class that is not listed it claims
// nothing.
type Claims struct {
	// Corruption: linearizable, lost-update, once and exclusion. A fenced strategy
	// claims them for a resource that compares the tokens of reads and writes, and for
	// sections of a lock that use the same items.
	Corruption []Class
	Fencing    []Class
	Told       []Class // by the holder's own clock
	Service    []Class // ownership, errors, recovery, progress
	// Also is a claim in words, for what no class covers; "" for none.
	Also string
}

// Served lists the classes of faults under which a lock that frees itself still serves its callers: a
// lease, a session or a transaction ends.
func Served() []Class { return []Class{ClassPause, ClassDelay, ClassUnknown, ClassCrash} }

// LeaseClaims returns the claims of a lease that its holder renews and checks, without a fencing token. A holder
// that is stopped, or a late write, can meet the next holder.
func LeaseClaims() Claims {
	return Claims{
		Corruption: []Class{ClassCrash, ClassUnknown}, Told: Served(), Service: Served(),
		Also: "no corruption under work that overruns",
	}
}

// FencedClaims returns the claims of a lease with fencing tokens, under more classes of faults.
func FencedClaims(more ...Class) Claims {
	all := append(append(Served(), ClassClock, ClassSuspend), more...)
	return Claims{Corruption: all, Fencing: all, Told: Served(), Service: Served()}
}

// String returns the claims in words, or "" if there are none.
func (c Claims) String() string {
	var all []string
	for _, group := range []struct {
		name    string
		classes []Class
	}{{"no corruption", c.Corruption}, {"correct fencing", c.Fencing}, {"to tell of a loss", c.Told}, {"correct service", c.Service}} {
		var words []string
		for _, class := range group.classes {
			words = append(words, class.String())
		}
		if words != nil {
			all = append(all, fmt.Sprintf("%s under %s", group.name, strings.Join(words, ", ")))
		}
	}
	if c.Also != "" {
		all = append(all, c.Also)
	}
	return strings.Join(all, "; ")
}
