package fleet

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestAFleetWritesTheReportOfARunInOneProcess(t *testing.T) {
	want, out, code := reference(t, "small.yaml", "--metrics")
	dir := t.TempDir()
	scenario(t, dir)
	_, address := startServer(t, dir, "127.0.0.1:0")
	w := start(t, dir, "plain", "work", "nats://"+address, "--jobs", "2")
	p := start(t, dir, "plain", "run", "small.yaml", "--metrics", "--out", "report", "--on", "nats://"+address, "--resume")
	p.says(t, "(?m)^small: nothing to resume: the fleet has no campaign small-[0-9a-f]{12}; submitting it$")
	if got := p.wait(t); got != code || code != 0 {
		t.Errorf("exit code %d, and %d in one process: %s", got, code, &p.err)
	}
	sameReport(t, filepath.Join(dir, "report"), want)
	if p.out.String() != out {
		t.Errorf("printed\n%s\nand in one process\n%s", &p.out, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.runs")); err == nil {
		t.Error("report.runs is left")
	}
	// The first piece has about 16 runs of 3 strategies. The campaign is small, so the rest is one piece.
	if log := w.out.String(); !strings.Contains(log, "seeds-1-6 took") {
		t.Errorf("the worker says\n%s", log)
	}
	jobs := start(t, dir, "plain", "jobs", "nats://"+address)
	if jobs.wait(t); jobs.out.String() != "no campaign is on the fleet\n" {
		t.Errorf("after the report is written: %s", &jobs.out)
	}
	if err := w.Process.Signal(syscall.SIGTERM); err != nil || w.wait(t) != 0 {
		t.Errorf("SIGTERM ends the worker with %v and %d", err, w.code)
	}
	noTrace(t, dir)
}

func TestAnInterruptedRunDetachesAndResumeAttaches(t *testing.T) {
	want, _, _ := reference(t, "small.yaml")
	dir := t.TempDir()
	scenario(t, dir)
	_, address := startServer(t, dir, "127.0.0.1:0")
	args := []string{"run", "small.yaml", "--out", "report", "--on", "nats://" + address, "--piece-seeds", "20"}
	p := start(t, dir, "plain", args...)
	p.says(t, "(?m)^small: no worker has answered yet: start one with lockquake-fleet work nats://"+address+"$")
	p.says(t, "(?m)^small: 0/180 runs, no worker has answered yet$")
	if err := p.Process.Signal(os.Interrupt); err != nil || p.wait(t) != 130 {
		t.Errorf("interrupted: %v, exit code %d", err, p.code)
	}
	detached := regexp.MustCompile(`\nlockquake: interrupted: (small-[0-9a-f]{12}) waits on the fleet for a worker; the same command with --resume waits for it again\n$`).FindStringSubmatch(p.err.String())
	if detached == nil || p.out.String() != "" {
		t.Fatalf("it says %q and %q", &p.err, &p.out)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "report*")); len(left) > 0 || err != nil {
		t.Errorf("it leaves %v", left)
	}

	jobs := start(t, dir, "plain", "jobs", "nats://"+address)
	if jobs.wait(t); !regexp.MustCompile(detached[1] + ` +1-60 +0/3 `).MatchString(jobs.out.String()) {
		t.Errorf("jobs: %s", &jobs.out)
	}
	again := start(t, dir, "plain", args...)
	if again.wait(t) != 64 || again.onlyLine(t) != "lockquake: "+detached[1]+" is on the fleet already: --resume waits for it, and remove "+detached[1]+" makes place for a new one" {
		t.Errorf("without --resume: exit code %d, %s", again.code, &again.err)
	}

	start(t, dir, "plain", "work", "nats://"+address, "--jobs", "1")
	resumed := start(t, dir, "plain", append(args, "--resume")...)
	if code := resumed.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, &resumed.err)
	}
	sameReport(t, filepath.Join(dir, "report"), want)
}

func TestAWorkerOfAnotherBuildRefusesOnBothSides(t *testing.T) {
	dir := t.TempDir()
	scenario(t, dir)
	_, address := startServer(t, dir, "127.0.0.1:0")
	other := start(t, dir, "own", "work", "nats://"+address)
	other.says(t, `^worker .* with moody`)
	p := start(t, dir, "plain", "run", "small.yaml", "--no-report", "--on", "nats://"+address)
	other.says(t, `(?m)^refused: small-[0-9a-f]+ is for workers of lockquake .*, and this worker is lockquake .* with moody.*: start one of the same build$`)
	p.says(t, `(?m)^small: no worker is of this build: this is lockquake .*, and the workers are lockquake .* with moody.*: they refuse it$`)
	// A worker that comes later says it too.
	late := start(t, dir, "own", "work", "nats://"+address)
	late.says(t, `(?m)^refused: small-`)
	start(t, dir, "plain", "work", "nats://"+address)
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, &p.err)
	}
	for _, w := range []*process{other, late} {
		if log := w.out.String(); strings.Contains(log, "took") || strings.Count(log, "refused") != 1 {
			t.Errorf("the worker of the other build says\n%s", log)
		}
	}
}

