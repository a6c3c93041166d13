package dynamodb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	lockdynamodb "lockquake/lock/dynamodb"
)

// step is a request of one of several clients.
type step struct {
	client     int
	operation  string // get, put, update or delete
	key        string // of the item
	item       map[string]types.AttributeValue
	update     string
	condition  string
	projection string
	names      map[string]string
	values     map[string]types.AttributeValue
	returns    string
}

type sequence []step

func text(s string) *string {
	if s == "" {
		return nil
	}
	return aws.String(s)
}

// The name of the table on both sides, and of its key attribute.
const (
	tableName = "locks"
	keyName   = "name"
)

// do sends the request and returns what the client can see.
func (s *step) do(ctx context.Context, c lockdynamodb.Client) string {
	table := aws.String(tableName)
	key := map[string]types.AttributeValue{keyName: &types.AttributeValueMemberS{Value: s.key}}
	var attributes map[string]types.AttributeValue
	var err error
	switch s.operation {
	case "get":
		var out *sdk.GetItemOutput
		out, err = c.GetItem(ctx, &sdk.GetItemInput{TableName: table, Key: key, ConsistentRead: aws.Bool(true), ProjectionExpression: text(s.projection), ExpressionAttributeNames: s.names})
		if err == nil {
			attributes = out.Item
		}
	case "put":
		item := maps.Clone(s.item)
		item[keyName] = key[keyName]
		var out *sdk.PutItemOutput
		out, err = c.PutItem(ctx, &sdk.PutItemInput{
			TableName: table, Item: item, ConditionExpression: text(s.condition), ExpressionAttributeNames: s.names, ExpressionAttributeValues: s.values, ReturnValues: types.ReturnValue(s.returns),
		})
		if err == nil {
			attributes = out.Attributes
		}
	case "update":
		var out *sdk.UpdateItemOutput
		out, err = c.UpdateItem(ctx, &sdk.UpdateItemInput{
			TableName: table, Key: key, UpdateExpression: text(s.update), ConditionExpression: text(s.condition),
			ExpressionAttributeNames: s.names, ExpressionAttributeValues: s.values, ReturnValues: types.ReturnValue(s.returns),
		})
		if err == nil {
			attributes = out.Attributes
		}
	case "delete":
		var out *sdk.DeleteItemOutput
		out, err = c.DeleteItem(ctx, &sdk.DeleteItemInput{
			TableName: table, Key: key, ConditionExpression: text(s.condition), ExpressionAttributeNames: s.names, ExpressionAttributeValues: s.values, ReturnValues: types.ReturnValue(s.returns),
		})
		if err == nil {
			attributes = out.Attributes
		}
	default:
		panic("no operation " + s.operation)
	}
	if err != nil {
		return errorText(err)
	}
	return itemText(attributes)
}

// errorText returns the code and the message of an error. The end of a syntax error is left out: it is
// the parser's own.
func errorText(err error) string {
	var failure smithy.APIError
	if !errors.As(err, &failure) {
		return err.Error()
	}
	message, _, syntax := strings.Cut(failure.ErrorMessage(), "Syntax error;")
	if syntax {
		message += "Syntax error;"
	}
	return failure.ErrorCode() + ": " + message
}

func itemText(item map[string]types.AttributeValue) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(item)) {
		all = append(all, name+": "+valueText(item[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func valueText(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return fmt.Sprintf("%q", v.Value)
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return fmt.Sprintf("B%q", v.Value)
	case *types.AttributeValueMemberBOOL:
		return fmt.Sprint(v.Value)
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberM:
		return itemText(v.Value)
	case *types.AttributeValueMemberL:
		var all []string
		for _, e := range v.Value {
			all = append(all, valueText(e))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprintf("a %T", v)
}

func (s *step) String() string {
	line := fmt.Sprintf("%d: %s %s", s.client, s.operation, s.key)
	for _, part := range []struct{ name, value string }{
		{"item", itemText(s.item)}, {"update", s.update}, {"condition", s.condition}, {"projection", s.projection}, {"values", itemText(s.values)}, {"returns", s.returns},
	} {
		if part.value != "" && part.value != "{}" {
			line += fmt.Sprintf(" | %s %s", part.name, part.value)
		}
	}
	if s.names != nil {
		line += fmt.Sprintf(" | names %v", s.names)
	}
	return line
}

func (s sequence) String() string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].String() + "\n")
	}
	return b.String()
}
