package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// Error reports a run that could not be executed: a panic in a lock, no progress, or a fault that
// cannot be applied. It is not a verdict.
type Error struct {
	Scenario string
	Path     string // of the scenario, as a command takes it, with what was set
	Label    string
	Seed     uint64
	Places   []string // of the faults that a search has placed, as a plan writes them; nil for a run of a campaign
	Err      error
}

// newError returns an *Error, or err itself if it is a *StorageError: to repeat the run would not help.
func newError(s *scenarios.Scenario, use scenarios.Strategy, seed uint64, err error) error {
	if _, ok := errors.AsType[*StorageError](err); ok {
		return err
	}
	return &Error{Scenario: s.Name, Path: s.Argument(), Label: use.Label, Seed: seed, Err: err}
}

func (e *Error) Error() string {
	of := append([]string{fmt.Sprintf("%s, %s, seed %d", e.Scenario, e.Label, e.Seed)}, e.Places...)
	return fmt.Sprintf("%s: %v", strings.Join(of, ", "), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Stack returns the stack of the task that panicked, or of the call that the simulation does not
// allow; "" for other errors.
func (e *Error) Stack() string {
	if p, ok := errors.AsType[*sim.PanicError](e.Err); ok {
		return p.Stack
	}
	if m, ok := errors.AsType[*sim.MisuseError](e.Err); ok {
		return m.Stack
	}
	return ""
}

// Runner executes runs one after another, and reuses between them what is costly to make. Only one
// goroutine may use it.
type Runner struct {
	Scenario  *scenarios.Scenario
	Own       map[string]lock.Entry      // strategies that the caller brought along
	entries   map[string]lock.Entry      // of the catalogue, by name; made when it is needed
	families  map[string]*backend.Family // of servers, by name; made when they are needed
	Caches    map[string]any             // of the families of servers, by name; shared with other runners
	recorder  history.Recorder
	sectioner history.Sectioner
	beat      *atomic.Uint64
	judging   atomic.Bool // the events are over and are judged, which takes long for a large run but ends
	trace     io.Writer
	Visit     func(at time.Duration, worker, point string) // is called for every point that a worker reaches; may be nil
	// Counts means that the caller needs only the figures of a large run and the evidence of a violation, so the history
	// may have no events. The events are then stored and judged lock by lock, if the run allows it: see bylock.go.
	Counts   bool
	inMemory int64 // bytes of the log of events in memory; 0 for logInMemory
}

// run holds the state of one run. It implements faults.Target for the plan of the run.
type run struct {
	*Runner
	use          scenarios.Strategy
	entry        lock.Entry
	seed         uint64
	world        *sim.World
	plan         faults.Plan
	items        []string           // the resources, by number
	names        []string           // the workers, by number
	workers      map[string]*worker // by name
	atWork       int                // number of workers that have not ended
	settings     workload.Settings  // of the use
	info         workload.Info
	hold, think  *draw.Sampler      // of the workers that have no own
	event        history.Event      // the one that a worker records now
	log          *history.Log       // has the events if they are stored by lock, else nil
	overflow     overflow           // of the log
	parts        []*part            // of violations, if the run is judged by lock
	near         map[string][]reach // the steps of the plan that can hit a section, see stepsByWorker
	injections   []results.Injection
	promoted     bool // the replica became the primary
	family       *backend.Family
	servers      scenarios.Servers
	cluster      backend.Cluster
	data         data
	processes    map[string]*sim.Process            // by node; only if workers share them
	clients      map[*sim.Process]*processClients   // only if workers share them
	overruns     map[string]time.Duration           // extra time that the work of a worker's new sections takes at present
	cancels      map[string]context.CancelCauseFunc // ends the section that a worker is in; only of runs with such a fault
	acquisitions int64
	requests     int64
	promised     []promise
	calm         calm
	records      map[string]string // the lock of each record on the servers, of the locks that were asked for
	unread       string            // why the holders of a lock cannot be read; "" if they can
	healed       time.Duration     // when the last fault is over that has begun
	lives        map[string]uint64 // how many processes of a name have ended
	err          error             // a fault that could not be applied, or a lock that cannot be judged
}

// Once executes one run and judges it. The runner owns the events of the history and overwrites
// them in the next run. The error is an [*Error], also for a panic.
func (r *Runner) Once(use scenarios.Strategy, seed uint64) (trial *results.Trial, err error) {
	defer func() {
		if v := recover(); v != nil {
			trial, err = nil, newError(r.Scenario, use, seed, &sim.PanicError{Value: v, Stack: string(debug.Stack())})
		}
	}()
	entry, err := r.Entry(use.Name)
	if err != nil {
		return nil, err
	}
	r.recorder.Reset()
	family, err := r.familyOf(entry)
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	settings := r.Scenario.WorkloadOf(use)
	hold, think := settings.Hold.Sampler(), settings.Think.Sampler()
	one := &run{
		Runner: r, use: use, entry: entry, family: family, seed: seed, workers: make(map[string]*worker, r.Scenario.Workers),
		settings: settings, info: r.Scenario.WorkloadInfo(), hold: &hold, think: &think,
		processes: map[string]*sim.Process{}, clients: map[*sim.Process]*processClients{}, overruns: map[string]time.Duration{},
		records: map[string]string{}, lives: map[string]uint64{},
	}
	defer func() {
		if closed := one.close(); closed != nil {
			trial, err = nil, errors.Join(err, closed)
		}
	}()
	if err = one.build(); err == nil {
		err = one.world.Run()
	}
	if err = errors.Join(err, one.err); err == nil {
		err = one.kept()
	}
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	r.judging.Store(true)
	defer r.judged()
	trial, err = one.judge()
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	return trial, nil
}

// judged ends the time in which the runner may stay at one event, and begins another: what a caller does with a large run takes
// a while too.
func (r *Runner) judged() {
	if r.beat != nil {
		r.beat.Add(1)
	}
	r.judging.Store(false)
}

// close frees what the run has started, whether it failed or not: the servers, then the world.
func (r *run) close() error {
	for _, c := range []backend.Cluster{r.cluster, r.data.apart} {
		if c != nil {
			c.Close()
		}
	}
	if r.world != nil {
		r.world.Close()
	}
	return r.overflow.close()
}

// Entry returns a strategy by its name: one of the caller's own or of the catalogue.
func (r *Runner) Entry(name string) (lock.Entry, error) {
	if e, ok := r.Own[name]; ok {
		return e, nil
	}
	if r.entries == nil {
		r.entries = map[string]lock.Entry{}
		for _, e := range scenarios.Strategies() {
			r.entries[e.Name] = e
		}
	}
	if e, ok := r.entries[name]; ok {
		return e, nil
	}
	return lock.Entry{}, fmt.Errorf("no strategy is called %q", name)
}

// familyOf returns the family of the servers of a strategy. The runner keeps it: a family lists all
// its strategies, which takes as long as a fiftieth of a short run.
func (r *Runner) familyOf(e lock.Entry) (*backend.Family, error) {
	if family := r.families[e.Family]; family != nil {
		return family, nil
	}
	family, err := scenarios.FamilyOf(e)
	if err != nil {
		return nil, err
	}
	if r.families == nil {
		r.families = map[string]*backend.Family{}
	}
	r.families[e.Family] = family
	return family, nil
}

// build creates the world with its servers, its workers and the plan of faults.
func (r *run) build() error {
	s := r.Scenario
	r.world = sim.New(sim.Config{
		Seed: r.seed, Step: s.Step, Cores: s.WakingCores(), WakeLag: s.WakeLag, ArrivalFirst: s.Wake == results.Arrival,
		Latency: s.Network.Latency, Trace: r.trace, Visit: r.visited, Beat: r.beat,
	})
	longestTTL := s.LongestTTL(r.entry.Defaults, r.use)
	r.calm = calm{ttl: longestTTL, maxHold: s.ParamsOf(r.entry.Defaults, r.use, "").MaxHold, workers: s.Workers, messages: messagesOf(s.Network)}
	r.calm.include(0)
	r.progressed(s.Duration)
	r.items, r.names = s.ResourceNames(), s.WorkerNames()
	if err := r.startServers(longestTTL); err != nil {
		return err
	}
	if err := r.startData(); err != nil {
		return err
	}
	r.plan = faults.GenerateCase(s.Faults, r.use.Case, r.seed, r.names, s.Duration)
	if slices.ContainsFunc(r.plan.Steps, func(s faults.Step) bool { return s.Fault.Info().Effect == faults.Cancels }) {
		r.cancels = map[string]context.CancelCauseFunc{}
	}
	r.injections = make([]results.Injection, len(r.plan.Steps))
	if r.splits() {
		r.log = &history.Log{}
		r.log.Spill(&r.overflow, cmp.Or(r.inMemory, logInMemory))
	}
	for i, name := range r.names {
		r.addWorker(name, i)
	}
	if err := r.setLinks(); err != nil {
		return err
	}
	return faults.Drive(r.plan, r, r.fail)
}

// fail stops the run and makes it an error.
func (r *run) fail(err error) {
	r.err = errors.Join(r.err, err)
	r.world.Stop()
}

// visited calls Visit for a point that one of the scenario's workers reaches. It ignores the
// workers of clients, which run the background tasks of a client.
func (r *run) visited(at time.Duration, worker, point string) {
	if r.Visit != nil && r.workers[worker] != nil {
		r.Visit(at, worker, point)
	}
}

// initial returns the values of the items at the start.
func (r *run) initial() map[string]string {
	items := map[string]string{}
	if r.info.Initial != "" {
		for _, name := range r.items {
			items[name] = r.info.Initial
		}
	}
	return items
}

// record adds an event to the history and a note to the trace.
func (r *run) record(e *history.Event) {
	r.keep(e)
	actor := e.Worker
	if actor == "" {
		actor = e.Node
	}
	r.world.Note(actor, string(e.Type), nil)
	switch e.Type {
	case history.ReleaseCalled, history.Released, history.Crashed, history.FaultEnd:
		r.progressed(0)
	default:
	}
}

// recordSilently adds an event to the history only. The trace already has it in another form.
func (r *run) recordSilently(e history.Event) { r.keep(&e) }

// keep adds an event to the history. It may change the event.
func (r *run) keep(e *history.Event) {
	e.At = r.world.Time()
	r.promoted = r.promoted || e.Type == history.Promoted
	if r.log != nil {
		r.log.Record(r.lock(e), e)
		if err := r.log.Err(); err != nil && r.err == nil {
			r.fail(&StorageError{err})
		}
		return
	}
	r.keepWhole(e)
}

// keepWhole adds an event to a history in memory.
func (r *run) keepWhole(e *history.Event) { r.recorder.Record(*e) }
