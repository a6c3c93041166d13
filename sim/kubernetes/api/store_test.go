package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockquake/lock/kubernetes"
)

// lease returns a valid Lease with a resource version and a UID, "" for none.
func lease(version, uid string) kubernetes.Lease {
	return kubernetes.Lease{Name: "l", ResourceVersion: version, UID: uid, Spec: kubernetes.LeaseSpec{
		HolderIdentity: "A", LeaseDurationSeconds: 15, RenewTime: time.UnixMicro(1).UTC(), AcquireTime: time.UnixMicro(1).UTC(),
	}}
}

// changed returns a Lease with another holder.
func changed(l kubernetes.Lease) kubernetes.Lease {
	l.Spec.HolderIdentity = "B"
	return l
}

const (
	firstUID  = "00000000-0000-4000-8000-000000000001"
	secondUID = "00000000-0000-4000-8000-000000000002"
)

// The answers are those of the registry of Kubernetes 1.37 with the strategy of Lease objects. Each write raises the
// revision, which is 1 at the beginning.
func TestTheStoreAnswersAsTheRegistryOfKubernetesDoes(t *testing.T) {
	invalid := lease("", "")
	invalid.Spec.LeaseDurationSeconds = 0
	negative := lease("", "")
	negative.Spec.LeaseTransitions = -1
	named := lease("", "")
	named.Name = "L/1"
	for _, test := range []struct {
		name     string
		requests []Request
		want     string // code, reason and resource version of each answer
	}{
		{"a get of nothing", []Request{{Get, lease("", "")}}, "404 NotFound"},
		{"a create", []Request{{Create, lease("", "")}, {Get, lease("", "")}}, "201 @2, 200 @2"},
		{"a second create", []Request{{Create, lease("", "")}, {Create, lease("", "")}}, "201 @2, 409 AlreadyExists"},
		{"a create with a version", []Request{{Create, lease("7", "")}}, "500"},
		{"a duration of zero", []Request{{Create, invalid}}, "422 Invalid"},
		{"negative transitions", []Request{{Create, negative}}, "422 Invalid"},
		{"a name that is none", []Request{{Create, named}}, "422 Invalid"},
		{"an update", []Request{{Create, lease("", "")}, {Update, changed(lease("2", firstUID))}}, "201 @2, 200 @3"},
		{"an update without a UID", []Request{{Create, lease("", "")}, {Update, changed(lease("2", ""))}}, "201 @2, 200 @3"},
		{"an update that changes nothing", []Request{{Create, lease("", "")}, {Update, lease("2", firstUID)}}, "201 @2, 200 @2"},
		{"an update with an old version", []Request{{Create, lease("", "")}, {Update, changed(lease("2", ""))}, {Update, lease("2", "")}}, "201 @2, 200 @3, 409 Conflict"},
		{"an update without a version", []Request{{Create, lease("", "")}, {Update, lease("", "")}}, "201 @2, 422 Invalid"},
		{"a conflict comes before an invalid spec", []Request{{Create, lease("", "")}, {Update, invalid}}, "201 @2, 422 Invalid"},
		{"an update with another UID", []Request{{Create, lease("", "")}, {Update, lease("2", secondUID)}}, "201 @2, 409 Conflict"},
		{"an update of a Lease that is gone", []Request{{Create, lease("", "")}, {Delete, lease("", "")}, {Update, lease("2", firstUID)}}, "201 @2, 200 @2, 409 Conflict"},
		{
			"an update without a UID creates a Lease that is gone",
			[]Request{{Create, lease("", "")}, {Delete, lease("", "")}, {Update, lease("2", "")}},
			"201 @2, 200 @2, 201 @4",
		},
		{
			"a Lease that was made again has another UID",
			[]Request{{Create, lease("", "")}, {Delete, lease("", "")}, {Create, lease("", "")}, {Update, lease("4", firstUID)}},
			"201 @2, 200 @2, 201 @4, 409 Conflict",
		},
		{"a delete of nothing", []Request{{Delete, lease("", "")}}, "404 NotFound"},
		{"a delete with an old version", []Request{{Create, lease("", "")}, {Delete, lease("1", "")}, {Delete, lease("2", firstUID)}}, "201 @2, 409 Conflict, 200 @2"},
		{"a delete with another UID", []Request{{Create, lease("", "")}, {Delete, lease("", secondUID)}}, "201 @2, 409 Conflict"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New()
			var got []string
			for _, r := range test.requests {
				a := s.Do(&r)
				text := fmt.Sprint(a.Code)
				switch {
				case a.Reason != "":
					text += " " + a.Reason
				case a.Code < 300:
					text += " @" + a.Lease.ResourceVersion
				}
				got = append(got, text)
			}
			if text := strings.Join(got, ", "); text != test.want {
				t.Errorf("answers %s, want %s", text, test.want)
			}
		})
	}
}

// A MicroTime has no nanoseconds.
func TestTimesAreStoredToTheMicrosecond(t *testing.T) {
	l := lease("", "")
	l.Spec.RenewTime = time.Unix(1, 1999).UTC()
	if got := New().Do(&Request{Create, l}).Lease.Spec.RenewTime; !got.Equal(time.Unix(1, 1000)) {
		t.Errorf("renewed at %v", got)
	}
}

func TestAStoreThatIsClearedRepeatsNoUID(t *testing.T) {
	s := New()
	first := s.Do(&Request{Verb: Create, Lease: lease("", "")})
	s.Clear()
	if got := s.Do(&Request{Verb: Get, Lease: lease("", "")}); got.Code != 404 {
		t.Errorf("the Lease is still there: %+v", got)
	}
	again := s.Do(&Request{Verb: Create, Lease: lease("", "")})
	if first.Lease.UID != firstUID || again.Lease.UID != secondUID || again.Lease.ResourceVersion != first.Lease.ResourceVersion {
		t.Errorf("%+v, then %+v", first.Lease, again.Lease)
	}
}
