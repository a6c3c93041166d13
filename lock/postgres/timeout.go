package postgres

import (
	"context"
	"fmt"
	"time"
)

// limitWait makes the server end a wait for a lock after d; 0 for no limit. The limit lasts for the
// session, or with local for the transaction.
func limitWait(ctx context.Context, q Querier, d time.Duration, local bool) error {
	if d == 0 {
		return nil
	}
	_, err := q.Exec(ctx, "SELECT set_config('lock_timeout', $1, $2)", fmt.Sprintf("%dms", d.Milliseconds()), local)
	return err
}
