package locktest

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"lockquake/lock/dynamodb"
	"lockquake/lock/env"
)

// dynamodb returns a client for goroutines of the bubble.
func (p process) dynamodb(port dynamodb.Port) *awsdynamodb.Client {
	o := port.SDK
	o.HTTPClient = httpClient{p, o.HTTPClient}
	return awsdynamodb.New(o)
}

// httpClient executes the requests of the SDK for goroutines of the bubble.
type httpClient struct {
	process
	inner awsdynamodb.HTTPClient // for tasks of the world
}

// Do implements the HTTP client of the SDK. The worker passes the point OP.called before the request leaves, if the context has a
// purpose.
func (h httpClient) Do(r *http.Request) (answer *http.Response, err error) {
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	op := env.Op(r.Context())
	over := h.during(r.Context(), context.Background(), "dynamodb "+operation, func(ctx context.Context) {
		if op != "" {
			h.worker.Point(op + ".called")
		}
		answer, err = h.inner.Do(r.WithContext(env.WithOp(ctx, op)))
	})
	return answer, cmp.Or(over, err)
}
