package checker

import "slices"

// Concern names the kind of harm that a check looks for.
type Concern string

// The concerns, the most serious first.
const (
	Corruption Concern = "corruption" // wrong data, or two sections at work on the data at once
	Fencing    Concern = "fencing"    // wrong tokens, or a resource that accepts or refuses the wrong ones
	Service    Concern = "service"    // the lock serves its users badly
	Belief     Concern = "belief"     // workers believe something wrong, whether or not it does harm
	Efficiency Concern = "efficiency" // the lock costs too much, or gives up a lease needlessly
)

// Check judges one property of a history.
type Check struct {
	Name string
	Doc  string // one line, for lockquake list
	// About is the harm that a violation does. It is the only place that says which checks mean
	// corruption.
	About Concern
	// Rank orders violations: 1 is the most serious. Within corruption, the check whose evidence is
	// easier to follow comes first. Checks may share a rank.
	Rank int
	// Workloads lists the workloads that the check can judge; nil means all.
	Workloads []string
	// Unit describes one violation: the thing that Result.Count counts.
	Unit string
	// NoRate says why the number of violations does not grow in proportion to the length of a run,
	// so that a rate per hour or per acquisition would mean nothing. It is "" if the number does
	// grow so.
	NoRate string
	// Advisory checks do not decide the outcome unless an expectation names them.
	Advisory bool
	run      func(*input, *Result)
}

// AppliesTo reports whether the check can judge runs of the workload.
func (c Check) AppliesTo(workload string) bool {
	return c.Workloads == nil || slices.Contains(c.Workloads, workload)
}

// Catalogue lists all checks, always in the same order.
func Catalogue() []Check {
	return []Check{
		{
			Name:  "linearizable",
			Doc:   "every section is one atomic step, and the resource keeps to its own rule for tokens",
			About: Corruption, Rank: 4,
			Unit: "an item whose sections, or whose operations, fit in no order", NoRate: "it stops at the first contradiction",
			run: linearizable,
		},
		{
			Name:  "lost-update",
			Doc:   "no increment overwrites one that its section had not read",
			About: Corruption, Rank: 1,
			Workloads: []string{"counter", "multi-lock"},
			Unit:      "a write over increments that its section had not seen, however many they are",
			run:       lostUpdate,
		},
		{
			Name:  "once",
			Doc:   "each piece of work, such as a tick, takes effect once: not twice, and not never without anybody noticing",
			About: Corruption, Rank: 2,
			Workloads: []string{"cron", "reminders"},
			Unit:      "a piece of work that was done more than once, or never",
			run:       once,
		},
		{
			Name:  "exclusion",
			Doc:   "no two sections of one lock work on the resource at the same time",
			About: Corruption, Rank: 3,
			Unit: "a section that was at work when another one began to work",
			run:  exclusion,
		},
		{
			Name:  "belief",
			Doc:   "no two sections of one lock are believed to be held at the same time",
			About: Belief, Rank: 7,
			Unit:     "a section that believed to hold the lock when another one was let in",
			Advisory: true,
			run:      belief,
		},
		{
			Name:  "fencing",
			Doc:   "tokens rise with the grants, and the resource refuses the stale and nobody else",
			About: Fencing, Rank: 5,
			Unit: "a section with a wrong token, or with an operation that was wrongly accepted or refused",
			run:  fencing,
		},
		{
			Name:  "told",
			Doc:   "a holder that has lost the lock is told so in time",
			About: Service, Rank: 6,
			Unit: "a section that lost the lock and was not told in time",
			run:  told,
		},
		{
			Name:  "recovery",
			Doc:   "a lock whose owner has crashed or returned is soon free again, and none is held for ever",
			About: Service, Rank: 6,
			Unit: "a section whose grant stayed behind, on one server or several",
			run:  recovery,
		},
		{
			Name:  "progress",
			Doc:   "a waiter gets the lock or an answer within a bound, and every section ends",
			About: Service, Rank: 6,
			Unit: "a section that waited too long, or did not end", NoRate: "a worker that never goes on counts once, however long the run is",
			run: progress,
		},
		{
			Name:  "errors",
			Doc:   "an answer fits its cause, and keeps the result of the work",
			About: Service, Rank: 6,
			Unit: "a section whose answer does not fit",
			run:  answers,
		},
		{
			Name:  "ownership",
			Doc:   "a release or a renewal touches the grant of its own section only",
			About: Service, Rank: 6,
			Unit: "a section whose grant another request renewed or freed, or that renewed after its own release",
			run:  ownership,
		},
		{
			Name:  "needless-loss",
			Doc:   "no lease is given up that is still good, or that there was time to renew",
			About: Efficiency, Rank: 7,
			Unit:     "a section that gave up its lease needlessly",
			Advisory: true,
			run:      needlessLoss,
		},
		{
			Name:  "load",
			Doc:   "those who wait for a lock do not poll its server in step, nor without a pause",
			About: Efficiency, Rank: 6,
			Unit: "a peak of requests, or a section that asks without a pause", NoRate: "it judges the requests of a run as a whole",
			run: load,
		},
	}
}

// Names lists the names of the Catalogue.
func Names() []string { return NamesOf(func(Check) bool { return true }) }

// NamesOf lists the names of some checks of the Catalogue.
func NamesOf(which func(Check) bool) []string {
	var names []string
	for _, c := range Catalogue() {
		if which(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Lookup returns the check of that name.
func Lookup(name string) (Check, bool) { return lookup(Catalogue(), name) }

func lookup(catalogue []Check, name string) (Check, bool) {
	i := slices.IndexFunc(catalogue, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return catalogue[i], true
}

// Concerns returns the harm that the named check looks for, "" if there is no such check.
func Concerns(name string) Concern {
	c, _ := Lookup(name)
	return c.About
}

// Advisory reports whether the named check decides the outcome only if an expectation names it.
func Advisory(name string) bool {
	c, _ := Lookup(name)
	return c.Advisory
}
