package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockquake/cmd/command"
	"lockquake/scenarios/results"
)

const (
	beat      = time.Second      // between two signs of life of a piece
	look      = 10 * time.Second // between two looks whether its campaign was removed
	usualWait = 10 * time.Second // the lease
	leastWait = 3 * time.Second
	attempts  = 5           // deliveries of a piece before it is given up
	again     = time.Second // before a piece that failed is tried again
)

// worker takes pieces and stores their results.
type worker struct {
	queue   *queue
	program command.Program
	name    string // host and process
	slots   int    // pieces at a time
	lease   time.Duration
	log     io.Writer

	mu      sync.Mutex
	running map[string]*progress // by slot
	refuses map[string]bool      // builds whose campaigns were refused, as was said
}

// progress is a piece that runs.
type progress struct {
	Job   string            `json:"job"`
	Seeds results.SeedRange `json:"seeds"`
	Done  int               `json:"done"` // runs
}

// status is the answer of a worker to a question for the workers.
type status struct {
	Name    string     `json:"name"`
	Build   string     `json:"build"`
	Slots   int        `json:"slots"`
	Running []progress `json:"running,omitempty"`
}

// question asks for the workers.
type question struct {
	Build string `json:"build"` // of the campaign that waits for them
	Job   string `json:"job"`
}

var errRemoved = errors.New("its campaign was removed")

func newWorker(q *queue, p command.Program, slots int, lease time.Duration, log io.Writer) *worker {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return &worker{
		queue: q, program: p, name: fmt.Sprintf("%s-%d", host, os.Getpid()), slots: slots, lease: lease, log: log,
		running: map[string]*progress{}, refuses: map[string]bool{},
	}
}

// work takes pieces until ctx ends. Pieces that run then are given back at once.
func (w *worker) work(ctx context.Context) error {
	answers, err := w.queue.conn.Subscribe(askWorkers, w.answer)
	if err != nil {
		return err
	}
	defer func() { _ = answers.Unsubscribe() }()
	w.say("worker %s takes %d at a time, as %s", w.name, w.slots, w.program.Build)
	var waiting []job
	err = patiently(ctx, func(ctx context.Context) (err error) {
		waiting, err = w.queue.list(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	for _, j := range waiting {
		w.refuse(j.Name, j.Build)
	}
	var slots sync.WaitGroup
	for i := range w.slots {
		slots.Go(func() { w.serve(ctx, fmt.Sprint(i+1)) })
	}
	slots.Wait()
	_ = w.queue.conn.FlushTimeout(2 * time.Second)
	return nil
}

func (w *worker) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.log, format+"\n", args...)
}

// answer answers a question about what the worker does, and refuses a campaign of another build.
func (w *worker) answer(m *nats.Msg) {
	var q question
	if json.Unmarshal(m.Data, &q) == nil && q.Build != "" {
		w.refuse(q.Job, q.Build)
	}
	w.mu.Lock()
	s := status{Name: w.name, Build: w.program.Build, Slots: w.slots}
	for _, p := range w.running {
		s.Running = append(s.Running, *p)
	}
	w.mu.Unlock()
	data, err := json.Marshal(s)
	if err == nil {
		_ = m.Respond(data) // after an error the caller asks again
	}
}

// refuse logs that the worker takes no campaigns of another build, once for each build.
func (w *worker) refuse(job, build string) {
	w.mu.Lock()
	said := build == w.program.Build || w.refuses[build]
	w.refuses[build] = true
	w.mu.Unlock()
	if !said {
		w.say("refused: %s is for workers of %s, and this worker is %s: start one of the same build", job, build, w.program.Build)
	}
}

// serve takes one piece after another.
func (w *worker) serve(ctx context.Context, slot string) {
	for ctx.Err() == nil {
		var from jetstream.Consumer
		err := patiently(ctx, func(ctx context.Context) (err error) {
			from, err = w.consumer(ctx)
			return err
		})
		for err == nil {
			var m jetstream.Msg
			if m, err = next(ctx, from); err == nil && m != nil {
				w.handle(ctx, slot, m)
			}
		}
		pause(ctx, time.Second) // the server was lost, or the consumer removed
	}
}

// next returns the next piece; nil if there is none for some seconds.
func next(ctx context.Context, from jetstream.Consumer) (jetstream.Msg, error) {
	wait, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	m, err := from.Next(jetstream.FetchContext(wait))
	if err != nil && ctx.Err() == nil && (errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, context.DeadlineExceeded)) {
		return nil, nil //nolint:nilnil // no piece is no error
	}
	return m, err
}

// consumer returns the consumer of all workers of this build.
func (w *worker) consumer(ctx context.Context) (jetstream.Consumer, error) {
	build := buildToken(w.program.Build)
	return w.queue.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "work-" + build, FilterSubject: strings.Join([]string{pieceSubject, build, ">"}, "."),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.lease, MaxAckPending: -1,
		InactiveThreshold: 24 * time.Hour, Description: "workers of " + w.program.Build,
	})
}

