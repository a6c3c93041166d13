package kubernetes

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// table is the API of one Lease in memory.
type table struct {
	lease   *Lease
	version byte
	// lost is called before each request, and returns whether it takes effect and the error that the caller gets.
	lost func(verb string) (applied bool, err error)
}

var errNoAnswer = errors.New("no answer")

func (t *table) do(verb string, effect func() error) error {
	applied, lost := true, error(nil)
	if t.lost != nil {
		applied, lost = t.lost(verb)
	}
	if applied {
		if err := effect(); err != nil {
			return err
		}
	}
	return lost
}

func (t *table) Get(context.Context, string) (l Lease, err error) {
	err = t.do("get", func() error {
		if t.lease == nil {
			return &StatusError{404, ReasonNotFound, ""}
		}
		l = *t.lease
		return nil
	})
	return l, err
}

func (t *table) Create(_ context.Context, l Lease) (Lease, error) {
	err := t.do("create", func() error {
		if t.lease != nil {
			return &StatusError{409, ReasonAlreadyExists, ""}
		}
		t.put(&l)
		return nil
	})
	return l, err
}

func (t *table) Update(_ context.Context, l Lease) (Lease, error) {
	err := t.do("update", func() error {
		if t.lease == nil || t.lease.ResourceVersion != l.ResourceVersion {
			return &StatusError{409, ReasonConflict, ""}
		}
		t.put(&l)
		return nil
	})
	return l, err
}

func (t *table) put(l *Lease) {
	t.version++
	l.ResourceVersion = string('a' + rune(t.version))
	stored := *l
	t.lease = &stored
}

// acquire asks for the lock with two attempts.
func (t *table) acquire(ctx context.Context) (lock.Lease, error) {
	p := Family().Strategies[0].Defaults
	p.Retry = lock.Retry{Attempts: 2, Delay: time.Second}
	return newLocker(lock.Deps{Env: env.Real(), Params: p, Port: Port{t}}).(lock.Recipe).Locker.Acquire(ctx, "l")
}

// held is a Lease that another candidate renews at all times.
func held() *Lease {
	return &Lease{Name: "l", ResourceVersion: "a", Spec: LeaseSpec{HolderIdentity: "other", LeaseDurationSeconds: 15}}
}

func TestACandidateThatGivesUpUndoesAWriteOfUnknownOutcome(t *testing.T) {
	for _, test := range []struct {
		name  string
		lease *Lease
		lost  func(t *table) func(string) (bool, error)
		want  error
		after string // the holder after that; "-": there is no Lease
	}{
		{"a lease of another", held(), nil, lock.ErrNotObtained, "other"},
		{"a create that took effect, and an API server without an answer for a while", nil, func(*table) func(string) (bool, error) {
			silent := 0
			return func(verb string) (bool, error) {
				if verb == "create" {
					silent = 1 // of the gets that follow
					return true, errNoAnswer
				}
				if silent > 0 {
					silent--
					return false, errNoAnswer
				}
				return true, nil
			}
		}, lock.ErrUnknown, ""},
		{"a create that did not take effect, and may still do", nil, func(*table) func(string) (bool, error) {
			return func(verb string) (bool, error) { return verb != "create", either(verb == "create", errNoAnswer) }
		}, lock.ErrUnknown, "-"},
		{"an update that is refused when it arrives, since the Lease has changed", &Lease{Name: "l", ResourceVersion: "a"}, func(t *table) func(string) (bool, error) {
			return func(verb string) (bool, error) {
				if verb == "update" {
					other := held()
					t.put(other)
					return false, errNoAnswer
				}
				return true, nil
			}
		}, lock.ErrNotObtained, "other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &table{lease: test.lease}
				if test.lost != nil {
					x.lost = test.lost(x)
				}
				_, err := x.acquire(t.Context())
				after := "-"
				if x.lease != nil {
					after = x.lease.Spec.HolderIdentity
				}
				if !errors.Is(err, test.want) || after != test.after {
					t.Errorf("it ends with %v, and the holder is %q", err, after)
				}
			})
		})
	}
}

func either(yes bool, err error) error {
	if yes {
		return err
	}
	return nil
}

// Each election raises the token, also after a release.
func TestTokensRiseWithEveryElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &table{}
		for want := range int64(3) {
			p := Family().Strategies[1].Defaults
			l, err := newLocker(lock.Deps{Env: env.Real(), Params: p, Port: Port{x}}).(lock.Recipe).Locker.Acquire(t.Context(), "l")
			if err != nil || l.Token() != want+1 {
				t.Fatalf("election %d: token %v, %v", want+1, l, err)
			}
			if err := l.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestALeaseHasTheNameOfItsLockIfTheServerAcceptsIt(t *testing.T) {
	for name, valid := range map[string]bool{
		"resource-1": true, "a.b-c.d": true, "0": true, strings.Repeat("a", 253): true,
		"": false, "A": false, "a/b": false, "-a": false, "a-": false, "a..b": false, "a.-b": false, "é": false, strings.Repeat("a", 254): false,
	} {
		if got := LeaseName(name); (got == name) != valid || !ValidName(got) {
			t.Errorf("the Lease of %q is called %q", name, got)
		}
	}
}
