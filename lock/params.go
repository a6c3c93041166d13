package lock

import (
	"math/rand/v2"
	"time"
)

// Params are what a strategy can be put together from: its parts, and the
// numbers that it is tuned by. A strategy reads those that it has and begins
// from its own defaults; a scenario may set each of them for all strategies,
// for one, and for one worker. So a flaw is one part changed.
type Params struct {
	// Profile names one of Profiles, whose numbers hold where the same part of a
	// scenario does not set them; "" for none.
	Profile string `yaml:"profile"`
	// TTL is the lease time that the server is asked for.
	TTL time.Duration `yaml:"ttl"`
	// Retry says how a refused acquire is repeated.
	Retry Retry `yaml:"retry"`
	// Renew is the period of renewal; 0 stands for TTL/3, or with several servers
	// for half of the validity that is left.
	Renew time.Duration `yaml:"renew"`
	// RenewShare is the period of renewal as a share of the TTL, where Renew is 0;
	// 0 for none. Presets have it, so that their period follows the TTL.
	RenewShare float64 `yaml:"-"`
	// MaxHold bounds how long renewal keeps one grant alive; 0 for no bound.
	MaxHold time.Duration `yaml:"max-hold"`
	// NodeTimeout is how long one of several servers is waited for before it
	// counts as failed; 0 for as long as the client waits. Of a server with a
	// replica it is the time-out of WAIT.
	NodeTimeout time.Duration `yaml:"node-timeout"`
	// Drift is taken off the validity that several servers give, for clocks that
	// run at different rates; 0 stands for TTL/100, rounded to a millisecond, and
	// 2 ms.
	Drift time.Duration `yaml:"drift"`
	// Wait is how many replicas must have the key before it counts as taken; 0
	// for none.
	Wait int `yaml:"wait"`
	// Fallback is how long a waiter listens before it asks all the same; 0 for
	// ever.
	Fallback time.Duration `yaml:"fallback"`

	// Owner says how the value is made that the key holds.
	Owner Owner `yaml:"owner"`
	// Take says by which commands the key is taken.
	Take Take `yaml:"take"`
	// Fence says where the fence token comes from.
	Fence Fence `yaml:"fence"`
	// Check says whether the holder looks at its clock before a write.
	Check Check `yaml:"check"`
	// Renewal says who renews the lease, and what a refusal means to it.
	Renewal Renewal `yaml:"renewal"`
	// Release says how the key is given back, and what its answer means.
	Release Release `yaml:"release"`
	// Unknown says what an acquire means that nobody answered.
	Unknown Unknown `yaml:"unknown"`
	// Refused says what happens to the work when the lock is not obtained.
	Refused Refused `yaml:"refused"`
	// Validity says how a quorum of several servers is held against the time that
	// it took to get.
	Validity Validity `yaml:"validity"`
	// Vote says which answers of several servers make a quorum.
	Vote Vote `yaml:"vote"`
	// Waiting says what a waiter waits for before it asks again.
	Waiting Waiting `yaml:"waiting"`
	// Reaper says whether a third actor deletes locks that look abandoned.
	Reaper Reaper `yaml:"reaper"`
}

// Fenced reports whether the strategy promises tokens in the order of grants.
func (p Params) Fenced() bool { return p.Fence != "" && p.Fence != FenceNone }

// Retry is the policy after a refused acquire: wait Delay plus a uniform part
// of Jitter, then ask again.
type Retry struct {
	// Attempts counts the first one too.
	Attempts Attempts      `yaml:"attempts"`
	Delay    time.Duration `yaml:"delay"`
	Jitter   time.Duration `yaml:"jitter"`
	// Doubling doubles Delay, but not Jitter, after every attempt.
	Doubling bool `yaml:"doubling"`
	// Random waits for a uniform part of Delay instead of all of it.
	Random bool `yaml:"random"`
	// AfterLast waits once more when the last attempt was refused, for nothing.
	AfterLast bool `yaml:"after-last"`
}