func TestAPieceThatAlwaysFailsIsGivenUpAndNamed(t *testing.T) {
	for mood, said := range map[string]string{"panics": "my own bug", "exits": "exit status 3"} {
		t.Run(mood, func(t *testing.T) {
			dir := t.TempDir()
			scenario(t, dir)
			file := filepath.Join(dir, "mood")
			t.Setenv("MOOD", file)
			if err := os.WriteFile(file, []byte(mood), 0o600); err != nil {
				t.Fatal(err)
			}
			_, address := startServer(t, dir, "127.0.0.1:0")
			w := start(t, dir, "own", "work", "nats://"+address, "--jobs", "1")
			args := []string{"run", "small.yaml", "--strategy", "moody", "--out", "report", "--on", "nats://" + address}
			p := start(t, dir, "own", args...)
			if p.wait(t) != 70 {
				t.Errorf("exit code %d", p.code)
			}
			text := p.err.String()
			for _, want := range []string{"small: seeds-1-16 was given up after 5 attempts, the last one by ", said, "lockquake: small: seeds-1-16 failed on every worker that took it; --resume tries it again, and remove small-"} {
				if !strings.Contains(text, want) {
					t.Errorf("run does not say %q, but\n%s", want, text)
				}
			}
			if n := strings.Count(w.out.String(), "seeds-1-16 failed for the "); n != 4 {
				t.Errorf("the worker tried again %d times:\n%s", n, &w.out)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			again := start(t, dir, "own", append(args, "--resume")...)
			plain := start(t, dir, "own", "run", "small.yaml", "--strategy", "moody", "--out", "plain")
			if plain.wait(t); again.wait(t) != plain.code {
				t.Errorf("--resume: exit code %d, and %d in one process: %s", again.code, plain.code, &again.err)
			}
			sameReport(t, filepath.Join(dir, "report"), filepath.Join(dir, "plain"))
			noTrace(t, dir)
		})
	}
}

func TestRemoveStopsACampaignEverywhere(t *testing.T) {
	dir := t.TempDir()
	scenario(t, dir)
	_, address := startServer(t, dir, "127.0.0.1:0")
	w := start(t, dir, "plain", "work", "nats://"+address, "--jobs", "1")
	p := start(t, dir, "plain", "run", "small.yaml", "--set", "duration=10000h", "--set", "faults.pause.every=1h", "--out", "report", "--on", "nats://"+address)
	until(t, "a piece begins", func() bool {
		found, err := filepath.Glob(filepath.Join(dir, "lockquake-piece-*", "runs"))
		return err == nil && len(found) == 1
	})
	list := start(t, dir, "plain", "jobs", "nats://"+address)
	list.wait(t)
	name := regexp.MustCompile(`small-[0-9a-f]+`).FindString(list.out.String())
	wrong := start(t, dir, "plain", "remove", "smal", "--on", "nats://"+address)
	if wrong.wait(t) != 64 || wrong.onlyLine(t) != `lockquake: no campaign on the fleet is called "smal"; there are: `+name {
		t.Errorf("an unknown name: exit code %d, %s", wrong.code, &wrong.err)
	}
	removed := start(t, dir, "plain", "remove", name, "--on", "nats://"+address)
	if removed.wait(t) != 0 || removed.out.String() != "removed "+name+"\n" {
		t.Errorf("remove: exit code %d, %s %s", removed.code, &removed.out, &removed.err)
	}
	if p.wait(t) != 70 || !strings.HasSuffix(p.err.String(), "lockquake: "+name+" was removed from the fleet while this command waited for it\n") {
		t.Errorf("run: exit code %d, %s", p.code, &p.err)
	}
	w.says(t, `dropped: its campaign was removed`)
	noTrace(t, dir)
}

// The workers have neither the scenario nor its files.
func TestTheFilesOfAScenarioTravelWithIt(t *testing.T) {
	const pauses = "300ms\n2s\n4s\n"
	here, there := t.TempDir(), t.TempDir()
	scenario(t, here)
	if err := os.WriteFile(filepath.Join(here, "pauses.txt"), []byte(pauses), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "small.yaml", "--pauses", "pauses.txt", "--seeds", "1-10", "--quiet"}
	plain := start(t, here, "plain", append(args, "--out", "plain")...)
	plain.wait(t)
	_, address := startServer(t, there, "127.0.0.1:0")
	start(t, there, "plain", "work", "nats://"+address)
	p := start(t, here, "plain", append(args, "--out", "report", "--on", "nats://"+address)...)
	if p.wait(t) != plain.code {
		t.Errorf("exit code %d, and %d in one process: %s", p.code, plain.code, &p.err)
	}
	sameReport(t, filepath.Join(here, "report"), filepath.Join(here, "plain"))
}
