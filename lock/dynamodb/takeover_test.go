package dynamodb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
	"lockquake/lock/env"
)

// A lease is over when its version was seen for the length of the lease that the item has. A new version
// begins it again, also one that was seen before.
func TestALeaseIsOverWithoutAChange(t *testing.T) {
	var o observation
	for _, x := range []struct {
		at      time.Duration
		version string // of the item that an answer has; "": no answer
		lease   time.Duration
		over    bool
	}{
		{0, "", 0, false},
		{1 * time.Second, "a", 10 * time.Second, false},
		{10 * time.Second, "a", 10 * time.Second, false},
		{11 * time.Second, "", 0, true},
		{12 * time.Second, "b", 5 * time.Second, false},
		{16 * time.Second, "b", 5 * time.Second, false},
		{17 * time.Second, "a", 10 * time.Second, false},
		{26 * time.Second, "", 0, false},
		{27 * time.Second, "", 0, true},
	} {
		if x.version != "" {
			o.see(record{version: x.version, lease: x.lease}, x.at)
		}
		if got := o.over(x.at); got != x.over {
			t.Errorf("at %v with version %q: over is %v", x.at, x.version, got)
		}
	}
}

// The condition of a heartbeat and of the release names all versions that the item can have.
func TestTheConditionNamesAllVersions(t *testing.T) {
	for _, x := range []struct {
		versions []string
		want     string
		values   int
	}{
		{nil, "holder = :owner", 1},
		{[]string{"a"}, "holder = :owner AND rvn IN (:held0)", 2},
		{[]string{"a", "b"}, "holder = :owner AND rvn IN (:held0, :held1)", 3},
	} {
		values := attributes{}
		r := &lease{owner: "ann", versions: x.versions}
		if got := r.held(values); got != x.want || len(values) != x.values {
			t.Errorf("%v: %s with %d values", x.versions, got, len(values))
		}
	}
}

// A request names the fencing token of the last grant that its worker knows of. If it arrives after a later grant
// and its release, it does not take the lock.
func TestALateRequestTakesNothing(t *testing.T) {
	for _, x := range []struct {
		seen record
		want string
	}{
		{record{}, "attribute_not_exists(holder) AND attribute_not_exists(fence)"},
		{record{fence: 46}, "attribute_not_exists(holder) AND fence = :fence"},
		{record{holder: "bob", version: "b", fence: 47}, "attribute_not_exists(holder) AND fence = :fence"},
	} {
		var o observation
		o.see(x.seen, time.Second)
		values := attributes{}
		if got := o.unchanged("attribute_not_exists(holder)", values); got != x.want || number(values[":fence"]) != x.seen.fence {
			t.Errorf("%+v: %s with the token %v", x.seen, got, values[":fence"])
		}
	}
}

// freeItem is a service whose item has no holder, so that it refuses each release.
type freeItem struct{ Client }

func (freeItem) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return nil, &types.ConditionalCheckFailedException{}
}

// A release that arrives before the request which it undoes finds nothing. The request can still take the lock, so
// the caller learns that the outcome is unknown, also after it has cancelled the acquire. An attempt that was refused
// leaves nothing behind.
func TestAReleaseThatFindsNothingUndoesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &locker{env: env.Real(), client: freeItem{}, fenced: true, params: lock.Params{TTL: time.Minute}}
	for _, x := range []struct {
		failure error // of the last attempt; nil: it was refused
		unknown bool
	}{{context.Canceled, true}, {nil, false}} {
		err := l.undo(ctx, &lease{locker: l, key: "x", owner: "ann"}, context.Canceled, x.failure)
		if errors.Is(err, lock.ErrUnknown) != x.unknown || !errors.Is(err, context.Canceled) {
			t.Errorf("the last attempt ended with %v: %v", x.failure, err)
		}
	}
}
