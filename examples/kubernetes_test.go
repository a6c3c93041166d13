package locks

import (
	"context"
	"errors"
	"testing"
	"time"

	coordination "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"lockquake/lock"
	"lockquake/lock/kubernetes"
	"lockquake/lock/locktest"
)

// kubeClient is the typed client of the Lease objects that an election uses, made of the one of Deps.
type kubeClient struct {
	client.LeaseInterface // the methods that an election does not use

	leases kubernetes.Leases
}

// Leases implements client.LeasesGetter.
func (c kubeClient) Leases(string) client.LeaseInterface { return c }

// Get implements client.LeaseInterface.
func (c kubeClient) Get(ctx context.Context, name string, _ meta.GetOptions) (*coordination.Lease, error) {
	return answerOf(c.leases.Get(ctx, name))
}

// Create implements client.LeaseInterface.
func (c kubeClient) Create(ctx context.Context, l *coordination.Lease, _ meta.CreateOptions) (*coordination.Lease, error) {
	return answerOf(c.leases.Create(ctx, leaseOf(l)))
}

// Update implements client.LeaseInterface.
func (c kubeClient) Update(ctx context.Context, l *coordination.Lease, _ meta.UpdateOptions) (*coordination.Lease, error) {
	return answerOf(c.leases.Update(ctx, leaseOf(l)))
}

func leaseOf(l *coordination.Lease) kubernetes.Lease {
	s := kubernetes.LeaseSpec{
		AcquireTime: l.Spec.AcquireTime.Time, RenewTime: l.Spec.RenewTime.Time,
		LeaseDurationSeconds: *l.Spec.LeaseDurationSeconds, LeaseTransitions: *l.Spec.LeaseTransitions,
	}
	if l.Spec.HolderIdentity != nil {
		s.HolderIdentity = *l.Spec.HolderIdentity
	}
	return kubernetes.Lease{Name: l.Name, UID: string(l.UID), ResourceVersion: l.ResourceVersion, Spec: s}
}

// answerOf gives an answer the types of client-go.
func answerOf(l kubernetes.Lease, err error) (*coordination.Lease, error) {
	if status, ok := errors.AsType[*kubernetes.StatusError](err); ok {
		return nil, &apierrors.StatusError{ErrStatus: meta.Status{
			Status: meta.StatusFailure, Code: int32(status.Code), Reason: meta.StatusReason(status.Reason), Message: status.Message,
		}}
	}
	if err != nil {
		return nil, err
	}
	return &coordination.Lease{
		ObjectMeta: meta.ObjectMeta{Name: l.Name, UID: types.UID(l.UID), ResourceVersion: l.ResourceVersion},
		Spec: coordination.LeaseSpec{
			HolderIdentity: &l.Spec.HolderIdentity, LeaseDurationSeconds: &l.Spec.LeaseDurationSeconds, LeaseTransitions: &l.Spec.LeaseTransitions,
			AcquireTime: &meta.MicroTime{Time: l.Spec.AcquireTime}, RenewTime: &meta.MicroTime{Time: l.Spec.RenewTime},
		},
	}, nil
}

// term is the time for which a LeaderElector of client-go leads.
type term struct {
	ctx   context.Context // of OnStartedLeading
	stop  context.CancelFunc
	ended chan struct{} // is closed when Run has returned
}

// Context ends when the elector stops leading.
func (t term) Context() context.Context { return t.ctx }

// Release ends the election, which frees the lease.
func (t term) Release() {
	t.stop()
	<-t.ended
}

// renewDeadline is 10 s, the default, less a little. Code takes no time in a simulation, so at 10 s the deadline and the fifth retry would be
// due at one instant, and client-go would select one of them at random.
const renewDeadline = 10*time.Second - time.Millisecond

// newElection is the leader election of client-go with its default times and ReleaseOnCancel. Each call of Acquire waits until it leads.
// The election ends with the context that electionOf makes of the caller's.
func newElection(electionOf func(caller context.Context) context.Context) func(locktest.Deps) lock.Locker {
	return func(d locktest.Deps) lock.Locker {
		klog.SetLogger(klog.New(nil)) // it says what happens on stderr
		return locktest.Locker(func(caller context.Context, key string) (locktest.Lease, error) {
			ctx, stop := context.WithCancel(electionOf(caller))
			t := term{stop: stop, ended: make(chan struct{})}
			leads := make(chan context.Context, 1)
			elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: meta.ObjectMeta{Namespace: "default", Name: key}, Client: kubeClient{leases: d.Kubernetes},
					LockConfig: resourcelock.ResourceLockConfig{Identity: d.Worker + time.Now().String()},
				},
				LeaseDuration: 15 * time.Second, RenewDeadline: renewDeadline, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(ctx context.Context) { leads <- ctx },
					OnStoppedLeading: func() { close(t.ended) },
				},
			})
			if err != nil {
				stop()
				return nil, err
			}
			go elector.Run(ctx)
			select {
			case t.ctx = <-leads:
				return t, nil
			case <-caller.Done():
				t.Release()
				return nil, context.Cause(caller)
			}
		})
	}
}

// sharing ends the election with the context of the work.
func sharing(caller context.Context) context.Context { return caller }

// If the election ends with the context of the work, its lease is free before the work has ended.
func TestLeaderElectionThatSharesTheContextOfItsWork(t *testing.T) {
	locktest.Run(t, "lease-released-first", newElection(sharing), locktest.Seeds(5), locktest.Violates("lost-update", "exclusion"))
}

func TestLeaderElectionThatEndsAfterItsWork(t *testing.T) {
	locktest.Run(t, "lease-released-first", newElection(context.WithoutCancel), locktest.Seeds(5), locktest.Holds("lost-update", "exclusion"))
}
