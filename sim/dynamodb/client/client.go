package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyendpoints "github.com/aws/smithy-go/endpoints"

	"lockquake/lock/env"
	"lockquake/sim"
)

// Client is the DynamoDB client of a process. All workers of the process may share it.
type Client struct {
	process *sim.Process
	env     env.Env
	options dynamodb.Options // without a retryer
	sdk     *dynamodb.Client
}

// New returns a client of the server on a node.
func New(p *sim.Process, node string, o Options) *Client {
	o = o.WithDefaults()
	// The client sleeps and draws for every worker that uses it.
	worker := p.Worker(p.Name() + " dynamodb client")
	c := &Client{process: p, env: worker, options: dynamodb.Options{
		Region:             "us-east-1",
		EndpointResolverV2: endpoint{url.URL{Scheme: "http", Host: node}},
		Credentials:        credentials{},
		HTTPSignerV4:       unsigned{},
		HTTPClient:         newTransport(p, worker, node, o),
		RetryMaxAttempts:   o.Attempts,
		// The responses have no checksum and no date.
		DisableValidateResponseChecksum: true,
		DisableClockSkewCorrection:      true,
	}}
	c.sdk = dynamodb.New(c.options, func(own *dynamodb.Options) {
		own.Retryer = newRetryer(worker, o.Attempts)
		own.IdempotencyTokenProvider = tokens{worker}
	})
	return c
}

// Options returns the options of another client of the SDK, which retries in its own way. Its HTTP client executes a request in a
// task of the world, until the context of the request ends.
func (c *Client) Options() dynamodb.Options {
	o := c.options
	o.HTTPClient = direct{o.HTTPClient}
	return o
}

// direct is an HTTP client whose requests have the context of the caller.
type direct struct{ dynamodb.HTTPClient }

// Do implements the HTTP client of the SDK.
func (d direct) Do(r *http.Request) (*http.Response, error) {
	return d.HTTPClient.Do(r.WithContext(context.WithValue(r.Context(), callKey{}, r.Context())))
}

// endpoint is the endpoint of all requests. To evaluate the rules of the SDK takes longer.
type endpoint struct{ url url.URL }

// ResolveEndpoint implements dynamodb.EndpointResolverV2.
func (e endpoint) ResolveEndpoint(context.Context, dynamodb.EndpointParameters) (smithyendpoints.Endpoint, error) {
	return smithyendpoints.Endpoint{URI: e.url}, nil
}

// unsigned signs nothing, since the simulated server checks no signature.
type unsigned struct{}

// SignHTTP implements dynamodb.HTTPSignerV4.
func (unsigned) SignHTTP(context.Context, aws.Credentials, *http.Request, string, string, string, time.Time, ...func(*v4.SignerOptions)) error {
	return nil
}

// credentials are those of all clients.
type credentials struct{}

// Retrieve implements aws.CredentialsProvider.
func (credentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "simulated", SecretAccessKey: "simulated"}, nil
}

// tokens makes the tokens of transactions.
type tokens struct{ env env.Env }

// GetIdempotencyToken implements dynamodb.IdempotencyTokenProvider.
func (t tokens) GetIdempotencyToken() (string, error) {
	random := t.env.Rand("tokens")
	return fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()), nil
}

// callKey is the context key of the context of the caller, which can end.
type callKey struct{}

// begin returns a context for the SDK that cannot end, and the options of the call.
func (c *Client) begin(ctx context.Context, options []func(*dynamodb.Options)) (context.Context, []func(*dynamodb.Options), error) {
	if err := c.process.Admit(); err != nil {
		return nil, nil, err
	}
	if ctx.Err() != nil {
		return nil, nil, canceled(ctx)
	}
	waits := func(o *dynamodb.Options) { o.Retryer = waitFor(o.Retryer, ctx, c.env) }
	all := append(slices.Clip(options), waits)
	return context.WithValue(context.WithoutCancel(ctx), callKey{}, ctx), all, nil
}

// GetItem is GetItem of the SDK's client.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	ctx, options, err := c.begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return c.sdk.GetItem(ctx, in, options...)
}

// PutItem is PutItem of the SDK's client.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	ctx, options, err := c.begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return c.sdk.PutItem(ctx, in, options...)
}

// UpdateItem is UpdateItem of the SDK's client.
func (c *Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	ctx, options, err := c.begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return c.sdk.UpdateItem(ctx, in, options...)
}

// DeleteItem is DeleteItem of the SDK's client.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	ctx, options, err := c.begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return c.sdk.DeleteItem(ctx, in, options...)
}

// TransactWriteItems is TransactWriteItems of the SDK's client.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	ctx, options, err := c.begin(ctx, options)
	if err != nil {
		return nil, err
	}
	return c.sdk.TransactWriteItems(ctx, in, options...)
}
