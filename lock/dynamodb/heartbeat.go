package dynamodb

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
	"lockquake/lock/env"
)

// heartbeat decides who changes the version of an item.
type heartbeat struct {
	on bool
	// unordered: the release does not wait for a heartbeat that is under way.
	unordered bool
	// recreates: a heartbeat writes the item whatever it finds.
	recreates bool
}

func heartbeats() lock.Choice[heartbeat] {
	return lock.Choice[heartbeat]{Name: "renewal", Doc: "who renews the lease, and what a refusal means", Options: []lock.Option[heartbeat]{
		{Way: lock.Sound("none", "no renewal"), Value: heartbeat{}},
		{Way: lock.Sound("heartbeat", "a task renews it; after a loss it tells the holder and stops the work"), Value: heartbeat{on: true}},
		{Way: lock.Flaw("unordered", "`heartbeat`, and the release does not wait for one that is under way: that changes the version which the release compares"), Value: heartbeat{on: true, unordered: true}},
		{Way: lock.Flaw("unconditional", "`unordered`, and it has no condition: one that is under way at the release writes the item again"), Value: heartbeat{on: true, unordered: true, recreates: true}},
	}}
}

// start starts the task that changes the version in every period, if the lock has one.
func (r *lease) start() {
	l := r.locker
	if !l.heartbeat.on {
		return
	}
	r.ctx, r.lose = l.env.WithCancel(r.ctx)
	beating, stop := l.env.WithCancel(context.WithoutCancel(r.ctx))
	r.stop = stop
	beat := lock.Heartbeat{Env: l.env, Period: l.params.RenewPeriod(), MaxHold: l.params.MaxHold, Left: r.left, Renew: r.beat, Lose: r.lose}
	r.done = beat.Start(beating)
}

// beat sends a heartbeat. The release waits for one that is under way: to give up on it would not stop its
// request.
func (r *lease) beat(beating context.Context, left time.Duration) (bool, error) {
	ctx, cancel := r.locker.env.WithTimeout(env.WithOp(context.WithoutCancel(beating), "renew"), left)
	defer cancel()
	return r.renew(ctx)
}

// renew changes the version of the item once. It reports whether the item was that of the lease. After an
// error, the item may have the new version or an older one.
func (r *lease) renew(ctx context.Context) (bool, error) {
	l := r.locker
	version, sent := l.random(), l.env.Mono()
	values := attributes{":version": ofText(version), ":lease": ofNumber(l.params.TTL.Milliseconds())}
	update := "SET " + attrVersion + " = :version, " + attrLease + " = :lease"
	condition := aws.String(r.held(values))
	if l.heartbeat.recreates {
		update, condition = update+", "+attrHolder+" = :owner", nil
		values = attributes{":version": values[":version"], ":lease": values[":lease"], ":owner": values[":owner"]}
	}
	if l.takeover.wallClock {
		update += ", " + attrExpires + " = :expires"
		values[":expires"] = ofNumber(l.expires())
	}
	if !l.heartbeat.unordered { // the flaw: the release compares the version of the last answer
		r.versions = append(slices.Clip(r.versions), version)
	}
	_, err := l.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(Table), Key: key(r.key), UpdateExpression: aws.String(update), ConditionExpression: condition,
		ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	item, refused := refusedBy(err)
	switch {
	case refused && (l.ownWrite.ignored || item.holder != r.owner || item.version != version):
		return false, nil
	case refused: // by an earlier copy of the same request
	case err != nil:
		return false, err
	}
	r.versions = []string{version}
	r.end.Store(int64(sent + l.params.TTL))
	return true, nil
}
