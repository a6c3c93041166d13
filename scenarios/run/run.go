package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"lockquake/checker"
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
	Err      error
}

func newError(s *scenarios.Scenario, use scenarios.Strategy, seed uint64, err error) *Error {
	return &Error{s.Name, s.Argument(), use.Label, seed, err}
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s, %s, seed %d: %v", e.Scenario, e.Label, e.Seed, e.Err)
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
	Scenario *scenarios.Scenario
	Own      map[string]lock.Entry      // strategies that the caller brought along
	entries  map[string]lock.Entry      // of the catalogue, by name; made when it is needed
	families map[string]*backend.Family // of servers, by name; made when they are needed
	Caches   map[string]any             // of the families of servers, by name; shared with other runners
	recorder history.Recorder
	beat     *atomic.Uint64
	trace    io.Writer
	Visit    func(at time.Duration, worker, point string) // is called for every point that a worker reaches; may be nil
	// Counts says that only what is counted of a run is wanted: its history may have no events. They
	// are then stored by lock and judged lock by lock, if the run allows it: see bylock.go.
	Counts bool
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
	numbers      map[string]int     // of the workers, from 1
	log          *history.Log       // has the events if they are stored by lock, else nil
	near         map[string][]reach // the steps of the plan that can hit a section, see stepsByWorker
	lockOf       map[string]string  // by worker: the lock of its last section; only with a log
	bites        []results.Bite
	workers      map[string]*sim.Worker
	family       *backend.Family
	servers      scenarios.Servers
	cluster      backend.Cluster
	data         data
	sections     map[string]int          // begun by each worker, over all its lives
	calls        map[string]int          // of a strategy, by each worker; several in a section that needs several locks
	processes    map[string]*sim.Process // by node
	clients      map[*sim.Process]*processClients
	overruns     map[string]time.Duration           // extra time that the work of a worker's new sections takes at present
	cancels      map[string]context.CancelCauseFunc // ends the section that a worker is in; only of runs with such a fault
	acquisitions int64
	requests     int64
	promised     []promise
	calm         calm
	records      map[string]string // the lock of each record on the servers, for strategies that name their records
	unread       string            // why the holders of a lock cannot be read; "" if they can
	atWork       map[string]bool   // the workers that have not ended
	healed       time.Duration     // when the last fault is over that has begun
	lives        map[string]uint64 // how many processes of a name have ended
	err          error             // a fault that could not be applied, or a lock that cannot be judged
}

// Once executes one run and judges it. The runner owns the events of the history and overwrites
// them in the next run.
func (r *Runner) Once(use scenarios.Strategy, seed uint64) (*results.Trial, error) {
	entry, err := r.Entry(use.Name)
	if err != nil {
		return nil, err
	}
	r.recorder.Reset()
	family, err := r.familyOf(entry)
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	one := &run{
		Runner: r, use: use, entry: entry, family: family, seed: seed, workers: map[string]*sim.Worker{}, sections: map[string]int{}, calls: map[string]int{},
		processes: map[string]*sim.Process{}, clients: map[*sim.Process]*processClients{}, overruns: map[string]time.Duration{},
		records: map[string]string{}, lives: map[string]uint64{}, atWork: map[string]bool{},
	}
	defer one.close()
	if err = one.build(); err == nil {
		err = one.world.Run()
	}
	if err = errors.Join(err, one.err); err == nil {
		err = one.kept()
	}
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	trial, err := one.judge()
	if err != nil {
		return nil, newError(r.Scenario, use, seed, err)
	}
	return trial, nil
}