// Pause draws the time from an attempt to the next.
func (r Retry) Pause(attempt int, random *rand.Rand) time.Duration {
	const longest = 24 * time.Hour
	delay := r.Delay
	for i := 1; r.Doubling && i < attempt && delay < longest; i++ {
		delay *= 2
	}
	if r.Random && delay > 0 {
		delay = time.Duration(random.Int64N(int64(delay)))
	}
	if r.Jitter <= 0 {
		return delay
	}
	return delay + time.Duration(random.Int64N(int64(r.Jitter)))
}

// Attempts is a number of tries, or Unlimited.
type Attempts int

// Unlimited attempts end only with the caller's context.
const Unlimited Attempts = -1

// Owner is how the value is made that says whose the key is.
type Owner string

// The ways, sound first.
const (
	OwnerRandom   Owner = "random"   // 128 random bits for every attempt
	OwnerCall     Owner = "call"     // 128 random bits for all attempts of one call
	OwnerInstance Owner = "instance" // one random value for each instance of the client
	OwnerWeak     Owner = "weak"     // process number and millisecond: 1 and the same in two containers
	OwnerConstant Owner = "constant" // the same for everybody
)

// Take is by which commands a key is taken.
type Take string

// The ways, sound first.
const (
	TakeAtomic      Take = "atomic"       // SET NX PX
	TakeGetSet      Take = "get-set"      // GET, and SET if there was nothing
	TakeNoExpiry    Take = "no-expiry"    // SET NX without an expiry
	TakeSetNXExpire Take = "setnx-expire" // SETNX, then PEXPIRE
)

// Fence is where the fence token comes from.
type Fence string

// The ways, sound first.
const (
	FenceNone      Fence = "none"
	FenceInScript  Fence = "in-script"  // counted up by the script that grants, for winners only
	FenceIncrFirst Fence = "incr-first" // counted up by that script before it tries, so losers burn numbers
	FenceSplit     Fence = "split"      // counted up by a command of its own before the acquire
	FencePublished Fence = "published"  // a script that compares a table with "OK", and so answers nil after a SET that took effect
)

// Check is what the holder does before a write.
type Check string

// The ways.
const (
	CheckNone  Check = "none"
	CheckClock Check = "clock" // compares its monotonic clock with the end of its lease
)

// Renewal is who keeps a lease alive.
type Renewal string

// The ways, sound first.
const (
	RenewalNone       Renewal = "none"
	RenewalWatchdog   Renewal = "watchdog"    // a task; the holder is told of a loss and its work stopped
	RenewalDeaf       Renewal = "deaf"        // refused: it stops renewing, and nobody is told
	RenewalLateFlag   Renewal = "late-flag"   // refused, or one error: a flag that is read when the work has ended
	RenewalOverlap    Renewal = "overlap"     // the timer does not wait for the last renewal, nor the release for any
	RenewalRecreate   Renewal = "recreate"    // a renewal that finds no key sets it again
	RenewalSameThread Renewal = "same-thread" // renewed by the worker's own thread, between two steps of its work
	RenewalCrash      Renewal = "crash"       // watchdog, and an error of one renewal ends the process
	RenewalRacy       Renewal = "racy"        // begun by a callback that may come after the one that stops it
	RenewalLate       Renewal = "late"        // counted from the return of the acquire, whatever that took, and nothing watches the end
	RenewalZombie     Renewal = "zombie"      // one under way at the release goes on for ever, with whatever its locker holds then
)

// Release is how a lock is given back.
type Release string

// The ways, sound first.
const (
	ReleaseCompare Release = "compare"      // compare-and-delete; "not yours" is reported as lost
	ReleasePlain   Release = "plain"        // DEL, also of another owner's key
	ReleaseIgnored Release = "ignored"      // compare-and-delete; "not yours" is reported as success, as is any answer of a quorum
	ReleaseNever   Release = "never"        // a call that always fails, and whose error is swallowed
	ReleaseSkipped Release = "skip-on-fail" // none when the work has failed
	ReleaseMasks   Release = "masks"        // an error of the release replaces the result of the work
	// ReleaseCallersContext sends nothing if the caller's context has ended, as a deferred call that takes that context.
	ReleaseCallersContext Release = "callers-context"
)

// Unknown is what an acquire means whose outcome nobody knows.
type Unknown string

