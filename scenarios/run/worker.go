package run

import (
	"context"
	"fmt"
	"time"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/scenarios/workload"
	"lockquake/sim"
)

// worker is one of the scenario's workers, over all its lives.
type worker struct {
	*sim.Worker        // its present life
	number      int    // from 1
	sections    int    // begun
	calls       int    // of its strategy; several in a section that needs several locks
	lock        string // of its last call
	atWork      bool   // its program has not ended
}

// addWorker starts a worker on a node and in a process of its own, or in the process that it shares
// with others.
func (r *run) addWorker(name string, number int) {
	shared := r.Scenario.Processes > 0
	host := name
	if shared {
		host = fmt.Sprintf("process-%d", number%r.Scenario.Processes+1)
	}
	process := r.processes[host]
	if process == nil {
		process = r.world.AddNode(host, sim.NodeConfig{WallOffset: r.Scenario.EachOf(name).WallOffset}).Process(host)
		process.OnExit(r.exited)
		if shared {
			r.processes[host] = process
		}
	}
	k := &worker{Worker: process.Worker(name), number: number + 1}
	r.workers[name] = k
	// The run goes on after the last section until nothing is in flight: a late packet must still
	// arrive.
	r.begin(k)
}

// begin starts the program of a worker.
func (r *run) begin(k *worker) {
	if !k.atWork {
		k.atWork = true
		r.atWork++
	}
	life := k.Worker
	life.Start("main", func() func() {
		p := r.newProgram(k, life)
		return func() {
			p.work()
			r.ended(k)
		}
	})
}

// strategy creates the lock of a life of a worker.
func (r *run) strategy(life *sim.Worker) lock.Strategy {
	s, name, process := r.Scenario, life.Name(), life.Process()
	clients := r.clients[process]
	if clients == nil {
		clients = &processClients{r.cluster.Connect(process, s.FamilySettings(r.use, name)), lock.NewProcess()}
		if s.Processes > 0 {
			r.clients[process] = clients
		}
	}
	source := r.world.Source()
	instance := source.Stream("instance", process.Name()).At(r.lives[process.Name()])
	deps := lock.Deps{
		Env: life, Params: s.ParamsOf(r.entry.Defaults, r.use, name), Instance: fmt.Sprintf("%016x", instance.Uint64()), Process: clients.state,
		Port: clients.port,
	}
	return r.entry.New(deps)
}

// program runs the sections of one life of a worker. A large run has many programs, which wait most of the
// time, so the values that they need then are here, and not on their stacks.
type program struct {
	recorder
	hold          *draw.Sampler
	holds, thinks draw.Stream
	choice, item  draw.Stream
	memory        map[string]int64
	start         time.Duration
	longer        time.Duration // what an interval adds to the work of a section
}

// newProgram makes the program of a life of a worker, with its lock.
func (r *run) newProgram(k *worker, life *sim.Worker) *program {
	name, source := life.Name(), r.world.Source()
	p := &program{
		recorder: recorder{
			run: r, of: k, worker: life, access: r.access(life.Process(), name), service: serviceOf(life.Process()),
			strategy: r.strategy(life), heeds: r.Scenario.HeedsOf(r.settings, name), commits: r.settings.Commit,
		},
		hold: r.hold, holds: source.Stream("hold", name), thinks: source.Stream("think", name),
		choice: source.Stream("choice", name), item: source.Stream("resource", name),
		memory: map[string]int64{}, start: r.Scenario.EachOf(name).Start,
	}
	if own := r.Scenario.EachOf(name).Hold; own != nil {
		sampler := own.Sampler()
		p.hold = &sampler
	}
	if r.info.Has("interval") {
		p.longer = r.settings.Interval
	}
	return p
}

// work runs the sections of the worker, one after another, until the duration of the scenario is
// over or the worker has done all of its sections.
func (p *program) work() {
	r, s := p.run, p.run.Scenario
	if p.of.sections == 0 && p.worker.Sleep(context.Background(), p.start) != nil {
		return
	}
	for n := p.of.sections + 1; s.Sections == 0 || n <= s.Sections; n++ {
		if r.world.Time() >= s.Duration {
			return
		}
		p.of.sections = n
		if p.unit(n) != nil {
			return
		}
	}
}

// unit runs the nth section, and runs it again if it fails and may be repeated. Its error ends the
// program.
func (p *program) unit(n int) error {
	r, s := p.run, p.run.Scenario
	think := p.thinks.At(uint64(n))
	for attempt, again := 1, true; again; attempt++ {
		job, began := p.job(n, attempt), r.world.Time()
		err := r.info.Do(r.cancellable(context.Background(), p.worker), job)
		wait := r.think.Sample(&think)
		if wait == 0 && r.world.Time()-began <= fewSteps*s.Step {
			wait = idlePause
		}
		if err := p.worker.Sleep(context.Background(), wait); err != nil {
			return err
		}
		again = err != nil && attempt < r.settings.Attempts && r.world.Time() < s.Duration
	}
	return nil
}

// job returns an attempt of the nth section.
func (p *program) job(n, attempt int) *workload.Work {
	r, name, at := p.run, p.worker.Name(), uint64(n)
	pick, hold := p.item.At(at), p.holds.At(at)
	job := &workload.Work{
		Recorder: &p.recorder, Env: p.worker, Settings: &r.settings,
		Worker: name, Number: p.of.number, Section: n, Attempt: attempt, Items: r.items, Item: r.items[pick.Int64N(int64(len(r.items)))],
		Hold: p.hold.Sample(&hold) + r.overruns[name], Memory: p.memory, Draw: p.choice.At(at),
	}
	if r.settings.Attempts > 1 {
		job.Unit = fmt.Sprintf("%s/job-%d", name, n)
	}
	p.takes = max(job.Hold, r.settings.HoldAtLeast) + p.longer
	r.calm.include(p.takes)
	return job
}

// A worker waits for idlePause after a section that took only fewSteps, too few for a request, and has no think time. Otherwise a
// lock that does nothing yet, or refuses at once, would have a hundred thousand sections in a second, or keep virtual time from
// advancing.
const (
	idlePause = time.Millisecond
	fewSteps  = 4
)

// cancellable returns a context for one section that a fault can cancel, if the
// plan has such a fault.
func (r *run) cancellable(ctx context.Context, worker *sim.Worker) context.Context {
	if r.cancels == nil {
		return ctx
	}
	ctx, r.cancels[worker.Name()] = worker.WithCancel(ctx)
	return ctx
}
