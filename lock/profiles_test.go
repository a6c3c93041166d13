package lock

import (
	"reflect"
	"testing"
	"time"
)

func TestAProfileKeepsTheJitterAndAnUnknownOneChangesNothing(t *testing.T) {
	p := Params{Retry: Retry{Attempts: 11, Jitter: time.Second}}
	p.ApplyProfile("batch")
	p.ApplyProfile("nonsense")
	want := Params{TTL: 30 * time.Second, Renew: 5 * time.Second, Retry: Retry{Attempts: 10, Delay: 500 * time.Millisecond, Jitter: time.Second, Doubling: true}}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("the profile batch sets %+v, want %+v", p, want)
	}
}
