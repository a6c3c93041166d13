package dynamodb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
)

// poll decides how a waiter learns that the lock is free.
type poll struct {
	reads    bool // it reads the item, and writes only if the lock looks free
	eventual bool // the read need not be consistent
}

func polls() lock.Choice[poll] {
	return lock.Choice[poll]{Name: "poll", Doc: "how a waiter learns that the lock is free", Options: []lock.Option[poll]{
		{Way: lock.Sound("write", "by the conditional write that takes it: a refusal returns the item"), Value: poll{}},
		{Way: lock.Sound("read", "by a consistent read, which is followed by the conditional write if the lock looks free"), Value: poll{reads: true}},
		{Way: lock.Sound("eventual-read", "by a read that is not consistent, which is followed by the conditional write if the lock looks free"), Value: poll{reads: true, eventual: true}},
	}}
}

// attempt tries once to take the lock for a lease. It reports whether the lease has it. After an error it is
// unknown whether the write took effect.
func (l *locker) attempt(ctx context.Context, r *lease, seen *observation) (bool, error) {
	if l.poll.reads {
		out, err := l.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(Table), Key: key(r.key), ConsistentRead: aws.Bool(!l.poll.eventual)})
		if err != nil {
			return false, err
		}
		item := readRecord(out.Item)
		seen.see(item, l.env.Mono())
		if item.holder != "" && item.holder != r.owner && !l.takeover.wallClock && !seen.over(l.env.Mono()) {
			return false, nil
		}
	}
	for {
		version, sent, fence := l.random(), l.env.Mono(), seen.fence
		out, err := l.client.UpdateItem(ctx, l.takeInput(r, version, *seen))
		item, refused := refusedBy(err)
		if err == nil {
			r.granted(readRecord(out.Attributes), version, sent)
			return true, nil
		}
		if !refused {
			return false, err
		}
		seen.see(item, l.env.Mono())
		switch {
		case item.holder == r.owner && !l.ownWrite.ignored:
			return r.adopt(ctx, item, version, sent)
		case item.holder != "" || !l.fenced || item.fence == fence:
			return false, nil
		}
		// The lock is free, and had other holders since the worker saw it last.
	}
}

// takeInput returns the request that takes the item.
func (l *locker) takeInput(r *lease, version string, seen observation) *dynamodb.UpdateItemInput {
	values := attributes{":owner": ofText(r.owner), ":version": ofText(version), ":lease": ofNumber(l.params.TTL.Milliseconds())}
	update := "SET " + attrHolder + " = :owner, " + attrVersion + " = :version, " + attrLease + " = :lease"
	if l.fenced {
		values[":zero"], values[":one"] = ofNumber(0), ofNumber(1)
		update += ", " + attrFence + " = if_not_exists(" + attrFence + ", :zero) + :one"
	}
	if l.takeover.wallClock {
		values[":expires"] = ofNumber(l.expires())
		update += ", " + attrExpires + " = :expires"
	}
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(Table), Key: key(r.key), UpdateExpression: aws.String(update),
		ConditionExpression: aws.String(l.takeover.condition(l.env, l.fenced, seen, values)), ExpressionAttributeValues: values,
		ReturnValues: types.ReturnValueUpdatedNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

// expires returns the end of a lease that begins now, by the wall clock.
func (l *locker) expires() int64 { return l.env.Now().Add(l.params.TTL).UnixMilli() }

// refusedBy returns the item that did not fit the condition of a write, and whether that was the error.
func refusedBy(err error) (item record, refused bool) {
	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return record{}, false
	}
	return readRecord(failed.Item), true
}

// granted notes that a lease has the lock since a request that was sent at sent.
func (r *lease) granted(item record, version string, sent time.Duration) {
	r.versions = []string{version}
	if r.locker.fenced {
		r.token = item.fence
	}
	r.end.Store(int64(sent + r.locker.params.TTL))
}
