package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"lockquake/lock"
	"lockquake/lock/env"
)

// serverNow and clientNow are the present time in SQL: that of the server, or of the client, which
// is then an argument.
const (
	serverNow = "clock_timestamp()"
	clientNow = "$4::timestamptz"
)

func leaseClocks() lock.Choice[string] {
	return lock.Choice[string]{Name: "lease-clock", Doc: "the clock by which a lease row expires", Options: []lock.Option[string]{
		{Way: lock.Sound("server", "the clock of the server"), Value: serverNow},
		{Way: lock.Flaw("client", "the clock of each client"), Value: clientNow},
	}}
}

// anchor returns the time from which the holder counts its lease, by its monotonic clock. The
// request was sent at sent, and its reply arrived at replied.
type anchor func(sent, replied time.Duration) time.Duration

func anchors() lock.Choice[anchor] {
	return lock.Choice[anchor]{Name: "anchor", Doc: "from when the holder counts its lease", Options: []lock.Option[anchor]{
		{Way: lock.Sound("sent", "from the time at which the granted request was sent"), Value: func(sent, _ time.Duration) time.Duration { return sent }},
		{Way: lock.Flaw("reply", "from the arrival of its reply, which may be late"), Value: func(_, replied time.Duration) time.Duration { return replied }},
	}}
}

// fences lists whether a lease row hands out fencing tokens.
func fences() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "fence", Doc: "where the fencing token comes from", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no token"), Value: false},
		{Way: lock.Sound("column", "a column of the lease row, which each grant increments"), Value: true},
	}}
}

// heartbeats lists who renews a lease row.
func heartbeats() lock.Choice[bool] {
	return lock.Choice[bool]{Name: "renewal", Doc: "who renews the lease, and what a refusal means", Options: []lock.Option[bool]{
		{Way: lock.Sound("none", "no renewal"), Value: false},
		{Way: lock.Sound("heartbeat", "a task renews it; after a loss it tells the holder and stops the work"), Value: true},
	}}
}

// leaseLocker takes a row with the name of the lock, its owner and the end of its lease.
type leaseLocker struct {
	env    env.Env
	db     Querier
	params lock.Params
	retry  retrying

	check  lock.LeaseCheck
	anchor anchor
	fenced bool
	renews bool
	// The statements. $1 is the name of the lock, $2 its owner, $3 the length of the lease in
	// microseconds.
	take, renew, release string
	clientClock          bool // they have the client's time as $4
}

// newLease makes a strategy with a lease row.
func newLease(d lock.Deps) lock.Strategy {
	p := d.Params
	now := leaseClocks().In(p)
	l := &leaseLocker{
		env: d.Env, db: each{PortOf(d).Pool}, params: p, retry: newRetrying(d),
		check: lock.LeaseChecks().In(p), anchor: anchors().In(p), fenced: fences().In(p), renews: heartbeats().In(p),
		clientClock: now == clientNow,
	}
	end := now + " + $3 * interval '1 microsecond'"
	l.take = `INSERT INTO leases (name, owner, fence, expires_at) VALUES ($1, $2, 1, ` + end + `)
ON CONFLICT (name) DO UPDATE SET owner = $2, fence = leases.fence + 1, expires_at = ` + end + `
WHERE leases.expires_at <= ` + now + `
RETURNING fence`
	l.renew = `UPDATE leases SET expires_at = ` + end + ` WHERE name = $1 AND owner = $2 RETURNING fence`
	// The row stays, since its fence must go on.
	l.release = `UPDATE leases SET expires_at = ` + now + ` WHERE name = $1 AND owner = $2 AND expires_at > ` + now + ` RETURNING $3::bigint`
	return lock.Recipe{Locker: l, Refused: lock.Refusals().In(p)}
}

// ask executes a statement about the lease. It reports whether the statement found the row in the
// state that it needs, and returns the number that it answered.
func (l *leaseLocker) ask(ctx context.Context, sql, key, owner string) (n int64, done bool, err error) {
	args := []any{key, owner, l.params.TTL.Microseconds()}
	if l.clientClock {
		args = append(args, l.env.Now())
	}
	err = l.db.QueryRow(ctx, sql, args...).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return n, err == nil, err
}

// Acquire implements lock.Locker. It asks until the row is free, the attempts are used up, or ctx
// ends.
func (l *leaseLocker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	r := &rowLease{locker: l, ctx: ctx, key: key, owner: strconv.FormatUint(l.retry.random.Uint64(), 16)}
	for n := 1; ; n++ {
		sent := l.env.Mono()
		token, won, err := l.ask(env.WithOp(ctx, "acquire"), l.take, key, r.owner)
		switch {
		case err != nil:
			// The statement may have taken effect: free the row, which would keep others out.
			if code(err) == "" {
				if _, freed, _ := l.ask(env.WithOp(context.WithoutCancel(ctx), "release"), l.release, key, r.owner); !freed {
					return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
				}
			}
			return nil, notGranted(ctx, key, err)
		case won:
			if l.fenced {
				r.token = token
			}
			r.end.Store(int64(l.anchor(sent, l.env.Mono()) + l.params.TTL))
			r.startHeartbeat()
			return r, nil
		}
		if err := l.retry.wait(ctx, key, n); err != nil {
			return nil, err
		}
	}
}

// rowLease is one grant of a leaseLocker.
type rowLease struct {
	locker *leaseLocker
	ctx    context.Context
	key    string
	owner  string
	token  int64
	end    atomic.Int64 // of the lease, on the holder's monotonic clock

	lose context.CancelCauseFunc // ends ctx; nil: nothing renews the lease
	stop context.CancelCauseFunc // ends the renewal
	done env.Sem                 // released when the renewal task has ended
}

// Context implements lock.Lease.
func (r *rowLease) Context() context.Context { return r.ctx }

// Token implements lock.Lease.
func (r *rowLease) Token() int64 { return r.token }

// Check implements lock.Lease.
func (r *rowLease) Check() error { return r.locker.check(r.ctx, r.key, r.left()) }

// left returns the time for which the holder may still rely on the lease.
func (r *rowLease) left() time.Duration {
	return time.Duration(r.end.Load()) - r.locker.env.Mono()
}

// Release implements lock.Lease. The renewal has ended before the request is sent.
func (r *rowLease) Release(ctx context.Context) error {
	if r.stop != nil {
		r.stop(nil)
		if err := r.done.Acquire(ctx); err != nil {
			return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
		}
	}
	_, held, err := r.locker.ask(env.WithOp(ctx, "release"), r.locker.release, r.key, r.owner)
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w: %w", r.key, lock.ErrUnknown, err)
	case !held:
		return fmt.Errorf("release %s: %w: the lease was over", r.key, lock.ErrLost)
	}
	return nil
}
