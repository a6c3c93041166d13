package table

import (
	"errors"
	"testing"
	"time"

	"lockquake/sim/dynamodb/attribute"
)

// exchange is a request and its answer.
type exchange struct {
	after        time.Duration // since the begin
	operation    string
	body, want   string
	notSimulated bool
	status       int // 0 for 200
}

func locks() *Store {
	return New(Schema{Name: "locks", Keys: []KeyAttribute{{Name: "name", Kind: attribute.String}}})
}

// The answers are those that the developer guide and the reference of the API describe; no server of
// others has these parts.
func TestAnswersFollowTheDocumentation(t *testing.T) {
	const (
		putX   = `{"TableName":"locks","Item":{"name":{"S":"x"},"n":{"N":"1"}}}`
		getX   = `{"TableName":"locks","Key":{"name":{"S":"x"}},"ConsistentRead":true}`
		getY   = `{"TableName":"locks","Key":{"name":{"S":"y"}}}`
		both   = `{"TransactItems":[{"Put":{"TableName":"locks","Item":{"name":{"S":"y"}}}},{"Update":{"TableName":"locks","Key":{"name":{"S":"x"}},"UpdateExpression":"ADD n :one","ConditionExpression":"n < :two","ExpressionAttributeValues":{":one":{"N":"1"},":two":{"N":"2"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]`
		again  = both + `,"ClientRequestToken":"token"}`
		other  = `{"TransactItems":[{"Delete":{"TableName":"locks","Key":{"name":{"S":"y"}}}}],"ClientRequestToken":"token"}`
		isX    = `{"Item":{"n":{"N":"1"},"name":{"S":"x"}}}`
		isX2   = `{"Item":{"n":{"N":"2"},"name":{"S":"x"}}}`
		isY    = `{"Item":{"name":{"S":"y"}}}`
		failed = `"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"`
	)
	for _, test := range []struct {
		name string
		all  []exchange
	}{
		{"a failed condition returns the item if the request wants it", []exchange{
			{operation: PutItem, body: putX, want: `{}`},
			{
				operation: DeleteItem, body: `{"TableName":"locks","Key":{"name":{"S":"x"}},"ConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"7"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`, status: 400,
				want: `{"__type":` + failed + `,"Item":{"n":{"N":"1"},"name":{"S":"x"}}}`,
			},
			{operation: DeleteItem, body: `{"TableName":"locks","Key":{"name":{"S":"x"}},"ConditionExpression":"n = :n","ExpressionAttributeValues":{":n":{"N":"7"}}}`, status: 400, want: `{"__type":` + failed + `}`},
			{operation: DeleteItem, body: `{"TableName":"locks","Key":{"name":{"S":"y"}},"ConditionExpression":"attribute_exists(n)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}`, status: 400, want: `{"__type":` + failed + `}`},
		}},
		{"a transaction has all its effects", []exchange{
			{operation: PutItem, body: putX, want: `{}`},
			{operation: TransactWriteItems, body: both + `}`, want: `{}`},
			{operation: GetItem, body: getX, want: isX2},
			{operation: GetItem, body: getY, want: isY},
		}},
		{"a transaction with a condition that does not hold has no effect, and names the reasons in order", []exchange{
			{operation: PutItem, body: putX, want: `{}`},
			{operation: TransactWriteItems, body: both + `}`, want: `{}`},
			{
				operation: TransactWriteItems, body: both + `}`, status: 400,
				want: `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",` +
					`"CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"n":{"N":"2"},"name":{"S":"x"}}}]}`,
			},
			{operation: GetItem, body: getX, want: isX2},
		}},
		{"a condition check writes nothing", []exchange{
			{operation: PutItem, body: putX, want: `{}`},
			{operation: TransactWriteItems, want: `{}`, body: `{"TransactItems":[{"ConditionCheck":{"TableName":"locks","Key":{"name":{"S":"x"}},"ConditionExpression":"attribute_exists(n)"}},{"Put":{"TableName":"locks","Item":{"name":{"S":"y"}}}}]}`},
			{operation: GetItem, body: getX, want: isX},
			{
				operation: TransactWriteItems, status: 400, body: `{"TransactItems":[{"ConditionCheck":{"TableName":"locks","Key":{"name":{"S":"x"}},"ConditionExpression":"attribute_not_exists(n)"}},{"Delete":{"TableName":"locks","Key":{"name":{"S":"y"}}}}]}`,
				want: `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]",` +
					`"CancellationReasons":[{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"},{"Code":"None"}]}`,
			},
			{operation: GetItem, body: getY, want: isY},
		}},
		{"a transaction with a token takes effect once in ten minutes", []exchange{
			{operation: PutItem, body: putX, want: `{}`},
			{operation: TransactWriteItems, body: again, want: `{}`},
			{after: 9 * time.Minute, operation: TransactWriteItems, body: again, want: `{}`},
			{operation: GetItem, body: getX, want: isX2},
			{
				operation: TransactWriteItems, body: other, status: 400,
				want: `{"__type":"com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException","message":"The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical."}`,
			},
			{after: 10 * time.Minute, operation: TransactWriteItems, body: other, want: `{}`},
			{operation: GetItem, body: getY, want: `{}`},
		}},
		{"a cancelled transaction does not use up its token", []exchange{
			{operation: PutItem, body: `{"TableName":"locks","Item":{"name":{"S":"x"},"n":{"N":"5"}}}`, want: `{}`},
			{
				operation: TransactWriteItems, body: again, status: 400,
				want: `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",` +
					`"CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"n":{"N":"5"},"name":{"S":"x"}}}]}`,
			},
			{operation: PutItem, body: putX, want: `{}`},
			{operation: TransactWriteItems, body: again, want: `{}`},
			{operation: GetItem, body: getX, want: isX2},
		}},
		{"a transaction names each item once", []exchange{
			{
				operation: TransactWriteItems, status: 400, body: `{"TransactItems":[{"Put":{"TableName":"locks","Item":{"name":{"S":"x"}}}},{"Delete":{"TableName":"locks","Key":{"name":{"S":"x"}}}}]}`,
				want: `{"__type":"com.amazon.coral.validate#ValidationException","message":"Transaction request cannot include multiple operations on one item"}`,
			},
		}},
		{"a part of a transaction that does not fit its item cancels it", []exchange{
			{
				operation: TransactWriteItems, status: 400, body: `{"TransactItems":[{"Update":{"TableName":"locks","Key":{"name":{"S":"x"}},"UpdateExpression":"SET a = b"}}]}`,
				want: `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [ValidationError]",` +
					`"CancellationReasons":[{"Code":"ValidationError","Message":"The provided expression refers to an attribute that does not exist in the item"}]}`,
			},
		}},
		{"what is not simulated is named", []exchange{
			{operation: "Query", body: `{}`, notSimulated: true, want: "the simulated DynamoDB does not have the operation Query"},
			{operation: PutItem, body: `{"TableName":"locks","Expected":{}}`, notSimulated: true, want: `the simulated DynamoDB does not have the parameter "Expected"`},
			{operation: PutItem, body: `{"TableName":"locks","Item":{"a":{"SS":["x"]}}}`, notSimulated: true, want: "the simulated DynamoDB does not have a set (SS, NS or BS)"},
			{operation: UpdateItem, body: `{"TableName":"locks","Key":{"name":{"S":"x"}},"UpdateExpression":"DELETE a :a"}`, notSimulated: true, want: "the simulated DynamoDB does not have DELETE in an update expression, which needs sets"},
		}},
		{"a table that does not exist", []exchange{
			{operation: GetItem, body: `{"TableName":"none","Key":{"name":{"S":"x"}}}`, status: 400, want: `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}`},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := locks()
			for n, x := range test.all {
				check(t, store, n, x)
			}
		})
	}
}

func check(t *testing.T, store *Store, n int, x exchange) {
	t.Helper()
	a, err := store.Execute(time.Unix(0, 0).Add(x.after), Decode(x.operation, []byte(x.body)))
	if missing, ok := errors.AsType[*NotSimulatedError](err); ok && x.notSimulated {
		if missing.Error() != x.want {
			t.Errorf("request %d: %v, not %s", n+1, missing, x.want)
		}
		return
	}
	switch {
	case err != nil:
		t.Errorf("request %d: %v", n+1, err)
	case string(a.JSON()) != x.want:
		t.Errorf("request %d: answer\n%s, not\n%s", n+1, a.JSON(), x.want)
	case x.status == 0 && a.Status() != 200 || x.status != 0 && a.Status() != x.status:
		t.Errorf("request %d: status %d", n+1, a.Status())
	}
}
