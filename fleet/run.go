package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"lockquake/cmd/command"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// client submits a campaign and waits for it.
type client struct {
	queue      *queue
	program    command.Program
	pieceSeeds int // 0: as many as take about a minute
}

// run has a campaign run by the workers, and imports their results into its journal. The function that it returns
// removes the campaign from the fleet.
func (c *client) run(ctx context.Context, w command.Work) (delivered func() error, err error) {
	text, whole, err := campaign.Describe(w.Scenario, w.Request)
	if err != nil {
		return nil, err
	}
	if n := c.pieceSeeds; n > 0 && whole.Seeds.Count() > n*most {
		return nil, command.Usagef("--piece-seeds %d makes more than %d pieces of %d seeds; at least %d does", n, most, whole.Seeds.Count(), (whole.Seeds.Count()+most-1)/most)
	}
	j := job{
		Name: nameOf(w.Scenario, whole, c.program.Build), ID: nuid.Next(), Scenario: w.Scenario.Name,
		Seeds: whole.Seeds, Strategies: len(whole.Strategies), Build: c.program.Build, Submitted: time.Now().UTC(),
	}
	if err := c.begin(ctx, &j, text, w); err != nil {
		if ctx.Err() != nil {
			err = command.Interruptedf("%s may be on the fleet; the same command with --resume submits it, or waits for it", j.Name)
		}
		return nil, err
	}
	a := &attached{client: c, job: j, work: w, watch: watch{
		runs: j.Seeds.Count() * j.Strategies, program: c.program, address: c.queue.conn.ConnectedUrlRedacted(),
	}}
	if err := a.wait(ctx); err != nil {
		if ctx.Err() != nil {
			goesOn := "the workers go on with " + j.Name
			if !a.watch.met {
				goesOn = j.Name + " waits on the fleet for a worker"
			}
			err = command.Interruptedf("%s; the same command with --resume waits for it again", goesOn)
		}
		return nil, err
	}
	return func() error {
		// The report is written: a server that is lost just now changes nothing about that.
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := patiently(ctx, func(ctx context.Context) error { return c.queue.remove(ctx, j) }); err != nil && !gone(err) {
			w.Note(fmt.Sprintf("the report is written, and the campaign %s is still on the fleet: %v", j.Name, err))
		}
		return nil
	}, nil
}

// begin submits the campaign, or finds it with resume.
func (c *client) begin(ctx context.Context, j *job, text []byte, w command.Work) error {
	var there job
	var failed, planned bool
	found := false
	err := patiently(ctx, func(ctx context.Context) (err error) {
		if found, err = c.queue.value(ctx, j.Name, &there); err == nil {
			failed, err = c.queue.value(ctx, failedKey(j.Name), &failure{})
		}
		if err == nil {
			planned, err = c.queue.value(ctx, planKey(j.Name), &plan{})
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found && !w.Resume:
		return command.Usagef("%s is on the fleet already: --resume waits for it, and remove %s makes place for a new one", j.Name, j.Name)
	case found:
		*j = there
	case w.Resume:
		w.Note("nothing to resume: the fleet has no campaign " + j.Name + "; submitting it")
	}
	return patiently(ctx, func(ctx context.Context) error {
		if !found {
			if err := c.queue.submit(ctx, *j, text, w.Scenario.Files()); err != nil {
				return err
			}
		}
		first := piece{Job: j.Name, ID: j.ID, Cut: true, Nonce: j.ID, Seeds: results.SeedRange{First: j.Seeds.First, Last: j.Seeds.First + uint64(firstSeeds(j.Seeds, j.Strategies)) - 1}}
		switch {
		case failed: // everything that has no result is published again
			first.Nonce = nuid.Next()
			if err := c.queue.jobs.Purge(ctx, failedKey(j.Name)); err != nil {
				return err
			}
		case planned:
			return nil
		case c.pieceSeeds > 0 && !found:
			n := min(c.pieceSeeds, j.Seeds.Count())
			if err := c.queue.create(ctx, planKey(j.Name), plan{First: n, Each: n}); err != nil {
				return err
			}
		}
		return c.queue.publish(ctx, *j, first)
	})
}

// attached waits for a campaign.
type attached struct {
	client *client
	job    job
	work   command.Work
	watch  watch

	store    jetstream.ObjectStore
	plan     plan
	total    int             // pieces; 0: they are not cut
	imported map[string]bool // names of pieces
	runs     int             // of them
	limit    time.Duration   // for an answer of the server
}

// wait imports the results of the pieces as they come, until it has all.
func (a *attached) wait(ctx context.Context) error {
	a.imported, a.limit = map[string]bool{}, firstWait
	ask, err := a.client.queue.askFor(a.client.program.Build, a.job.Name)
	if err != nil {
		return err
	}
	defer ask.stop()
	started := time.Now()
	for {
		began, wait := time.Now(), time.Second
		err := a.look(ctx)
		var lasting *lastingError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &lasting):
			return lasting.error
		case err != nil:
			a.limit = min(2*a.limit, longestWait)
			a.work.Status("no connection to the fleet, trying again: " + oneLine(err.Error()))
		case a.total > 0 && len(a.imported) == a.total:
			return nil
		default:
			a.limit = firstWait
			// A long or large campaign is looked at less often: a look takes time of the server and of this machine, which
			// may run pieces too.
			age := min(time.Since(started)/50, 2*time.Second)
			wait = min(max(200*time.Millisecond, age, 10*time.Since(began)), 10*time.Second)
			ask.ask()
			a.watch.tell(a, ask.workers(), a.work.Status, a.work.Note)
		}
		pause(ctx, wait)
	}
}

