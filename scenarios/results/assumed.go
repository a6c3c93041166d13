package results

import "time"

// Wake is the order in which a waking process handles late timers and late messages.
type Wake string

// The orders.
const (
	WakeDrawn      Wake = "drawn"           // each processor and the poller has its own lag, drawn at random
	DeadlinesFirst Wake = "deadlines-first" // all late timers, and then all late messages
	Arrival        Wake = "arrival"         // in the order in which they came due
)

// Wakes lists the orders.
func Wakes() []Wake { return []Wake{WakeDrawn, DeadlinesFirst, Arrival} }

// Heeds is how strictly the work under a lock obeys its context. A lock that renews its
// lease ends the context when the lease is lost. That stops only work that checks it.
type Heeds string

// The values, the strictest first.
const (
	// HeedsAlways: the hold ends with the context, and no request is sent after its end.
	HeedsAlways Heeds = "always"
	// HeedsBeforeWrite: the hold goes on after the end of the context, but no request is
	// sent.
	HeedsBeforeWrite Heeds = "before-write"
	// HeedsNever: the hold goes on after the end of the context, and requests are sent.
	HeedsNever Heeds = "never"
)

// Heedings lists the values of Heeds.
func Heedings() []Heeds { return []Heeds{HeedsAlways, HeedsBeforeWrite, HeedsNever} }

// Samples is a file of measured durations, such as a log of pauses. The distributions of the
// scenario that name it draw from them.
type Samples struct {
	Of      []string      `json:"of,omitempty"` // the distributions, by their paths in the scenario
	File    string        `json:"file"`
	Kind    string        `json:"kind"` // of the file: a list, or which log
	Count   int           `json:"count"`
	Longest time.Duration `json:"longest"`        // in nanoseconds
	Span    time.Duration `json:"span,omitempty"` // from the first to the last by the stamps of a log, in nanoseconds; 0 without stamps
}
