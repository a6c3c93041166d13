package dynamodb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/internal/servers"
	lockdynamodb "lockquake/lock/dynamodb"
	"lockquake/sim"
	"lockquake/sim/dynamodb/client"
)

// deviation is a sequence that ends differently on Dynalite and on DynamoDB, as its documentation has it.
type deviation struct {
	name     string
	steps    sequence
	dynalite string // the last answer
	want     string // the last answer of DynamoDB, and of the simulation
}

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func l(all ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: all}
}

func item(pairs ...any) map[string]types.AttributeValue {
	m := map[string]types.AttributeValue{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(types.AttributeValue)
	}
	return m
}

const failedCondition = "ConditionalCheckFailedException: The conditional request failed"

// deviations lists where Dynalite 4.0.0 deviates from DynamoDB. Random sequences avoid these places.
func deviations() []deviation {
	abc := l(s("a"), s("b"), s("c"))
	return []deviation{
		{
			"two missing attributes are not equal",
			sequence{{operation: "put", key: "x", item: item()}, {operation: "update", key: "x", update: "SET a = :a", condition: "b = c", values: item(":a", s("1"))}},
			"{}", failedCondition,
		},
		{
			"a REMOVE of two elements removes those that it names",
			sequence{{operation: "put", key: "x", item: item("list", abc)}, {operation: "update", key: "x", update: "REMOVE #list[0], #list[1]", names: map[string]string{"#list": "list"}, returns: "ALL_NEW"}},
			`{list: ["b"], name: "x"}`, `{list: ["c"], name: "x"}`,
		},
		{
			"lists are equal if their elements are",
			sequence{{operation: "put", key: "x", item: item("tags", l(s("a")))}, {operation: "delete", key: "x", condition: "tags = :t", values: item(":t", l(s("a")))}},
			failedCondition, "{}",
		},
		{
			"the size of an empty string is 0",
			sequence{{operation: "put", key: "x", item: item("holder", s(""))}, {operation: "delete", key: "x", condition: "size(holder) = :n", values: item(":n", &types.AttributeValueMemberN{Value: "0"})}},
			failedCondition, "{}",
		},
	}
}

// TestConformanceDeviations states each deviation of Dynalite, and that the simulation does what the
// documentation says.
func TestConformanceDeviations(t *testing.T) {
	r := newReal(t, servers.Dynalite(t))
	for _, d := range deviations() {
		t.Run(d.name, func(t *testing.T) {
			all, other := r.run(d.steps), simulated{}.run(d.steps)
			last := len(d.steps) - 1
			if all[last] != d.dynalite {
				t.Errorf("Dynalite answers %s, not %s: it has changed", all[last], d.dynalite)
			}
			if other[last] != d.want {
				t.Errorf("the simulation answers %s, not %s", other[last], d.want)
			}
		})
	}
}

// Dynalite has no TransactWriteItems, and returns no item with a condition that did not hold.
func TestConformanceMissing(t *testing.T) {
	r := newReal(t, servers.Dynalite(t))
	transaction := func(c lockdynamodb.Client) string {
		_, err := c.TransactWriteItems(context.Background(), &sdk.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String(tableName), Item: item(keyName, s("x"))}},
		}})
		if err != nil {
			return errorText(err)
		}
		return "ok"
	}
	failing := func(c lockdynamodb.Client) string {
		put := &sdk.PutItemInput{
			TableName: aws.String(tableName), Item: item(keyName, s("x"), "holder", s("ann")), ConditionExpression: aws.String("attribute_not_exists(holder)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}
		_, _ = c.PutItem(context.Background(), put) // at most the second one fails
		_, err := c.PutItem(context.Background(), put)
		failed, _ := errors.AsType[*types.ConditionalCheckFailedException](err)
		if failed == nil {
			return "the condition held"
		}
		return itemText(failed.Item)
	}
	for _, test := range []struct {
		name           string
		do             func(lockdynamodb.Client) string
		dynalite, want string
	}{
		{"TransactWriteItems", transaction, "UnknownOperationException: UnknownError", "ok"},
		{"ReturnValuesOnConditionCheckFailure", failing, "{}", `{holder: "ann", name: "x"}`},
	} {
		if got := test.do(r.clients[0]); got != test.dynalite {
			t.Errorf("%s: Dynalite answers %s, not %s: it has changed", test.name, got, test.dynalite)
		}
		got := ""
		err := inWorld(1, func(_ *sim.Worker, processes []*sim.Process) {
			got = test.do(client.New(processes[0], "lock", client.Options{}))
		})
		if err != nil || got != test.want {
			t.Errorf("%s: the simulation answers %s, not %s (%v)", test.name, got, test.want, err)
		}
	}
}
