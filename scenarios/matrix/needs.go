package matrix

// Need is one purpose of a lock, such as the election of a leader.
type Need struct {
	Name     string // in commands
	Title    string // a few words
	Asks     string // what a strategy has to do, in one sentence
	Scenario string // that runs it
	// Must names the cases that a strategy has to survive.
	Must []string
	// Saves is the check that fails without a lock, if the lock only saves work. It must hold
	// without faults.
	Saves string
	// Complete: a job that one worker left to another, and no worker did, is a failure.
	Complete bool
	// Suffix ends the labels of uses that do not depend on the lock alone, and SuffixDoc says on
	// what they depend.
	Suffix, SuffixDoc string
}

// crashes is the case from which the outage is measured.
const crashes = "crashes"

// baseline is the strategy without a lock. Every need must fail with it.
const baseline = "none"

// Needs lists the needs.
func Needs() []Need {
	service := []string{"pauses", "network", "lost-replies", crashes, "servers", "sessions"}
	safety := []string{"pauses", "network", "lost-replies", crashes, "clocks", "suspends", "servers", "sessions"}
	return []Need{
		{
			Name: "efficiency", Title: "efficiency only", Scenario: "need-efficiency", Must: service, Saves: "stampede",
			Asks: "save work; a second execution does no harm, but the lock must not get stuck",
		},
		{
			Name: "database", Title: "data in one database", Scenario: "need-database", Must: safety,
			Asks: "lose no update of a row",
		},
		{
			Name: "outside", Title: "an effect outside, such as a charge", Scenario: "need-outside", Must: safety,
			Asks:   "charge no card twice at a service that checks no fencing token",
			Suffix: "+key", SuffixDoc: "the service refuses a second request with the same idempotency key",
		},
		{
			Name: "leader", Title: "a leader", Scenario: "need-leader", Must: safety,
			Asks: "undo nothing that the leader has written, and keep a leader for its term",
		},
		{
			Name: "queue", Title: "a job queue", Scenario: "need-queue", Must: safety, Complete: true,
			Asks: "complete no job twice, and leave none to a worker that crashed",
		},
		{
			Name: "readers", Title: "many readers", Scenario: "need-readers", Must: safety,
			Asks: "show each reader one state",
		},
	}
}
