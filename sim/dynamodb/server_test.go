package dynamodb_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/dynamodb"
	"lockquake/sim/dynamodb/client"
)

// script runs a task of a worker against a server, and fails the test if the run fails.
func script(t *testing.T, o client.Options, task func(k *sim.Worker, s *dynamodb.Server, c *client.Client)) {
	t.Helper()
	if err := runScript(o, task); err != nil {
		t.Fatal(err)
	}
}

func runScript(o client.Options, task func(k *sim.Worker, s *dynamodb.Server, c *client.Client)) error {
	w := sim.New(sim.Config{Seed: 1, Step: time.Microsecond, Latency: draw.Fixed(time.Millisecond), Limit: time.Hour})
	defer w.Close()
	server := dynamodb.New(w.AddNode("lock", sim.NodeConfig{}), backend.Locks{})
	p := w.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1")
	k := p.Worker("worker-1")
	k.Go("main", func() { task(k, server, client.New(p, "lock", o)) })
	return w.Run()
}

func put(holder string) step {
	return step{operation: "put", key: "x", item: item("holder", s(holder))}
}

func expect(t *testing.T, st step, c *client.Client, want string) {
	t.Helper()
	if got := st.do(context.Background(), c); got != want {
		t.Errorf("%s\nanswer %s, not %s", st.String(), got, want)
	}
}

// A read that is not consistent returns the state of a replica that lags; a consistent one does not.
func TestAStaleReadLags(t *testing.T) {
	script(t, client.Options{}, func(k *sim.Worker, server *dynamodb.Server, c *client.Client) {
		read := func(consistent bool) string {
			out, err := c.GetItem(context.Background(), &sdk.GetItemInput{TableName: aws.String(tableName), Key: item(keyName, s("x")), ConsistentRead: aws.Bool(consistent)})
			if err != nil {
				t.Error(err)
			}
			return itemText(out.Item)
		}
		const ann, bob = `{holder: "ann", name: "x"}`, `{holder: "bob", name: "x"}`
		expect(t, put("ann"), c, "{}")
		server.SetStale(2 * time.Second)
		expect(t, put("bob"), c, "{}")
		for _, x := range []struct {
			after      time.Duration
			consistent bool
			want       string
		}{{0, true, bob}, {0, false, ann}, {1900 * time.Millisecond, false, ann}, {200 * time.Millisecond, false, bob}} {
			_ = k.Sleep(context.Background(), x.after)
			if got := read(x.consistent); got != x.want {
				t.Errorf("%v later, consistent %v: %s, not %s", x.after, x.consistent, got, x.want)
			}
		}
		server.SetStale(0)
		expect(t, put("carl"), c, "{}")
		if got := read(false); got != `{holder: "carl", name: "x"}` {
			t.Errorf("after the end: %s", got)
		}
	})
}

// The SDK retries a request that was refused for throttling after up to 1, 2 and 4 s, and one after an
// internal error after up to 25, 50 and 100 ms. Then it gives up. Nothing was executed.
func TestTheSDKRetriesInVirtualTime(t *testing.T) {
	for _, x := range []struct {
		with    faults.Code
		want    string
		longest time.Duration
	}{
		{faults.CodeThrottled, "ThrottlingException: ", 7 * time.Second},
		{faults.CodeUnavailable, "InternalServerError: ", 175 * time.Millisecond},
	} {
		began := time.Now()
		script(t, client.Options{}, func(k *sim.Worker, server *dynamodb.Server, c *client.Client) {
			server.Refuse(x.with)
			before := k.Mono()
			first := put("ann")
			if got := first.do(context.Background(), c); !strings.HasPrefix(got, x.want) {
				t.Errorf("answer %s", got)
			}
			const roundTrips = 12 * time.Millisecond
			if took := k.Mono() - before; took > x.longest+roundTrips || took < x.longest/20 {
				t.Errorf("%s: 4 attempts took %v", x.with, took)
			}
			server.Accept(x.with)
			expect(t, step{operation: "get", key: "x"}, c, "{}")
		})
		if took := time.Since(began); took > 5*time.Second && x.with == faults.CodeThrottled {
			t.Errorf("the retries took %v of real time", took)
		}
	}
}

// A retry succeeds if the service has recovered meanwhile.
func TestARetrySucceeds(t *testing.T) {
	script(t, client.Options{}, func(k *sim.Worker, server *dynamodb.Server, c *client.Client) {
		server.Refuse(faults.CodeThrottled)
		k.Go("recovery", func() {
			_ = k.Sleep(context.Background(), time.Millisecond*3)
			server.Accept(faults.CodeThrottled)
		})
		expect(t, put("ann"), c, "{}")
		expect(t, step{operation: "get", key: "x"}, c, `{holder: "ann", name: "x"}`)
	})
}