// lastingError is an error that does not pass when it is tried again.
type lastingError struct{ error }

func (e *lastingError) Unwrap() error { return e.error }

// look imports what is new.
func (a *attached) look(ctx context.Context) error {
	done, err := a.done(ctx)
	if err != nil || a.total == 0 {
		return err
	}
	for seeds := range a.plan.pieces(a.job.Seeds) {
		name := nameOfPiece(seeds)
		if !done[name] || a.imported[name] {
			continue
		}
		if err := a.importPiece(ctx, name); err != nil {
			return err
		}
		a.imported[name] = true
		a.runs += seeds.Count() * a.job.Strategies
	}
	return nil
}

// done returns the names of the pieces that have a result. It sets total when the campaign is cut.
func (a *attached) done(ctx context.Context) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	q := a.client.queue
	var now job
	found, err := q.value(ctx, a.job.Name, &now)
	if err != nil {
		return nil, err
	}
	if !found || now.ID != a.job.ID {
		return nil, &lastingError{fmt.Errorf("%s was removed from the fleet while this command waited for it", a.job.Name)}
	}
	var failed failure
	if found, err = q.value(ctx, failedKey(a.job.Name), &failed); err != nil {
		return nil, err
	}
	if found {
		return nil, &lastingError{a.gaveUp(failed)}
	}
	if a.total == 0 {
		if found, err = q.value(ctx, planKey(a.job.Name), &a.plan); err != nil || !found {
			return nil, err
		}
		a.total = a.plan.count(a.job.Seeds)
	}
	if a.store == nil {
		if a.store, err = q.results(ctx, a.job.Name); err != nil {
			return nil, err
		}
	}
	return q.done(ctx, a.store)
}

// importPiece adds the runs of a piece to the journal of the campaign.
func (a *attached) importPiece(ctx context.Context, name string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	file, err := os.CreateTemp("", "lockquake-*.piece")
	if err != nil {
		return &lastingError{err}
	}
	defer func() { _ = os.Remove(file.Name()) }()
	err = fetch(ctx, a.store, name, file)
	if closeErr := file.Close(); err == nil && closeErr != nil {
		return &lastingError{closeErr}
	}
	if err != nil {
		return err
	}
	j, err := campaign.ReadJournal(file.Name())
	if err == nil {
		err = errors.Join(a.work.Request.Journal.Import(j), j.Close())
	}
	if err != nil {
		return &lastingError{fmt.Errorf("%s, %s: %w", a.job.Name, name, err)}
	}
	return nil
}

// gaveUp says which piece was given up, and what the program said. The first line of it is the error.
func (a *attached) gaveUp(f failure) error {
	a.work.Note(fmt.Sprintf("%s was given up after %d attempts, the last one by %s, which said:\n%s", f.Piece, f.Times, f.Worker, f.Text))
	return fmt.Errorf("%s: %s failed on every worker that took it; --resume tries it again, and remove %s drops the campaign", a.job.Scenario, f.Piece, a.job.Name)
}

func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
