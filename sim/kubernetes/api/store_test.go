package api

import (
	"strings"
	"testing"
	"time"

	"lockquake/lock/kubernetes"
)

// validLease returns a Lease to create.
func validLease() kubernetes.Lease { return kubernetes.Lease{Name: "l", Spec: valid()} }

const (
	firstUID  = "00000000-0000-4000-8000-000000000001"
	secondUID = "00000000-0000-4000-8000-000000000002"
)

// The answers are those of a kube-apiserver 1.37.2: see TestConformance.
func TestTheStoreAnswersAsTheRegistryOfKubernetesDoes(t *testing.T) {
	for _, rule := range rules() {
		t.Run(rule.name, func(t *testing.T) {
			got, err := rule.requests.run(simulated())
			if err != nil || len(got) != len(rule.want) {
				t.Fatalf("%d answers, %v; want %d", len(got), err, len(rule.want))
			}
			for i, want := range rule.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("answer %d is %s, want %s", i+1, got[i], want)
				}
			}
		})
	}
}

// A MicroTime has no nanoseconds.
func TestTimesAreStoredToTheMicrosecond(t *testing.T) {
	l := validLease()
	l.Spec.RenewTime = time.Unix(1, 1999).UTC()
	if got := New().Do(&Request{Create, l}).Lease.Spec.RenewTime; !got.Equal(time.Unix(1, 1000)) {
		t.Errorf("renewed at %v", got)
	}
}

func TestAStoreThatIsClearedRepeatsNoUID(t *testing.T) {
	s := New()
	first := s.Do(&Request{Verb: Create, Lease: validLease()})
	s.Clear()
	if got := s.Do(&Request{Verb: Get, Lease: validLease()}); got.Code != 404 {
		t.Errorf("the Lease is still there: %+v", got)
	}
	again := s.Do(&Request{Verb: Create, Lease: validLease()})
	if first.Lease.UID != firstUID || again.Lease.UID != secondUID || again.Lease.ResourceVersion != first.Lease.ResourceVersion {
		t.Errorf("%+v, then %+v", first.Lease, again.Lease)
	}
}
