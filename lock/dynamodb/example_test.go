package dynamodb_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
	lockdynamodb "lockquake/lock/dynamodb"
	"lockquake/lock/env"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// mine is a lock of one's own with the AWS SDK: an item without a lease. A crashed holder keeps it.
type mine struct {
	client lockdynamodb.Client
	env    env.Env
	owner  string
}

func (m mine) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	name := map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: key}}
	owner := map[string]types.AttributeValue{":owner": &types.AttributeValueMemberS{Value: m.owner}}
	for {
		_, err := m.client.UpdateItem(env.WithOp(ctx, "acquire"), &dynamodb.UpdateItemInput{
			TableName: aws.String(lockdynamodb.Table), Key: name, UpdateExpression: aws.String("SET holder = :owner"),
			ConditionExpression: aws.String("attribute_not_exists(holder) OR holder = :owner"), ExpressionAttributeValues: owner,
		})
		if _, taken := errors.AsType[*types.ConditionalCheckFailedException](err); !taken && err != nil {
			return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
		} else if !taken {
			break
		}
		if err := m.env.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	err := body(ctx, lock.Held(ctx, r))
	_, released := m.client.DeleteItem(env.WithOp(context.WithoutCancel(ctx), "release"), &dynamodb.DeleteItemInput{
		TableName: aws.String(lockdynamodb.Table), Key: name, ConditionExpression: aws.String("holder = :owner"), ExpressionAttributeValues: owner,
	})
	return lock.Join(err, released)
}

// A lock of one's own in DynamoDB, and a crash of a holder: the item stays, and nobody gets the lock again.
func Example() {
	entry := lock.Entry{
		Name: "mine", Doc: "an item without a lease", Family: lockdynamodb.Name,
		New: func(d lock.Deps) lock.Strategy {
			return mine{lockdynamodb.PortOf(d).Client, d.Env, fmt.Sprint(d.Env.Rand("owner").Uint64())}
		},
		Records: func(key string) []string { return []string{lockdynamodb.Table + "/" + key} },
		Holders: func(s lock.State) ([]lock.Holder, error) {
			if len(s.Records) == 0 {
				return nil, nil
			}
			return []lock.Holder{{Owner: s.Records[0].Field("holder")}}, nil
		},
	}
	scenario, err := scenarios.Parse("mine.yaml", []byte(`
name: mine
duration: 10s
seeds: 20
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 100ms, max: 1s}, think: 20ms}
strategies: [mine]
faults: [{at: 1s, crash: {target: worker-1, for: 1s}}]
checks: [linearizable, lost-update, exclusion, recovery]
expect:
  mine: {holds: [linearizable, lost-update, exclusion], violates: [recovery]}
`), entry)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := campaign.Run(context.Background(), scenario, campaign.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Summary())
	// Output:
	// as expected
}
