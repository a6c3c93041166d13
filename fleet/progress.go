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
	runs  int // of the campaign
	began time.Time
	first int    // runs that were done then
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
	if wrong := lacking(a.client.program, mine, others); wrong != w.noted && !w.began.IsZero() && time.Since(w.began) > absent/2 {
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

// lacking says why no worker can run a campaign; "" if one can.
func lacking(p command.Program, mine []status, others []string) string {
	switch {
	case len(mine) > 0:
		return ""
	case len(others) == 0:
		return fmt.Sprintf("no worker is there: start %s work", p.Name)
	}
	return fmt.Sprintf("no worker is of this build: this is %s, and the workers are %s: they refuse it", p.Build, strings.Join(others, "; "))
}
