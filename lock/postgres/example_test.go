package postgres_test

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
	lockpostgres "lockquake/lock/postgres"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// mine is a lock of one's own on pgx: an advisory lock in the transaction of the work.
type mine struct{ pool lockpostgres.Pool }

func (m mine) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	conn, err := m.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes the connection if it is in a transaction
	asking := env.WithOp(ctx, "acquire")
	if _, err := conn.Exec(asking, "BEGIN"); err != nil {
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	if _, err := conn.Exec(asking, "SELECT pg_advisory_xact_lock($1)", lockpostgres.AdvisoryKey(key)); err != nil {
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	data, ended := r.(lock.Transactional).In(conn)
	if err := body(ctx, lock.Held(ctx, data)); err != nil {
		ended(errors.New("rolled back"))
		return err
	}
	tag, err := conn.Exec(env.WithOp(context.WithoutCancel(ctx), "release"), "COMMIT")
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	case tag.String() != "COMMIT":
		err = fmt.Errorf("%w: the transaction had failed", lock.ErrLost)
	}
	ended(err)
	return err
}

// A lock of one's own in a database, with resets of connections and restarts of the server.
func Example() {
	entry := lock.Entry{
		Name: "mine", Doc: "an advisory lock in the transaction of the work", Family: lockpostgres.Name, Inside: true,
		New:     func(d lock.Deps) lock.Strategy { return mine{lockpostgres.PortOf(d).Pool} },
		Records: func(key string) []string { return []string{fmt.Sprintf("advisory/%d", lockpostgres.AdvisoryKey(key))} },
	}
	scenario, err := scenarios.Parse("mine.yaml", []byte(`
name: mine
duration: 10s
seeds: 20
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 100ms}, think: 20ms}
strategies: [mine]
faults:
  - reset: {from: each worker, to: lock, every: {dist: exponential, mean: 1s}}
  - crash: {target: lock, every: {dist: exponential, mean: 5s}, for: 200ms}
checks: [linearizable, lost-update, exclusion, recovery, errors]
expect:
  mine: {holds: [linearizable, lost-update, exclusion, recovery, errors], finished: ">= 50 %"}
`), entry)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := campaign.Run(context.Background(), scenario, campaign.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Summary())
	// Output:
	// as expected
}
