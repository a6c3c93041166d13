package dynamodb_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/internal/draw"
	"lockquake/internal/servers"
	lockdynamodb "lockquake/lock/dynamodb"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/dynamodb"
	"lockquake/sim/dynamodb/client"
)

// clients is how many clients take turns in a sequence.
const clients = 3

// side is a table with its clients: that of the real server, or a simulated one.
type side interface {
	// run runs a sequence with an empty table, and returns what the clients see.
	run(s sequence) []string
}

// real is the table of the real server.
type real struct {
	clients []*sdk.Client
}

// credentials are any: the server does not check them.
func credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
	})
}

func newClient(addr string, change func(*sdk.Options)) *sdk.Client {
	o := sdk.Options{Region: "us-east-1", BaseEndpoint: aws.String("http://" + addr), Credentials: credentials(), Retryer: aws.NopRetryer{}}
	if change != nil {
		change(&o)
	}
	return sdk.New(o)
}

// newReal makes the table on a server.
func newReal(t *testing.T, s *servers.DynaliteServer) *real {
	t.Helper()
	r := &real{}
	for range clients {
		r.clients = append(r.clients, newClient(s.Addr, nil))
	}
	_, err := r.clients[0].CreateTable(t.Context(), &sdk.CreateTableInput{
		TableName:            aws.String(tableName),
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String(keyName), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String(keyName), AttributeType: types.ScalarAttributeTypeS}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		out, err := r.clients[0].DescribeTable(t.Context(), &sdk.DescribeTableInput{TableName: aws.String(tableName)})
		if err == nil && out.Table.TableStatus == types.TableStatusActive {
			return r
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the table is not active")
	return nil
}

func (r *real) run(s sequence) []string {
	for _, key := range keys() {
		if seen := (&step{operation: "delete", key: key}).do(context.Background(), r.clients[0]); seen != "{}" {
			return []string{"delete " + key + ": " + seen}
		}
	}
	var all []string
	for i := range s {
		all = append(all, s[i].do(context.Background(), r.clients[s[i].client]))
	}
	return all
}

// simulated is a simulated table. Each sequence has a world of its own.
type simulated struct{}

func (simulated) run(s sequence) []string {
	var all []string
	err := inWorld(1, func(_ *sim.Worker, processes []*sim.Process) {
		var each []lockdynamodb.Client
		for _, p := range processes {
			each = append(each, client.New(p, "lock", client.Options{}))
		}
		for i := range s {
			all = append(all, s[i].do(context.Background(), each[s[i].client]))
		}
	})
	if err != nil {
		all = append(all, err.Error())
	}
	return all
}

// inWorld runs a task in a world with a server on the node lock and some processes. The task is one of
// a worker in the first of them.
func inWorld(seed uint64, task func(k *sim.Worker, processes []*sim.Process)) error {
	w := sim.New(sim.Config{Seed: seed, Step: 10 * time.Microsecond, Latency: draw.Fixed(time.Millisecond), Limit: time.Hour})
	defer w.Close()
	dynamodb.New(w.AddNode("lock", sim.NodeConfig{}), backend.Locks{})
	var processes []*sim.Process
	for i := range clients {
		name := fmt.Sprintf("worker-%d", i+1)
		processes = append(processes, w.AddNode(name, sim.NodeConfig{}).Process(name))
	}
	k := processes[0].Worker("worker-1")
	k.Go("main", func() { task(k, processes) })
	return w.Run()
}