// handle does one piece.
func (w *worker) handle(stopped context.Context, slot string, m jetstream.Msg) {
	var p piece
	meta, err := m.Metadata()
	if err == nil {
		err = json.Unmarshal(m.Data(), &p)
	}
	if err != nil {
		w.say("%s is not a piece of a campaign: %v", m.Subject(), err)
		_ = m.Term()
		return
	}
	ctx, cancel := context.WithCancelCause(stopped)
	var beats sync.WaitGroup
	beats.Go(func() { w.live(ctx, m, p, cancel) })
	err = w.do(ctx, slot, m, p, int(meta.NumDelivered))
	cancel(nil)
	beats.Wait()
	failed, isFailure := errors.AsType[*pieceError](err)
	switch {
	case stopped.Err() != nil:
		_ = m.Nak() // another worker takes it at once
	case err == nil:
		// If the server is lost just now it delivers the piece again, and the result is found.
		attempt, end := context.WithTimeout(stopped, 10*time.Second)
		_ = m.DoubleAck(attempt)
		end()
	case isFailure && int(meta.NumDelivered) < attempts:
		w.say("%s %s failed for the %s time: %s", p.Job, nameOfPiece(p.Seeds), ordinal(meta.NumDelivered), oneLine(failed.text))
		_ = m.NakWithDelay(again)
	case isFailure:
		w.giveUp(stopped, p, int(meta.NumDelivered), failed.text)
		_ = m.Term()
	case errors.Is(err, errRemoved), gone(err):
		w.say("%s %s: dropped: %v", p.Job, nameOfPiece(p.Seeds), errRemoved)
		_ = m.Term()
	default:
		w.say("%s %s: %v", p.Job, nameOfPiece(p.Seeds), err)
		_ = m.NakWithDelay(again)
	}
}

// live tells the server every second that the piece is worked on, and cancels the piece if its campaign was removed.
func (w *worker) live(ctx context.Context, m jetstream.Msg, p piece, cancel context.CancelCauseFunc) {
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for looked := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		_ = m.InProgress() // without a connection the lease ends, and another worker may take the piece too
		if time.Since(looked) < look {
			continue
		}
		looked = time.Now()
		attempt, end := context.WithTimeout(ctx, beat)
		if j, found, err := w.job(attempt, p); err == nil && (!found || j.ID != p.ID) {
			cancel(errRemoved)
		}
		end()
	}
}

// job reads the campaign of a piece.
func (w *worker) job(ctx context.Context, p piece) (j job, found bool, err error) {
	found, err = w.queue.value(ctx, p.Job, &j)
	return j, found, err
}

// do runs a piece and stores its result, unless it is there.
func (w *worker) do(ctx context.Context, slot string, m jetstream.Msg, p piece, delivery int) error {
	var j job
	var store jetstream.ObjectStore
	var by plan
	var there, planned, failed bool
	err := patiently(ctx, func(ctx context.Context) (err error) {
		var found bool
		if j, found, err = w.job(ctx, p); err == nil && (!found || j.ID != p.ID) {
			return jetstream.ErrKeyNotFound
		}
		if err == nil {
			failed, err = w.queue.value(ctx, failedKey(p.Job), &failure{})
		}
		if err == nil {
			planned, err = w.queue.value(ctx, planKey(p.Job), &by)
		}
		if err == nil {
			store, err = w.queue.results(ctx, p.Job)
		}
		if err == nil {
			_, err = store.GetInfo(ctx, nameOfPiece(p.Seeds))
			if there = err == nil; errors.Is(err, jetstream.ErrObjectNotFound) {
				err = nil
			}
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case failed && !p.Cut:
		return nil // it is submitted again with the campaign
	}
	// The first piece runs until there is a plan, since the plan follows from its time.
	missing := !there
	if p.Cut {
		missing = !planned
	}
	if missing {
		if delivery > attempts {
			return &pieceError{fmt.Sprintf("%d workers took it, and none stored its result", attempts)}
		}
		took, err := w.run(ctx, slot, store, p)
		if err != nil {
			return err
		}
		w.say("%s %s took %v", p.Job, nameOfPiece(p.Seeds), took.Round(time.Millisecond))
		by = cut(j.Seeds, p.Seeds.Count(), took)
	}
	if !p.Cut {
		return nil
	}
	_ = m.InProgress()
	return patiently(ctx, func(ctx context.Context) error {
		if err := w.queue.create(ctx, planKey(p.Job), by); err != nil {
			return err
		}
		// Another worker may have stored a plan before.
		if _, err := w.queue.value(ctx, planKey(p.Job), &by); err != nil {
			return err
		}
		return w.queue.cutAll(ctx, j, by, p.Nonce)
	})
}

// run runs a piece in a process and stores its result.
func (w *worker) run(ctx context.Context, slot string, store jetstream.ObjectStore, p piece) (time.Duration, error) {
	o := order{Seeds: p.Seeds}
	err := patiently(ctx, func(ctx context.Context) (err error) {
		var files []byte
		if o.Description, err = store.GetBytes(ctx, description); err == nil {
			files, err = store.GetBytes(ctx, dataFiles)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(files, &o.Files)
	})
	if err != nil {
		return 0, err
	}
	at := &progress{Job: p.Job, Seeds: p.Seeds}
	w.set(slot, at)
	defer w.set(slot, nil)
	done := func(runs int) {
		w.mu.Lock()
		at.Done = max(at.Done, runs)
		w.mu.Unlock()
	}
	return o.child(ctx, done, func(result []byte) error {
		return patiently(ctx, func(ctx context.Context) error {
			_, err := store.PutBytes(ctx, nameOfPiece(p.Seeds), result)
			return err
		})
	})
}

// set notes what runs in a slot.
func (w *worker) set(slot string, p *progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[slot] = p; p == nil {
		delete(w.running, slot)
	}
}

// giveUp ends a campaign with a piece that always fails.
func (w *worker) giveUp(ctx context.Context, p piece, times int, text string) {
	w.say("%s %s: given up: it failed %d times: %s", p.Job, nameOfPiece(p.Seeds), times, text)
	_ = patiently(ctx, func(ctx context.Context) error {
		return w.queue.create(ctx, failedKey(p.Job), failure{nameOfPiece(p.Seeds), w.name, times, strings.TrimSpace(text)})
	})
}

func ordinal(n uint64) string {
	words := []string{"", "first", "second", "third", "fourth", "fifth"}
	return words[min(n, uint64(len(words)-1))]
}
