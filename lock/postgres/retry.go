package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"

	"lockquake/lock"
	"lockquake/lock/env"
)

// retrying is the retry policy of one worker.
type retrying struct {
	env    env.Env
	policy lock.Retry
	random *rand.Rand
}

func newRetrying(d lock.Deps) retrying {
	return retrying{d.Env, d.Params.Retry, d.Env.Rand("lock")}
}

// wait pauses after the nth attempt was refused. It returns the error of the acquire if the attempts
// are used up, or ctx ends.
func (r retrying) wait(ctx context.Context, key string, n int) error {
	if r.policy.Attempts != lock.Unlimited && n >= int(r.policy.Attempts) {
		return fmt.Errorf("acquire %s, %d attempts: %w", key, n, lock.ErrNotObtained)
	}
	if err := r.env.Sleep(ctx, r.policy.Pause(n, r.random)); err != nil {
		return fmt.Errorf("acquire %s: %w", key, err)
	}
	return nil
}
