package locktest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
)

// newItem is a lock that puts an item with the end of its lease, if there is none or its lease is over.
func newItem(d Deps) lock.Locker {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	at := func(t time.Time) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.UnixMilli(), 10)}
	}
	return Locker(func(ctx context.Context, key string) (Lease, error) {
		for ctx.Err() == nil {
			now := time.Now()
			_, err := d.DynamoDB.PutItem(ctx, &awsdynamodb.PutItemInput{
				TableName:                 aws.String("locks"),
				Item:                      map[string]types.AttributeValue{"name": text(key), "until": at(now.Add(d.TTL))},
				ConditionExpression:       aws.String("attribute_not_exists(#name) OR #until < :now"),
				ExpressionAttributeNames:  map[string]string{"#name": "name", "#until": "until"},
				ExpressionAttributeValues: map[string]types.AttributeValue{":now": at(now)},
			})
			if err == nil {
				return releases(func(ctx context.Context) error {
					_, err := d.DynamoDB.DeleteItem(ctx, &awsdynamodb.DeleteItemInput{
						TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"name": text(key)},
					})
					return err
				}), nil
			}
			if _, taken := errors.AsType[*types.ConditionalCheckFailedException](err); !taken {
				return nil, err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return nil, ctx.Err()
	})
}

// releases is a lease that a function releases.
type releases func(ctx context.Context) error

// Release implements Lease.
func (r releases) Release(ctx context.Context) error { return r(ctx) }

func TestALockInDynamoDB(t *testing.T) {
	Run(t, "dynamodb-pause", newItem, Seeds(3), Violates("lost-update"))
	Run(t, "dynamodb-pause", newItem, Seeds(3), Set("faults", "[]"), Set("each", "[]"), Set("sections", "5"), Holds("lost-update", "exclusion"))
}

// A fault can come right before the request of a release leaves. The test fails if it hits nothing.
func TestAPointBeforeARequestToDynamoDB(t *testing.T) {
	Run(t, "dynamodb-pause", newItem, Seeds(3), Holds("lost-update"),
		Set("faults", "[{when: {worker: worker-1, point: release.called, nth: 1}, pause: {for: 5s}}]"))
}

func TestTheContextOfARequestToDynamoDB(t *testing.T) {
	Run(t, "dynamodb-pause", func(d Deps) lock.Locker {
		inner := newItem(d)
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			short, stop := context.WithTimeout(ctx, time.Millisecond) // the network takes 2 ms at least
			defer stop()
			began := time.Now()
			_, err := inner.Acquire(short, key)
			if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Millisecond {
				t.Errorf("a request whose context ends returns %v after %v", err, took)
			}
			return inner.Acquire(ctx, key)
		})
	}, Seeds(2), Set("faults", "[]"), Set("each", "[]"), Set("sections", "5"), Holds("lost-update"))
}

// What is not simulated ends the run with its name.
func TestAnOperationThatTheSimulatedDynamoDBDoesNotHave(t *testing.T) {
	t.Chdir(t.TempDir())
	got := outcome(t, "dynamodb-pause", func(d Deps) lock.Locker {
		return Locker(func(ctx context.Context, _ string) (Lease, error) {
			_, err := d.DynamoDB.DescribeTable(ctx, &awsdynamodb.DescribeTableInput{TableName: aws.String("locks")})
			return nil, err
		})
	}, Seeds(1))
	const want = "the simulated DynamoDB does not have the operation DescribeTable"
	if !strings.Contains(got, want) || strings.Contains(got, "\n") {
		t.Errorf("got %q, want %q in one line", got, want)
	}
}
