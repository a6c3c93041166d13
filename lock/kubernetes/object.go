package kubernetes

import "time"

// Lease is an object coordination.k8s.io/v1 Lease, with the fields that an election uses. A field that the real
// object leaves out is zero here.
type Lease struct {
	Name string
	// UID identifies the object among all objects that ever had its name.
	UID string
	// ResourceVersion changes with every write of the object. An update must name the present one.
	ResourceVersion string
	Spec            LeaseSpec
}

// LeaseSpec is the record of an election. The times are by the clock of the candidate that wrote them, to the
// microsecond. No candidate compares them with its own clock.
type LeaseSpec struct {
	// HolderIdentity names the leader; "" for none.
	HolderIdentity string
	// LeaseDurationSeconds is how long the others wait without seeing a change.
	LeaseDurationSeconds int32
	AcquireTime          time.Time
	RenewTime            time.Time
	// LeaseTransitions counts the changes of the leader.
	LeaseTransitions int32
}

// Record is the spec in the form in which client-go compares it with the previous one: its times have a
// precision of a second. A renewal in the same second as the previous one is no change.
func (s LeaseSpec) Record() LeaseSpec {
	s.AcquireTime = s.AcquireTime.Truncate(time.Second)
	s.RenewTime = s.RenewTime.Truncate(time.Second)
	return s
}
