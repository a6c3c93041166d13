package results

// Wake says what a process that was stopped sees first on waking.
type Wake string

// The orders.
const (
	WakeDrawn      Wake = "drawn"           // each processor, and the network poller, by itself after a lag of its own
	DeadlinesFirst Wake = "deadlines-first" // all late deadlines, and then all late messages
	Arrival        Wake = "arrival"         // in the order in which they came due
)

// Wakes lists the orders.
func Wakes() []Wake { return []Wake{WakeDrawn, DeadlinesFirst, Arrival} }

// Heeds says how far the work under a lock looks at its context. A lock that
// renews its lease ends the context when the lease is lost: that stops only work
// that looks.
type Heeds string

// The ways, the most careful first.
const (
	// HeedsAlways: the hold sleeps and ends with the context, and a request is
	// refused if the context has ended.
	HeedsAlways Heeds = "always"
	// HeedsBeforeWrite: the hold computes, and does not look; a request is refused
	// if the context has ended.
	HeedsBeforeWrite Heeds = "before-write"
	// HeedsNever: the hold computes, and neither it nor a request looks.
	HeedsNever Heeds = "never"
)

// Heedings lists the ways to heed a context.
func Heedings() []Heeds { return []Heeds{HeedsAlways, HeedsBeforeWrite, HeedsNever} }
