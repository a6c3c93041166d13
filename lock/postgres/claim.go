package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/jackc/pgx/v5"

	"lockquake/lock"
	"lockquake/lock/env"
)

// claims decides how a claim is completed, counted and taken back.
type claims struct {
	// unowned: any worker completes a job, also one that another has claimed.
	unowned bool
	// stuck: no one takes back the claims of workers that are gone.
	stuck bool
	// late: an attempt is counted when it fails, after the comparison with the most that are
	// allowed.
	late bool
}

func claimParts() lock.Choice[claims] {
	return lock.Choice[claims]{Name: "claim", Doc: "how a claimed job is completed, counted and taken back", Options: []lock.Option[claims]{
		{Way: lock.Sound("owned", "completed by the attempt that claimed it; counted at the claim; taken back after the `ttl`"), Value: claims{}},
		{Way: lock.Flaw("unowned", "completed by name: a stale attempt completes the job of another, or reopens it"), Value: claims{unowned: true}},
		{Way: lock.Flaw("no-reaper", "never taken back: a crash leaves the job in processing forever"), Value: claims{stuck: true}},
		{Way: lock.Flaw("late-count", "counted when it fails, after the comparison with the limit: one attempt more, and a crash counts none"), Value: claims{late: true}},
	}}
}

// The statements on the table jobs. $1 is the name of a job, $2 the worker, $3 the attempt, $4 how
// often a job may be tried. A claim has the length of its lease in microseconds as $3; NULL for ever.
const (
	enqueueJob = `INSERT INTO jobs (name) VALUES ($1) ON CONFLICT DO NOTHING`
	findJob    = ` WHERE name = (SELECT name FROM jobs WHERE name = $1 AND status = 'pending'
ORDER BY priority DESC, created_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING attempts`
	lease         = `claimed_at = clock_timestamp(), expires_at = clock_timestamp() + $3 * interval '1 microsecond'`
	claimJob      = `UPDATE jobs SET status = 'processing', worker = $2, ` + lease + `, attempts = attempts + 1` + findJob
	claimLate     = `UPDATE jobs SET status = 'processing', worker = $2, ` + lease + findJob
	unclaim       = `UPDATE jobs SET status = 'pending', worker = NULL, attempts = attempts - 1 WHERE name = $1 AND worker = $2 AND status = 'processing'`
	unclaimLate   = `UPDATE jobs SET status = 'pending', worker = NULL WHERE name = $1 AND worker = $2 AND status = 'processing'`
	owned         = ` WHERE name = $1 AND worker = $2 AND attempts = $3 AND status = 'processing'`
	completeJob   = `UPDATE jobs SET status = 'done'` + owned
	again         = `status = CASE WHEN attempts < $4 THEN 'pending' ELSE 'failed' END, worker = NULL`
	failJob       = `UPDATE jobs SET ` + again + owned
	failLate      = `UPDATE jobs SET attempts = attempts + 1, ` + again + owned // compares what attempts was before
	completeByAny = `UPDATE jobs SET status = 'done' WHERE name = $1`
	failByAny     = `UPDATE jobs SET status = 'pending', worker = NULL WHERE name = $1`
	takeBack      = `UPDATE jobs SET status = CASE WHEN attempts < $1 THEN 'pending' ELSE 'failed' END, worker = NULL
WHERE status = 'processing' AND expires_at < clock_timestamp()`
	lockPending  = `SELECT name FROM jobs WHERE name = $1 AND status = 'pending' FOR UPDATE SKIP LOCKED`
	completeHeld = `UPDATE jobs SET status = 'done' WHERE name = $1`
)

// claimer claims jobs of a queue: a job is a row with a status. It implements lock.Locker.
type claimer struct {
	env    env.Env
	db     Querier
	params lock.Params
	random *rand.Rand
	claims claims
}

// newClaim makes a strategy that claims jobs.
func newClaim(d lock.Deps) lock.Strategy {
	c := &claimer{env: d.Env, db: each{PortOf(d).Pool}, params: d.Params, random: d.Env.Rand("lock"), claims: claimParts().In(d.Params)}
	return lock.Recipe{Locker: c, Refused: lock.Refusals().In(d.Params), End: endClaim}
}

