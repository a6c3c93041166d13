package client

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"

	"lockquake/lock/env"
)

// The backoff of the SDK's standard retryer: the base for errors, for throttling, and the longest pause.
const (
	errorBase    = 25 * time.Millisecond // of the DynamoDB client; other services have 50 ms
	throttleBase = time.Second
	longestPause = 20 * time.Second
)

// newRetryer returns the standard retryer of the SDK. Only its random numbers are those of the run.
func newRetryer(e env.Env, attempts int) aws.Retryer {
	random := e.Rand("backoff")
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			return backoff(random, attempt, err), nil
		})
	})
}

// backoff draws the pause after the nth attempt, which failed with err.
func backoff(random *rand.Rand, attempt int, err error) time.Duration {
	base := errorBase
	if retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err) == aws.TrueTernary {
		base = throttleBase
	}
	longest := math.Min(float64(base)*math.Pow(2, float64(attempt-1)), float64(longestPause))
	return time.Duration(random.Float64() * longest)
}

// waiting is a retryer that waits itself, in virtual time.
type waiting struct {
	aws.RetryerV2
	ctx context.Context // of the caller
	env env.Env
}

// waitFor returns a retryer that decides like r and waits in virtual time. It leaves a retryer alone
// that never retries.
func waitFor(r aws.Retryer, ctx context.Context, e env.Env) aws.Retryer {
	if v2, ok := r.(aws.RetryerV2); ok {
		return &waiting{v2, ctx, e}
	}
	return r
}

// RetryDelay implements aws.Retryer.
func (w *waiting) RetryDelay(attempt int, err error) (time.Duration, error) {
	d, delayErr := w.RetryerV2.RetryDelay(attempt, err)
	if delayErr != nil {
		return 0, delayErr
	}
	if err := w.env.Sleep(w.ctx, d); err != nil {
		return 0, &aws.RequestCanceledError{Err: err}
	}
	return 0, nil
}

// canceled returns the error of the SDK for a context that has ended.
func canceled(ctx context.Context) error { return &smithy.CanceledError{Err: ctx.Err()} }
