package results

// FaultClass is a class of faults. The claims of strategies refer to these classes.
type FaultClass struct {
	Letter string // in scenario files
	Name   string // in words
}

// FaultClasses lists the classes of package lock.
func FaultClasses() []FaultClass {
	return []FaultClass{
		{"P", "pauses"},
		{"D", "delays"},
		{"U", "lost replies"},
		{"C", "worker crashes"},
		{"K", "clock faults"},
		{"S", "suspends"},
		{"N", "lost server data"},
		{"X", "lost sessions"},
		{"R", "stale reads"},
	}
}
