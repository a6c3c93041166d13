package fleet

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var kills = flag.Int("kills", 2, "how often TestAFleetSurvivesAnyKill kills each of its processes")

// rig is a server, two workers and a command run, each of which can be killed and started again.
type rig struct {
	t       *testing.T
	dir     string
	address string
	server  *process
	workers [2]*process
	run     *process
	before  [2]int // pieces of the workers that were killed
}

const rigPieces = 12

func (r *rig) startWorker(i int) {
	r.workers[i] = start(r.t, r.dir, "plain", "work", "nats://"+r.address, "--jobs", "1", "--lease", "3s")
	// Without a connection it would end, if the server is killed next.
	r.workers[i].says(r.t, "worker .* takes")
}

func (r *rig) startRun(more ...string) {
	r.run = start(r.t, r.dir, "plain", append([]string{"run", "small.yaml", "--out", "report", "--piece-seeds", "5", "--on", "nats://" + r.address}, more...)...)
}

// done returns how many pieces the workers have done, as they say.
func (r *rig) done() int {
	n := 0
	for i, w := range r.workers {
		n += r.before[i] + strings.Count(w.out.String(), " took ")
	}
	return n
}

// kill kills a process and starts it again.
func (r *rig) kill(victim string) {
	r.t.Helper()
	switch victim {
	case "server":
		r.server.kill()
		r.server, _ = startServer(r.t, r.dir, r.address)
	case "worker-1", "worker-2":
		i := int(victim[len(victim)-1] - '1')
		r.workers[i].kill()
		r.before[i] += strings.Count(r.workers[i].out.String(), " took ")
		r.startWorker(i)
	case "run":
		r.run.kill()
		if r.run.code == 0 {
			return // it had ended
		}
		r.startRun("--resume")
	}
}

// ended reports whether the command run has ended.
func (r *rig) ended() bool {
	select {
	case <-r.run.ended:
		return true
	default:
		return false
	}
}

// In each round the server, both workers and the command run are killed once, after a number of pieces that the round
// draws, and up to 50 ms later, so that any step of their work may be the last one.
func TestAFleetSurvivesAnyKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a campaign in each round")
	}
	want, out, code := reference(t, "small.yaml")
	for round := range *kills {
		t.Run(fmt.Sprint(round+1), func(t *testing.T) {
			r := &rig{t: t, dir: t.TempDir()}
			scenario(t, r.dir)
			r.server, r.address = startServer(t, r.dir, "127.0.0.1:0")
			r.startWorker(0)
			r.startWorker(1)
			r.startRun()
			draw := rand.New(rand.NewPCG(17, uint64(round)))
			type kill struct {
				after  int
				later  time.Duration
				victim string
			}
			var plan []kill
			for _, victim := range []string{"server", "worker-1", "worker-2", "run"} {
				plan = append(plan, kill{draw.IntN(rigPieces), time.Duration(draw.IntN(50)) * time.Millisecond, victim})
			}
			slices.SortStableFunc(plan, func(a, b kill) int { return a.after - b.after })
			for _, k := range plan {
				until(t, fmt.Sprintf("%d pieces are done", k.after), func() bool { return r.done() >= k.after || r.ended() })
				time.Sleep(k.later)
				if r.ended() {
					break
				}
				r.kill(k.victim)
			}
			for r.run.wait(t) == 70 && strings.Contains(r.run.err.String(), "no server answers") {
				r.startRun("--resume") // it had begun while there was no server
			}
			if got := r.run.code; got != code {
				t.Errorf("exit code %d, and %d in one process: %s", got, code, &r.run.err)
			}
			sameReport(t, filepath.Join(r.dir, "report"), want)
			if r.run.out.String() != out {
				t.Errorf("printed\n%s\nand in one process\n%s", &r.run.out, out)
			}
			jobs := start(t, r.dir, "plain", "jobs", "nats://"+r.address)
			if jobs.wait(t); jobs.out.String() != "no campaign is on the fleet\n" {
				t.Errorf("after the report is written: %s%s", &jobs.out, &jobs.err)
			}
			for _, w := range r.workers {
				w.kill()
			}
			if runtime.GOOS != "windows" { // which does not remove what is open
				noTrace(t, r.dir)
			}
			t.Logf("killed: %v", plan)
		})
	}
}