// The end of the caller's context ends a call at once: while it waits for an answer, and between two
// attempts.
func TestAContextEndsACall(t *testing.T) {
	for name, prepare := range map[string]func(k *sim.Worker, server *dynamodb.Server){
		"waiting for an answer": func(k *sim.Worker, _ *dynamodb.Server) {
			_ = k.Process().Node().World().CutLink("lock", "worker-1", sim.CutHold, time.Minute)
		},
		"between two attempts": func(_ *sim.Worker, server *dynamodb.Server) { server.Refuse(faults.CodeThrottled) },
	} {
		t.Run(name, func(t *testing.T) {
			script(t, client.Options{}, func(k *sim.Worker, server *dynamodb.Server, c *client.Client) {
				expect(t, put("ann"), c, "{}")
				prepare(k, server)
				const limit = 20 * time.Millisecond
				ctx, cancel := k.WithTimeout(context.Background(), limit)
				defer cancel()
				began := k.Mono()
				first := put("bob")
				if got := first.do(ctx, c); !strings.Contains(got, context.DeadlineExceeded.Error()) && !strings.Contains(got, "canceled") {
					t.Errorf("answer %s", got)
				}
				if took := k.Mono() - began; took < limit || took > limit+time.Millisecond {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// An attempt that takes longer than the request timeout is sent again.
func TestARequestTimeoutIsRetried(t *testing.T) {
	script(t, client.Options{RequestTimeout: 100 * time.Millisecond}, func(k *sim.Worker, _ *dynamodb.Server, c *client.Client) {
		expect(t, put("ann"), c, "{}")
		_ = k.Process().Node().World().CutLink("worker-1", "lock", sim.CutHold, 50*time.Millisecond)
		_ = k.Process().Node().World().CutLink("lock", "worker-1", sim.CutDrop, 150*time.Millisecond)
		began := k.Mono()
		// Its first copy arrives after 50 ms, and the answer is lost.
		expect(t, step{operation: "update", key: "x", update: "ADD n :one", values: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}, returns: "UPDATED_NEW"}, c, "{n: 2}")
		if took := k.Mono() - began; took < 100*time.Millisecond || took > 300*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

// An outage resets connections. The items are there again afterwards, unless the data is lost.
func TestAnOutageKeepsTheItems(t *testing.T) {
	for data, want := range map[faults.Data]string{"": `{holder: "ann", name: "x"}`, faults.DataLost: "{}"} {
		script(t, client.Options{}, func(k *sim.Worker, server *dynamodb.Server, c *client.Client) {
			expect(t, put("ann"), c, "{}")
			server.Crash(data)
			_ = k.Sleep(context.Background(), time.Second)
			k.Process().Node().World().Node("lock").Restart()
			expect(t, step{operation: "get", key: "x"}, c, want)
		})
	}
}

// A third party deletes the items whose key or record matches a pattern.
func TestAThirdPartyDeletesItems(t *testing.T) {
	script(t, client.Options{}, func(_ *sim.Worker, server *dynamodb.Server, c *client.Client) {
		for _, key := range []string{"a-1", "a-2", "b-1"} {
			expect(t, step{operation: "put", key: key, item: item()}, c, "{}")
		}
		for _, x := range []struct{ pattern, want string }{{"", ""}, {"a-*", "locks/a-1 locks/a-2"}, {"locks/b-1", "locks/b-1"}, {"*", ""}} {
			if got := strings.Join(server.Delete(x.pattern), " "); got != x.want {
				t.Errorf("%q deletes %q, not %q", x.pattern, got, x.want)
			}
		}
	})
}

// A request that needs something that is not simulated ends the run with its name.
func TestWhatIsNotSimulatedEndsTheRun(t *testing.T) {
	err := runScript(client.Options{}, func(_ *sim.Worker, _ *dynamodb.Server, c *client.Client) {
		_, _ = c.PutItem(env.WithOp(context.Background(), "acquire"), &sdk.PutItemInput{TableName: aws.String(tableName), Item: item(keyName, s("x"), "tags", &types.AttributeValueMemberSS{Value: []string{"a"}})})
	})
	if err == nil || !strings.Contains(err.Error(), "acquire of worker-1: the simulated DynamoDB does not have a set") {
		t.Errorf("the run ends with %v", err)
	}
}
