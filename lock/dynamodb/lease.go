package dynamodb

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
	"lockquake/lock/env"
)

// lease is one grant. It implements lock.Lease.
type lease struct {
	locker *locker
	ctx    context.Context
	key    string
	owner  string
	token  int64
	// versions are those that the item may have: that of the last heartbeat that was answered, and those
	// of later ones whose outcome is unknown. Nil: any.
	versions []string
	end      atomic.Int64 // of the lease, on the holder's monotonic clock, counted from the send of the last request that was granted

	lose context.CancelCauseFunc // ends ctx; nil: no heartbeat
	stop context.CancelCauseFunc // ends the heartbeat
	done env.Sem                 // released when the task of the heartbeat has ended
}

// Context implements lock.Lease.
func (r *lease) Context() context.Context { return r.ctx }

// Token implements lock.Lease.
func (r *lease) Token() int64 { return r.token }

// Check implements lock.Lease.
func (r *lease) Check() error { return r.locker.check(r.ctx, r.key, r.left()) }

// left returns the time for which the holder may still rely on the lease.
func (r *lease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// held returns the condition that the item is that of the lease, and adds its values.
func (r *lease) held(values attributes) string {
	const own = attrHolder + " = :owner"
	values[":owner"] = ofText(r.owner)
	if r.versions == nil {
		return own
	}
	names := make([]string, len(r.versions))
	for n, version := range r.versions {
		names[n] = fmt.Sprintf(":held%d", n)
		values[names[n]] = ofText(version)
	}
	return own + " AND " + attrVersion + " IN (" + strings.Join(names, ", ") + ")"
}

// Release implements lock.Lease. The heartbeat has ended before the request is sent, so that it cannot change
// the version meanwhile.
func (r *lease) Release(ctx context.Context) error {
	if r.stop != nil && !r.locker.heartbeat.unordered {
		r.stop(nil)
		if err := r.done.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
		}
	}
	err := r.requestRelease(ctx)
	if r.stop != nil {
		r.stop(nil)
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", r.key, err)
	}
	return nil
}

// requestRelease frees the item. It returns ErrLost if the item was not that of the lease.
func (r *lease) requestRelease(ctx context.Context) error {
	l, valid := r.locker, r.left() > 0
	limited, cancel := l.env.WithTimeout(env.WithOp(ctx, "release"), l.params.TTL)
	defer cancel()
	values := attributes{}
	condition := aws.String(r.held(values))
	var err error
	if l.fenced {
		// The item stays, since its token must go on.
		_, err = l.client.UpdateItem(limited, &dynamodb.UpdateItemInput{
			TableName: aws.String(Table), Key: key(r.key), UpdateExpression: aws.String("REMOVE " + attrHolder + ", " + attrVersion + ", " + attrLease),
			ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
	} else {
		_, err = l.client.DeleteItem(limited, &dynamodb.DeleteItemInput{
			TableName: aws.String(Table), Key: key(r.key), ConditionExpression: condition, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
	}
	item, refused := refusedBy(err)
	switch {
	case refused && l.ownWrite.ignored, refused && item.holder == r.owner:
		return fmt.Errorf("%w: the item is not that of the lease", lock.ErrLost)
	case refused && r.released(item):
		return nil
	case refused && valid:
		return fmt.Errorf("%w: the item is not that of the lease, perhaps since an earlier copy of the request", lock.ErrUnknown)
	case refused:
		return fmt.Errorf("%w: the item is not that of the lease", lock.ErrLost)
	case err != nil:
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	return nil
}

// released reports whether an earlier copy of the release must have freed the item, which is now as the refusal
// of a later copy shows it: nobody else has it now. An item with the token of the lease has had no other holder
// since. Without tokens the lease must still be good: then nobody else can have taken the item meanwhile.
func (r *lease) released(item record) bool {
	switch {
	case item.holder != "":
		return false
	case r.locker.fenced:
		return r.token != 0 && item.fence == r.token
	}
	return r.left() > 0
}
