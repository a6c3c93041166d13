package dynamodb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"lockquake/lock"
)

// Name is the name of the family.
const Name = "dynamodb"

// Client has the methods of the SDK's client that locks use. *dynamodb.Client is a Client.
type Client interface {
	GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

var _ Client = (*dynamodb.Client)(nil)

// Port holds the client of a worker.
type Port struct {
	Client Client
	// SDK has the options of another client of the SDK, which retries in its own way. Its HTTP client executes a request in a task of
	// the simulation, until the context of the request ends.
	SDK dynamodb.Options
}

// PortOf returns the client of a strategy. It panics if Deps have the port of another family.
func PortOf(d lock.Deps) Port {
	port, ok := d.Port.(Port)
	if !ok {
		panic(fmt.Sprintf("the strategy needs a dynamodb.Port, and its Deps have the port %T: set Entry.Family to %q", d.Port, Name))
	}
	return port
}
