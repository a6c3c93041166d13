package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"lockquake/cmd/command"
	"lockquake/lock"
)

// programVariable makes the test binary a program: plain, or one with locks of its own.
const programVariable = "LOCKQUAKE_FLEET_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(programVariable) {
	case "":
		os.Exit(m.Run())
	case "plain":
		command.Main(Commands())
	case "own":
		command.Main(Commands(), command.WithProgram("own"), command.WithStrategy("moody", "panics while the file $MOOD is there", newMoody))
	}
}

// moody is a lock that panics, or ends the process, while the file of $MOOD is there.
type moody struct{ lock.Deps }

func newMoody(d lock.Deps) lock.Strategy { return moody{d} }

func (m moody) Do(context.Context, string, lock.Resource, lock.Body) error {
	switch mood, _ := os.ReadFile(os.Getenv("MOOD")); string(mood) {
	case "panics":
		panic("my own bug")
	case "exits":
		os.Exit(3)
	}
	return lock.ErrNotObtained
}

// process is a process of the program.
type process struct {
	*exec.Cmd
	out, err lines
	ended    chan struct{}
	code     int // when it has ended; -1 after a signal
}

// lines keeps the output of a process.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts the program; its name is plain or own. It ends with the test.
func start(t *testing.T, dir, program string, args ...string) *process {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(path, args...), ended: make(chan struct{})}
	p.Dir, p.Stdout, p.Stderr = dir, &p.out, &p.err
	p.Env = append(os.Environ(), programVariable+"="+program, "TMPDIR="+dir, "NATS_URL=", "GITHUB_STEP_SUMMARY=", "GITHUB_ACTIONS=")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait()
		p.code = p.ProcessState.ExitCode()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.ended
}

// patience is the most time that a test waits for anything. It only ends tests that hang.
const patience = time.Hour

func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("%v does not end; it printed\n%s%s", p.Args[1:], &p.out, &p.err)
	}
	return p.code
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// says waits for a text on one of the outputs, and returns its match.
func (p *process) says(t *testing.T, pattern string) []string {
	t.Helper()
	var found []string
	until(t, fmt.Sprintf("%v says %q", p.Args[1:], pattern), func() bool {
		found = regexp.MustCompile(pattern).FindStringSubmatch(p.out.String() + "\n" + p.err.String())
		select {
		case <-p.ended:
			if found == nil {
				t.Fatalf("%v ended with %d without %q:\n%s%s", p.Args[1:], p.code, pattern, &p.out, &p.err)
			}
		default:
		}
		return found != nil
	})
	return found
}

// serving starts a server, and returns its address.
func startServer(t *testing.T, dir, listen string, args ...string) (server *process, address string) {
	t.Helper()
	server = start(t, dir, "plain", append([]string{"serve", "--dir", filepath.Join(dir, "state"), "--listen", listen}, args...)...)
	return server, server.says(t, `serves (\S+),`)[1]
}

// scenario copies the scenario of the tests into a directory.
func scenario(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("testdata/small.yaml")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "small.yaml"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filesIn returns all files in a directory, by path.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, relErr := filepath.Rel(dir, path)
		files[name] = string(data)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameReport fails the test if two reports are not the same files, byte for byte.
func sameReport(t *testing.T, got, want string) {
	t.Helper()
	g, w := filesIn(t, got), filesIn(t, want)
	for name := range w {
		if g[name] != w[name] {
			t.Errorf("%s is another one in %s than in %s", name, got, want)
		}
	}
	if len(g) != len(w) || w["results.json"] == "" {
		t.Errorf("%s has %d files, and %s has %d", got, len(g), want, len(w))
	}
}

// reference runs a campaign in one process, and returns its directory, its output and its exit code.
func reference(t *testing.T, args ...string) (report, out string, code int) {
	t.Helper()
	dir := t.TempDir()
	scenario(t, dir)
	p := start(t, dir, "plain", append([]string{"run", "--out", "report", "--quiet"}, args...)...)
	code = p.wait(t)
	return filepath.Join(dir, "report"), p.out.String(), code
}

// onlyLine returns the one line that a process said on its standard error.
func (p *process) onlyLine(t *testing.T) string {
	t.Helper()
	text := p.err.String()
	if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "lockquake: ") {
		t.Errorf("%v says\n%s\nnot one line", p.Args[1:], text)
	}
	return strings.TrimSpace(text)
}

// noTrace fails the test if a worker left a folder behind.
func noTrace(t *testing.T, dir string) {
	t.Helper()
	until(t, "no folder of a piece is left in "+dir, func() bool {
		left, err := filepath.Glob(filepath.Join(dir, "lockquake-piece-*"))
		return err == nil && len(left) == 0
	})
}