// Acquire implements lock.Locker: it claims the job of that name, which it enqueues if no one has
// done so. It does not wait for a job that another worker has claimed.
func (c *claimer) Acquire(ctx context.Context, job string) (lock.Lease, error) {
	asking := env.WithOp(ctx, "acquire")
	if _, err := c.db.Exec(env.WithOp(ctx, "enqueue"), enqueueJob, job); err != nil {
		return nil, notGranted(ctx, job, err)
	}
	if !c.claims.stuck {
		if _, err := c.db.Exec(env.WithOp(ctx, "reap"), takeBack, c.params.Tries); err != nil {
			return nil, notGranted(ctx, job, err)
		}
	}
	l := &claim{claimer: c, ctx: ctx, job: job, worker: strconv.FormatUint(c.random.Uint64(), 16)}
	ttl := new(c.params.TTL.Microseconds())
	if c.claims.stuck {
		ttl = nil
	}
	statement := claimJob
	if c.claims.late {
		statement = claimLate
	}
	err := c.db.QueryRow(asking, statement, job, l.worker, ttl).Scan(&l.attempt)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("acquire %s: %w", job, whyNot(asking, c.db, job))
	case err != nil && code(err) == "" && !l.giveBack(ctx):
		return nil, fmt.Errorf("acquire %s: %w: %w", job, lock.ErrUnknown, err)
	case err != nil:
		return nil, notGranted(ctx, job, err)
	}
	return l, nil
}

// giveBack takes back a claim that may have taken effect. It reports whether it found the claim.
func (l *claim) giveBack(ctx context.Context) bool {
	statement := unclaim
	if l.claimer.claims.late {
		statement = unclaimLate
	}
	tag, err := l.claimer.db.Exec(env.WithOp(context.WithoutCancel(ctx), "release"), statement, l.job, l.worker)
	return err == nil && tag.RowsAffected() > 0
}

// whyNot returns why a job cannot be claimed: another worker has it, or it is done or given up.
func whyNot(ctx context.Context, q Querier, job string) error {
	var status string
	if err := q.QueryRow(ctx, "SELECT status FROM jobs WHERE name = $1", job).Scan(&status); err != nil {
		return fmt.Errorf("%w: %w", lock.ErrNotObtained, err)
	}
	if status == "done" || status == "failed" {
		return fmt.Errorf("%w: it is %s", lock.ErrConflict, status)
	}
	return fmt.Errorf("%w: another worker has it", lock.ErrNotObtained)
}

// claim is a job that a worker has claimed.
type claim struct {
	claimer *claimer
	ctx     context.Context
	job     string
	worker  string
	attempt int64
	failed  bool
}

// Context implements lock.Lease. The worker is not told when its claim is taken back.
func (l *claim) Context() context.Context { return l.ctx }

// Check implements lock.Lease.
func (l *claim) Check() error { return nil }

// Token implements lock.Lease.
func (l *claim) Token() int64 { return 0 }

// endClaim completes the job, or gives it back if the work has failed.
func endClaim(ctx context.Context, lease lock.Lease, bodyErr error) error {
	lease.(*claim).failed = bodyErr != nil
	return lock.EndSection(ctx, lease, bodyErr)
}

// Release implements lock.Lease.
func (l *claim) Release(ctx context.Context) error {
	c := &l.claimer.claims
	statement, args := completeJob, []any{l.job, l.worker, l.attempt}
	switch {
	case c.unowned && l.failed:
		statement, args = failByAny, args[:1]
	case c.unowned:
		statement, args = completeByAny, args[:1]
	case c.late && l.failed:
		statement, args = failLate, append(args, l.claimer.params.Tries)
	case l.failed:
		statement, args = failJob, append(args, l.claimer.params.Tries)
	}
	tag, err := l.claimer.db.Exec(env.WithOp(ctx, "release"), statement, args...)
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", l.job, lock.ErrUnknown, err)
	case tag.RowsAffected() == 0:
		return fmt.Errorf("release %s: %w: the claim was taken back", l.job, lock.ErrLost)
	}
	return nil
}

// takeJob locks the row of a job that is pending, for the transaction. It enqueues the job if no one
// has done so.
func takeJob(ctx context.Context, q Querier, job string) error {
	if _, err := q.Exec(ctx, enqueueJob, job); err != nil {
		return err
	}
	var name string
	err := q.QueryRow(ctx, lockPending, job).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return whyNot(ctx, q, job)
	}
	return err
}

// finishJob marks the job as done in the transaction that has its row.
func finishJob(ctx context.Context, q Querier, job string) error {
	_, err := q.Exec(ctx, completeHeld, job)
	return err
}
