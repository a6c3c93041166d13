package dynamodb_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"lockquake/internal/servers"
	"lockquake/sim/dynamodb/attribute"
	"lockquake/sim/dynamodb/table"
)

// observer records the requests of a client and their responses.
type observer struct {
	client    int
	mu        *sync.Mutex
	began     time.Time
	exchanges *[]porcupine.Operation
}

// exchange is a request, or a response.
type exchange struct {
	operation string
	status    int
	body      []byte
}

// Do implements the HTTP client of the SDK.
func (o *observer) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	called := time.Since(o.began)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(response.Body)
	returned := time.Since(o.began)
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	o.mu.Lock()
	defer o.mu.Unlock()
	*o.exchanges = append(*o.exchanges, porcupine.Operation{
		ClientId: o.client, Input: exchange{operation: operation, body: body}, Call: int64(called),
		Output: exchange{status: response.StatusCode, body: answer}, Return: int64(returned),
	})
	return response, err
}

// storeModel says that a table with one item behaves like the store of package table. Its state is the item.
func storeModel(t *testing.T) porcupine.Model {
	same := func(a, b []byte) bool {
		var x, y map[string]any
		if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
			return false
		}
		for _, m := range []map[string]any{x, y} {
			if attributes, _ := m["Attributes"].(map[string]any); len(attributes) == 0 {
				delete(m, "Attributes")
			}
		}
		return reflect.DeepEqual(x, y)
	}
	return porcupine.Model{
		Init: func() any { return attribute.Item(nil) },
		Step: func(state, input, output any) (bool, any) {
			in, out := input.(exchange), output.(exchange)
			store := table.New(table.Schema{Name: tableName, Keys: []table.KeyAttribute{{Name: keyName, Kind: attribute.String}}})
			store.Set(tableName, "x", state.(attribute.Item))
			answer, err := store.Execute(time.Time{}, table.Decode(in.operation, in.body))
			if err != nil {
				t.Errorf("%s: %v", in.body, err)
				return false, state
			}
			return answer.Status() == out.status && same(answer.JSON(), out.body), store.Item(tableName, "x")
		},
		Equal: func(a, b any) bool { return a.(attribute.Item).Equal(b.(attribute.Item)) },
	}
}

// TestConformanceOfConcurrentClients lets several clients write one item at the same time. Some order of
// their requests explains all answers of the real server, if each request has the answer of the
// simulated store.
func TestConformanceOfConcurrentClients(t *testing.T) {
	server := servers.Dynalite(t)
	r := newReal(t, server)
	first, last := servers.Sequences(t)
	refused, granted := 0, 0
	const each = 8
	for seed := first; seed <= last; seed++ {
		r.run(nil) // empties the table
		var exchanges []porcupine.Operation
		var mu sync.Mutex
		var all sync.WaitGroup
		began := time.Now()
		for n := range clients {
			g := &generator{rand.New(rand.NewPCG(uint64(seed), uint64(n+1)))}
			c := newClient(server.Addr, func(o *sdk.Options) { o.HTTPClient = &observer{n, &mu, began, &exchanges} })
			all.Go(func() {
				for range each {
					s := g.lockStep()
					s.do(t.Context(), c)
				}
			})
		}
		all.Wait()
		if len(exchanges) != clients*each {
			t.Fatalf("sequence %d: %d requests were answered, not %d", seed, len(exchanges), clients*each)
		}
		for _, x := range exchanges {
			if out := x.Output.(exchange); out.status == http.StatusOK {
				granted++
			} else {
				refused++
			}
		}
		if !porcupine.CheckOperations(storeModel(t), exchanges) {
			t.Fatalf("sequence %d: no order of the requests explains the answers", seed)
		}
	}
	if t.Logf("%d requests were executed, %d refused", granted, refused); granted == 0 || refused == 0 {
		t.Error("no request was executed, or none refused")
	}
}

// lockStep returns a step of a lock on the item x.
func (g *generator) lockStep() step {
	const owner, version = "$o", "$r"
	s := step{key: "x", operation: "update", returns: "ALL_NEW"}
	switch g.IntN(5) {
	case 0:
		return step{key: "x", operation: "get"}
	case 1:
		s.update = g.fill(&s, "SET holder = "+owner+", rvn = "+version+", fence = if_not_exists(fence, :low) + :low")
		s.condition = "attribute_not_exists(holder)"
	case 2:
		s.update = g.fill(&s, "SET rvn = "+version)
		s.condition = g.fill(&s, "holder = "+owner+" AND rvn = "+version)
	case 3:
		s.update, s.condition = "REMOVE holder", g.fill(&s, "holder = "+owner)
	case 4:
		s.operation, s.returns = "delete", "ALL_OLD"
		s.condition = g.fill(&s, "rvn = "+version)
	}
	return s
}
