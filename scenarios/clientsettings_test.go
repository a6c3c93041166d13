package scenarios

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/redis/client"
	redisfamily "lockquake/sim/redis/family"
)

// A setting of a worker overrides one of the strategy, which overrides one of the
// scenario. A setting that is in none of them has the default of the client.
func TestClientOfEachWorker(t *testing.T) {
	s, err := parse("f", []byte(`name: clients
duration: 60s
workload: {kind: counter}
client: {max-retries: 3, min-retry-backoff: 0s, read-timeout: 1s, context-timeout: true}
strategies:
  - redis
  - {name: redis, label: patient, client: {read-timeout: 2s, min-retry-backoff: 1ms, max-retry-backoff: 0s}}
each: [{worker: worker-2, client: {read-timeout: 3s, pool-size: 1, context-timeout: false}}]
`), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		use    int
		worker string
		want   client.Options
	}{
		{0, "worker-1", client.Options{MaxRetries: 3, MinRetryBackoff: -1, ReadTimeout: time.Second, ContextTimeoutEnabled: true}},
		{0, "worker-2", client.Options{MaxRetries: 3, MinRetryBackoff: -1, ReadTimeout: 3 * time.Second, PoolSize: 1}},
		{1, "worker-1", client.Options{
			MaxRetries: 3, MinRetryBackoff: time.Millisecond, MaxRetryBackoff: -1, ReadTimeout: 2 * time.Second, ContextTimeoutEnabled: true,
		}},
		{1, "worker-2", client.Options{
			MaxRetries: 3, MinRetryBackoff: time.Millisecond, MaxRetryBackoff: -1, ReadTimeout: 3 * time.Second, PoolSize: 1,
		}},
	} {
		if diff := cmp.Diff(test.want, redisfamily.ClientOptions(s.FamilySettings(s.Strategies[test.use], test.worker))); diff != "" {
			t.Errorf("%s under %s (-want +got):\n%s", test.worker, s.Strategies[test.use].Label, diff)
		}
	}
}