// The ways, sound first.
const (
	UnknownCleanUp Unknown = "clean-up" // compare-and-delete, and reported as unknown
	UnknownRefused Unknown = "refused"  // taken for a refusal; the value is forgotten
	UnknownResend  Unknown = "resend"   // sent again, up to 3 times, and a refusal of that is believed
)

// Refused is what happens to the work when the lock is not obtained.
type Refused string

// The ways, sound first.
const (
	RefusedStop Refused = "stop"
	RefusedRun  Refused = "run" // the work runs all the same
)

// Validity is how a quorum is held against the time that it took to get: it
// must have come before the lease of its first grant could be over.
type Validity string

// The ways, sound first.
const (
	ValidityMonotonic Validity = "monotonic" // by the holder's monotonic clock, from before the first request of the attempt
	ValidityWall      Validity = "wall"      // by its wall clock, which may jump
	ValidityNone      Validity = "none"      // a quorum is enough, whenever it came
)

// Vote is which answers of several servers make a quorum.
type Vote string

// The ways, sound first.
const (
	VoteGranted  Vote = "granted"
	VoteAnswered Vote = "answered" // a refusal counts too, since it is no error
)

// Waiting is what a waiter waits for before it asks one server again. Several are
// polled.
type Waiting string

// The ways, sound first.
const (
	WaitingPoll          Waiting = "poll"           // the pause that retry says
	WaitingMessage       Waiting = "message"        // a message that the key was given back, for fallback at most
	WaitingMessageShared Waiting = "message-shared" // message, over a connection that all waiters of a process share: who leaves ends it for all
)

// Reaper is who deletes locks that look abandoned, of one server.
type Reaper string

// The ways, sound first.
const (
	ReaperNone Reaper = "none"
	ReaperLive Reaper = "live-list" // every worker, if the owner is not in a list that it was entered in once, for 5 s
)

// Part is one part of a strategy with the ways that it can be made of.
type Part struct {
	Name string // as in a scenario file
	Ways []string
	get  func(*Params) string
}

// Parts lists the parts that a lock is put together from.
func Parts() []Part {
	return []Part{
		part("owner", func(p *Params) Owner { return p.Owner }, OwnerRandom, OwnerCall, OwnerInstance, OwnerWeak, OwnerConstant),
		part("take", func(p *Params) Take { return p.Take }, TakeAtomic, TakeGetSet, TakeNoExpiry, TakeSetNXExpire),
		part("fence", func(p *Params) Fence { return p.Fence }, FenceNone, FenceInScript, FenceIncrFirst, FenceSplit, FencePublished),
		part("check", func(p *Params) Check { return p.Check }, CheckNone, CheckClock),
		part("renewal", func(p *Params) Renewal { return p.Renewal }, RenewalNone, RenewalWatchdog, RenewalDeaf,
			RenewalLateFlag, RenewalOverlap, RenewalRecreate, RenewalSameThread, RenewalCrash, RenewalRacy, RenewalLate, RenewalZombie),
		part("release", func(p *Params) Release { return p.Release }, ReleaseCompare, ReleasePlain, ReleaseIgnored,
			ReleaseNever, ReleaseSkipped, ReleaseMasks, ReleaseCallersContext),
		part("unknown", func(p *Params) Unknown { return p.Unknown }, UnknownCleanUp, UnknownRefused, UnknownResend),
		part("refused", func(p *Params) Refused { return p.Refused }, RefusedStop, RefusedRun),
		part("validity", func(p *Params) Validity { return p.Validity }, ValidityMonotonic, ValidityWall, ValidityNone),
		part("vote", func(p *Params) Vote { return p.Vote }, VoteGranted, VoteAnswered),
		part("waiting", func(p *Params) Waiting { return p.Waiting }, WaitingPoll, WaitingMessage, WaitingMessageShared),
		part("reaper", func(p *Params) Reaper { return p.Reaper }, ReaperNone, ReaperLive),
	}
}

func part[T ~string](name string, get func(*Params) T, ways ...T) Part {
	texts := make([]string, len(ways))
	for i, w := range ways {
		texts[i] = string(w)
	}
	return Part{name, texts, func(p *Params) string { return string(get(p)) }}
}

// Of returns how the part is made in p.
func (part Part) Of(p *Params) string { return part.get(p) }
