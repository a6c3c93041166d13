package results

// FaultClass is a class of faults, by which strategies make their claims.
type FaultClass struct {
	Letter string // as a scenario has it
	Name   string // in words
}

// FaultClasses lists them, as package lock does.
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
