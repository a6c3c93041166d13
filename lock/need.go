package lock

// Need is a property of work without which a strategy cannot protect it, in words that
// follow "needs".
type Need string

// The needs.
const (
	// NeedUnits: the work has units, each of which is to be done once.
	NeedUnits Need = "units of work that are each to be done once"
	// NeedDecidingWrite: a section reads an item before it writes it, if other sections write the
	// item too. Its first such write decides whether it does the work: no other section writes the
	// item before this one has ended.
	NeedDecidingWrite Need = "sections that read an item before they write it, and whose first write decides who does the work"
)
