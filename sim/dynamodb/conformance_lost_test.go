package dynamodb_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"lockquake/internal/servers"
	"lockquake/sim"
	"lockquake/sim/dynamodb/client"
)

// losesFirst loses the first response, after the server has sent it.
type losesFirst struct{ requests int }

// Do implements the HTTP client of the SDK.
func (l *losesFirst) Do(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(r)
	if l.requests++; l.requests == 1 && err == nil {
		return nil, errors.Join(errors.New("connection reset by peer"), response.Body.Close())
	}
	return response, err
}

// If the response to a conditional write is lost, the SDK sends the write again, and that finds the item
// that its first copy wrote.
func TestConformanceOfALostResponse(t *testing.T) {
	take := step{operation: "put", key: "x", item: item("holder", s("ann")), condition: "attribute_not_exists(holder)"}
	look := step{operation: "get", key: "x"}
	want := []string{failedCondition, `{holder: "ann", name: "x"}`}

	server := servers.Dynalite(t)
	r := newReal(t, server)
	r.run(nil)
	lossy := newClient(server.Addr, func(o *sdk.Options) {
		o.Retryer = nil // that of the SDK
		o.HTTPClient = &losesFirst{}
	})
	check(t, "real", want, take.do(t.Context(), lossy), look.do(t.Context(), r.clients[0]))

	var seen []string
	var took time.Duration
	err := inWorld(1, func(k *sim.Worker, processes []*sim.Process) {
		c := client.New(processes[0], "lock", client.Options{})
		k.OnPoint("put-item.replied", 1, func() {
			if err := processes[0].Node().World().DropMessage(50 * time.Millisecond); err != nil {
				t.Error(err)
			}
		})
		seen = append(seen, take.do(context.Background(), c))
		took = k.Mono()
		seen = append(seen, look.do(context.Background(), c))
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "simulated", want, seen...)
	// Two round trips, the reset after 50 ms, a pause of up to 25 ms, and two round trips.
	if took < 56*time.Millisecond || took > 82*time.Millisecond {
		t.Errorf("the write took %v", took)
	}
}

func check(t *testing.T, side string, want []string, got ...string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: answer %d is %s, not %s", side, i+1, got[i], want[i])
		}
	}
}

// The SDK gives up after as many attempts as its standard retryer allows, which is 4 for DynamoDB.
func TestConformanceOfTheAttempts(t *testing.T) {
	server := servers.Dynalite(t)
	newReal(t, server)
	counts := &counter{}
	c := newClient(server.Addr, func(o *sdk.Options) {
		o.Retryer, o.HTTPClient = nil, counts
	})
	if _, err := c.GetItem(t.Context(), &sdk.GetItemInput{TableName: aws.String(tableName), Key: item(keyName, s("x"))}); err == nil {
		t.Error("a request whose connections are all reset has an answer")
	}
	if want := (client.Options{}).WithDefaults().Attempts; counts.requests != want {
		t.Errorf("the SDK sent %d requests, not %d", counts.requests, want)
	}
}

type counter struct{ requests int }

// Do implements the HTTP client of the SDK.
func (c *counter) Do(*http.Request) (*http.Response, error) {
	c.requests++
	return nil, errors.New("connection reset by peer")
}
