package api

import (
	"time"

	"lockquake/lock/kubernetes"
)

// rule is a sequence that is written by hand, with the answers that it must have.
type rule struct {
	name     string
	requests sequence
	want     []string // the beginning of each line
}

// valid is the spec of a valid Lease.
func valid() kubernetes.LeaseSpec {
	return kubernetes.LeaseSpec{
		HolderIdentity: "A", LeaseDurationSeconds: 15, RenewTime: time.UnixMicro(1).UTC(), AcquireTime: time.UnixMicro(1).UTC(),
	}
}

func create(s kubernetes.LeaseSpec) step { return step{verb: Create, name: "l", spec: s} }

func update(holder string, version, uid reference) step {
	s := valid()
	s.HolderIdentity = holder
	return step{verb: Update, name: "l", spec: s, version: version, uid: uid}
}

func get() step { return step{verb: Get, name: "l"} }

func remove(version, uid reference) step {
	return step{verb: Delete, name: "l", version: version, uid: uid}
}

// rules lists what an API server does with Lease objects.
func rules() []rule {
	zero, negative := valid(), valid()
	zero.LeaseDurationSeconds = 0
	negative.LeaseTransitions = -1
	named := create(valid())
	named.name = "L/1"
	invalid := update("B", none, none)
	invalid.spec = zero
	old := invalid
	old.version = older
	const modified = `409 Conflict Operation cannot be fulfilled on leases.coordination.k8s.io "l": the object has been modified`
	return []rule{
		{"a get of nothing", sequence{get()}, []string{`404 NotFound leases.coordination.k8s.io "l" not found`}},
		{"a create", sequence{create(valid()), get()}, []string{"201 u1 l@v1", "200 u1 l@v1"}},
		{"a second create", sequence{create(valid()), create(valid())}, []string{"201 u1 l@v1", `409 AlreadyExists leases.coordination.k8s.io "l" already exists`}},
		{
			"a create with a version",
			sequence{{verb: Create, name: "l", spec: valid(), version: literal("7")}},
			[]string{"500  resourceVersion should not be set on objects to be created"},
		},
		{"a create with a version that is no number", sequence{{verb: Create, name: "l", spec: valid(), version: literal("x")}}, []string{"201 u1 l@v1"}},
		{
			"a duration of zero and a name that is none",
			sequence{{verb: Create, name: "L", spec: zero}},
			[]string{`422 Invalid Lease.coordination.k8s.io "L" is invalid: [metadata.name: Invalid value: "L", spec.leaseDurationSeconds: Invalid value: 0: `},
		},
		{"a duration of zero", sequence{create(zero)}, []string{`422 Invalid Lease.coordination.k8s.io "l" is invalid: spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0`}},
		{"negative transitions", sequence{create(negative)}, []string{"422 Invalid"}},
		{"a name that is none", sequence{named}, []string{"422 Invalid"}},
		{"an update", sequence{create(valid()), update("B", newest, newest)}, []string{"201 u1 l@v1", "200 u1 l@v2"}},
		{"an update without a UID", sequence{create(valid()), update("B", newest, none)}, []string{"201 u1 l@v1", "200 u1 l@v2"}},
		{"an update that changes nothing", sequence{create(valid()), update("A", newest, newest)}, []string{"201 u1 l@v1", "200 u1 l@v1"}},
		{
			"an update with an old version",
			sequence{create(valid()), update("B", newest, newest), update("C", older, newest)},
			[]string{"201 u1 l@v1", "200 u1 l@v2", modified},
		},
		{
			"an update without a version",
			sequence{create(valid()), update("A", none, newest)},
			[]string{"201 u1 l@v1", "422 Invalid"},
		},
		{
			"an update with a version that is no number",
			sequence{create(valid()), update("B", literal("x"), newest)},
			[]string{"201 u1 l@v1", `500  strconv.ParseUint: parsing "x": invalid syntax`},
		},
		{
			"a conflict comes before an invalid spec",
			sequence{create(valid()), update("B", newest, newest), old},
			[]string{"201 u1 l@v1", "200 u1 l@v2", modified},
		},
		{"an update with another UID", sequence{create(valid()), update("B", newest, literal("x"))}, []string{"201 u1 l@v1", "409 Conflict"}},
		{
			"an update of a Lease that is gone",
			sequence{create(valid()), remove(none, none), update("B", newest, newest)},
			[]string{"201 u1 l@v1", "200 u1 l", "409 Conflict"},
		},
		{
			"an update without a UID creates a Lease that is gone",
			sequence{create(valid()), remove(none, none), update("B", newest, none)},
			[]string{"201 u1 l@v1", "200 u1 l", "201 u2 l@v2"},
		},
		{
			"a Lease that was made again has another UID",
			sequence{create(valid()), remove(none, none), create(valid()), update("B", newest, older)},
			[]string{"201 u1 l@v1", "200 u1 l", "201 u2 l@v2", "409 Conflict"},
		},
		{"a delete of nothing", sequence{remove(none, none)}, []string{"404 NotFound"}},
		{
			"a delete with an old version",
			sequence{create(valid()), update("B", newest, newest), remove(older, none), remove(newest, newest)},
			[]string{"201 u1 l@v1", "200 u1 l@v2", `409 Conflict Operation cannot be fulfilled on Lease.coordination.k8s.io "l": the ResourceVersion in the precondition (v1)`, "200 u1 l"},
		},
		{"a delete with another UID", sequence{create(valid()), remove(none, literal("x"))}, []string{"201 u1 l@v1", "409 Conflict"}},
	}
}
