package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"lockquake/cmd/command"
)

// roll is the list of the workers that answered last.
type roll struct {
	conn  *nats.Conn
	inbox *nats.Subscription
	text  []byte // of the question

	mu    sync.Mutex
	heard map[string]heard // by the name of the worker
	asked time.Time
}

type heard struct {
	status
	at time.Time
}

const (
	askEvery = 2 * time.Second
	absent   = 7 * time.Second // without an answer
)

// askFor begins to ask for the workers, for a campaign of a build.
func (q *queue) askFor(build, job string) (*roll, error) {
	text, err := json.Marshal(question{build, job})
	if err != nil {
		return nil, err
	}
	r := &roll{conn: q.conn, text: text, heard: map[string]heard{}}
	r.inbox, err = q.conn.Subscribe(q.conn.NewInbox(), func(m *nats.Msg) {
		var s status
		if json.Unmarshal(m.Data, &s) != nil {
			return
		}
		r.mu.Lock()
		r.heard[s.Name] = heard{s, time.Now()}
		r.mu.Unlock()
	})
	return r, err
}

func (r *roll) stop() { _ = r.inbox.Unsubscribe() }

// ask asks for the workers, every two seconds.
func (r *roll) ask() {
	if time.Since(r.asked) >= askEvery {
		r.asked = time.Now()
		_ = r.conn.PublishRequest(askWorkers, r.inbox.Subject, r.text) // it is asked again
	}
}

// workers returns the workers that answered in the last seconds, by name.
func (r *roll) workers() []status {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []status
	for _, h := range r.heard {
		if time.Since(h.at) < absent {
			all = append(all, h.status)
		}
	}
	slices.SortFunc(all, func(a, b status) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// watch makes the text of the progress.
type watch struct {
	runs    int // of the campaign
	program command.Program
	address string // of the server

	began time.Time
	first int    // runs that were done then
	met   bool   // a worker of this build answered
	noted string // what is wrong with the workers, as was said
}

// tell shows how far a campaign is, and says it when no worker can run it.
func (w *watch) tell(a *attached, workers []status, show, note func(string)) {
	var mine []status
	var others []string
	for _, s := range workers {
		if s.Build == a.job.Build {
			mine = append(mine, s)
		} else if !slices.Contains(others, s.Build) {
			others = append(others, s.Build)
		}
	}
	w.met = w.met || len(mine) > 0
	if wrong := w.lacking(mine, others); wrong != w.noted && !w.began.IsZero() && time.Since(w.began) > absent/2 {
		if w.noted = wrong; wrong != "" {
			note(wrong)
		}
	}
	done := a.runs
	slots := 0
	for _, s := range mine {
		slots += s.Slots
		for _, p := range s.Running {
			if p.Job == a.job.Name && !a.imported[nameOfPiece(p.Seeds)] {
				done += p.Done
			}
		}
	}
	done = min(done, w.runs)
	if w.began.IsZero() {
		w.began, w.first = time.Now(), done
	}
	if len(mine) == 0 {
		show(fmt.Sprintf("%d/%d runs, %s", done, w.runs, w.missing(others)))
		return
	}
	show(w.text(a, done, len(mine), slots, time.Since(w.began)))
}

// text returns the progress in one line.
func (w *watch) text(a *attached, done, workers, slots int, took time.Duration) string {
	pieces := "not cut yet"
	if a.total > 0 {
		pieces = fmt.Sprintf("%d/%d pieces", len(a.imported), a.total)
	}
	text := fmt.Sprintf("%s, %d/%d runs, %s on %s", pieces, done, w.runs, plural(workers, "worker"), plural(slots, "processor"))
	rate := float64(done-w.first) / took.Seconds()
	if done > w.first && took > 0 {
		left := time.Duration(float64(w.runs-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %.3g runs/s, %v left", rate, left.Round(time.Second))
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// missing says which workers are not there, when none of this build answers.
func (w *watch) missing(others []string) string {
	switch {
	case len(others) > 0:
		return "no worker is of this build"
	case w.met:
		return "no worker answers any more"
	}
	return "no worker has answered yet"
}

// lacking says why no worker can run a campaign, and how one is started; "" if one can.
func (w *watch) lacking(mine []status, others []string) string {
	switch {
	case len(mine) > 0:
		return ""
	case len(others) == 0:
		return fmt.Sprintf("%s: start one with %s work %s", w.missing(others), w.program.Name, w.address)
	}
	return fmt.Sprintf("%s: this is %s, and the workers are %s: they refuse it", w.missing(others), w.program.Build, strings.Join(others, "; "))
}