// close frees what the run has started, whether it failed or not: the servers, then the world.
func (r *run) close() {
	for _, c := range []backend.Cluster{r.cluster, r.data.apart} {
		if c != nil {
			c.Close()
		}
	}
	if r.world != nil {
		r.world.Close()
	}
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
	r.calm = calm{ttl: longestTTL, maxHold: s.ParamsOf(r.entry.Defaults, r.use, "").MaxHold, workers: s.Workers}
	r.calm.include(0)
	r.progressed(s.Duration)
	r.items, r.names, r.numbers = s.ResourceNames(), s.WorkerNames(), make(map[string]int, s.Workers)
	keys := make(map[string]bool, len(r.items))
	for _, name := range r.items {
		keys[name] = true
	}
	if err := r.startServers(longestTTL, keys); err != nil {
		return err
	}
	if err := r.startData(); err != nil {
		return err
	}
	r.plan = faults.GenerateCase(s.Faults, r.use.Case, r.seed, r.names, s.Duration)
	if slices.ContainsFunc(r.plan.Steps, func(s faults.Step) bool { return s.Fault.Info().Effect == faults.Cancels }) {
		r.cancels = map[string]context.CancelCauseFunc{}
	}
	r.bites = make([]results.Bite, len(r.plan.Steps))
	if r.splits() {
		r.log, r.lockOf = &history.Log{}, map[string]string{}
	}
	for i, name := range r.names {
		r.numbers[name] = i + 1
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

func (r *run) initial() map[string]string {
	info := r.Scenario.WorkloadInfo()
	items := map[string]string{}
	for _, name := range r.items {
		if info.Initial != "" {
			items[name] = info.Initial
		}
	}
	return items
}

// addWorker starts a worker on a node and in a process of its own, or in the process that it shares
// with others.
func (r *run) addWorker(name string, number int) {
	s := r.Scenario
	host := name
	if s.Processes > 0 {
		host = fmt.Sprintf("process-%d", number%s.Processes+1)
	}
	process := r.processes[host]
	if process == nil {
		process = r.world.AddNode(host, sim.NodeConfig{WallOffset: s.EachOf(name).WallOffset}).Process(host)
		process.OnExit(r.exited)
		r.processes[host] = process
	}
	worker := process.Worker(name)
	r.workers[name] = worker
	// The run goes on after the last section until nothing is in flight: a late packet must still
	// arrive.
	r.begin(worker)
}

// begin starts the program of a worker.
func (r *run) begin(worker *sim.Worker) {
	r.atWork[worker.Name()] = true
	worker.Go("main", func() {
		r.work(worker)
		r.ended(worker.Name())
	})
}

// strategy creates the lock of a worker.
func (r *run) strategy(worker *sim.Worker) lock.Strategy {
	s, name, process := r.Scenario, worker.Name(), worker.Process()
	clients := r.clients[process]
	if clients == nil {
		clients = &processClients{r.cluster.Connect(process, s.FamilySettings(r.use, name)), lock.NewProcess()}
		r.clients[process] = clients
	}
	source := r.world.Source()
	instance := source.Stream("instance", process.Name()).At(r.lives[process.Name()])
	deps := lock.Deps{
		Env: worker, Params: s.ParamsOf(r.entry.Defaults, r.use, name), Instance: fmt.Sprintf("%016x", instance.Uint64()), Process: clients.state,
		Port: clients.port,
	}
	return r.entry.New(deps)
}

// work runs the sections of one worker, one after another, until the duration of the scenario is
// over or the worker has done all of its sections.
func (r *run) work(worker *sim.Worker) {
	s := r.Scenario
	ctx := context.Background()
	process := worker.Process()
	name := worker.Name()
	settings := s.WorkloadOf(r.use)
	rec := &recorder{
		run: r, worker: worker, access: r.access(process, name), service: serviceOf(process),
		strategy: r.strategy(worker), heeds: s.HeedsOf(settings, name), commits: settings.Commit,
	}
	source := r.world.Source()
	hold, think := source.Stream("hold", name), source.Stream("think", name)
	choice, item := source.Stream("choice", name), source.Stream("resource", name)

	memory := map[string]int64{}
	if r.sections[name] == 0 && worker.Sleep(ctx, s.EachOf(name).Start) != nil {
		return
	}
	for n := r.sections[name] + 1; s.Sections == 0 || n <= s.Sections; n++ {
		if r.world.Time() >= s.Duration {
			return
		}
		r.sections[name] = n
		at := uint64(n)
		pick, pause := item.At(at), think.At(at)
		job := workload.Work{
			Recorder: rec, Env: worker, Settings: &settings,
			Worker: name, Number: r.numbers[name], Section: n, Items: r.items, Item: r.items[pick.Int64N(int64(len(r.items)))], Draw: choice.At(at), Memory: memory,
		}
		if settings.Attempts > 1 {
			job.Unit = fmt.Sprintf("%s/job-%d", name, n)
		}
		for again := true; again; {
			job.Attempt++
			job.Hold = sample(s.HoldOf(settings, name), hold, at) + r.overruns[name]
			rec.takes = max(job.Hold, settings.HoldAtLeast)
			if s.WorkloadInfo().Has("interval") {
				rec.takes += settings.Interval
			}
			r.calm.include(rec.takes)
			one, began := job, r.world.Time()
			err := s.WorkloadInfo().Do(r.cancellable(ctx, worker), &one)
			wait := settings.Think.Sample(&pause)
			if wait == 0 && r.world.Time() == began {
				wait = idlePause
			}
			if worker.Sleep(ctx, wait) != nil {
				return
			}
			again = err != nil && job.Attempt < settings.Attempts && r.world.Time() < s.Duration
		}
	}
}

// A worker waits for idlePause after a section that took no time and has no think time. Otherwise a lock
// that refuses at once, without a request, would keep virtual time from advancing.
const idlePause = time.Millisecond

// cancellable returns a context for one section that a fault can cancel, if the
// plan has such a fault.
func (r *run) cancellable(ctx context.Context, worker *sim.Worker) context.Context {
	if r.cancels == nil {
		return ctx
	}
	ctx, r.cancels[worker.Name()] = worker.WithCancel(ctx)
	return ctx
}

func sample(d draw.Dist, stream draw.Stream, ordinal uint64) time.Duration {
	x := stream.At(ordinal)
	return d.Sample(&x)
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
	if r.log != nil {
		r.log.Record(r.lock(e), e)
		return
	}
	r.recorder.Record(*e)
}

// judge completes the history and runs the checks on it.
func (r *run) judge() (*results.Trial, error) {
	s := r.Scenario
	for _, name := range r.items {
		r.record(&history.Event{Type: history.Final, Key: name, Value: r.value(name)})
	}
	params := s.ParamsOf(r.entry.Defaults, r.use, "")
	if r.entry.LockFree {
		params.TTL = 0
	}
	if s, ok := r.cluster.(backend.Session); ok {
		params.TTL = s.Lease(params.TTL)
	}
	var quorum, count int
	if n := r.independent(); n > 1 {
		count, quorum = n, lock.Topology{Nodes: n}.Quorum()
	}
	var margin time.Duration
	if r.entry.Margin != nil {
		margin = r.entry.Margin(params)
	}
	work := s.WorkloadOf(r.use)
	h := &history.History{
		Meta: history.Meta{
			Schema: 1, Version: results.Version, Scenario: s.Name, Strategy: r.use.Name, Label: r.use.Label, Seed: r.seed,
			Workload: s.Workload.Kind, Fence: s.ResourceOf(r.use).Fence, Fenced: params.Fenced(),
			Tells: r.entry.Tells, Doubts: r.entry.Doubts, MaxHold: params.MaxHold, Margin: margin, LockFree: r.entry.LockFree, Keeps: r.entry.Keeps,
			Nodes: count, Quorum: quorum,
			Workers: r.names, Initial: r.initial(),
			TTL: params.TTL, Tries: params.Tries,
			Commit:   work.Commit.Recorded(),
			Unread:   r.unread,
			Answer:   r.answer(),
			Duration: s.Duration, End: r.world.Time(), Checksum: r.world.Checksum(),
		},
	}
	if s.WorkloadInfo().Has("limit") {
		h.Meta.Limit, h.Meta.Window = work.Limit, work.Window
	}
	if s.WorkloadInfo().Has("permits") {
		h.Meta.Permits = work.Permits
	}
	verdicts, metrics, err := r.verdicts(h)
	if err != nil {
		return nil, err
	}
	metrics.Commands = r.cluster.Requests()
	metrics.Requests = metrics.Commands
	for _, name := range []string{scenarios.ResourceNode, scenarios.OutsideNode} {
		if node := r.world.Node(name); node != nil {
			metrics.Requests += node.Requests()
		}
	}
	trial := &results.Trial{
		Scenario: s.Name, Label: r.use.Label, Strategy: r.use.Name, Seed: r.seed,
		Plan: r.plan, Bites: r.bites, History: h, Results: verdicts, Metrics: metrics,
		Checksum: h.Meta.Checksum, Events: r.world.Events(), Acquisitions: r.acquisitions,
		Replay: s.Token(r.use.Label, r.seed, h.Meta.Checksum), Program: s.Program,
	}
	trial.Telling = s.MostTelling(trial.Label, trial.Checks(checker.Invalid))
	return trial, nil
}

// independent returns the number of the lock's servers that are independent of each other.
func (r *run) independent() int {
	if r.cluster.Replicated() || r.servers.Members != 0 {
		return 1
	}
	return len(r.cluster.Names())
}

// verdicts runs the checks on the events of the run, adds them to its history unless they are stored
// by lock, and finds out which faults hit anything.
func (r *run) verdicts(h *history.History) ([]checker.Result, checker.Metrics, error) {
	if r.log != nil {
		return r.verdictsByLock(&h.Meta)
	}
	h.Events = r.recorder.Events()
	sections, err := h.Sections()
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	h.Meta.Stopped = r.stop(slices.ContainsFunc(sections, open))
	verdicts, metrics, err := checker.Judge(h, sections, r.Scenario.Checks)
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	r.bite(sections, h.Meta.End)
	r.biteGrants(h.Events)
	return verdicts, metrics, nil
}
