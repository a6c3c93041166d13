package servers

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gone reports whether the process has ended, and waits a little for that.
func gone(pid int) bool {
	for range 500 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		// A killed child of a killed parent may wait for somebody to reap it.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func answer(t *testing.T, s *RedisServer, commands ...string) string {
	t.Helper()
	text, err := s.ask(commands...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// After a test none of its processes and folders is left, even if a process was stopped.
func TestServersEndWithTheirTest(t *testing.T) {
	var pids []int
	var dirs []string
	note := func(s *Server) {
		pids = append(pids, s.PID())
		dirs = append(dirs, s.Dir)
	}
	t.Run("test", func(t *testing.T) {
		primary := Redis(t)
		note(primary.Server)
		replica := RedisReplica(t, primary)
		note(replica.Server)
		if err := syscall.Kill(replica.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if err := primary.Restart(); err != nil {
			t.Fatal(err)
		}
		note(primary.Server)
		database := Postgres(t)
		note(database.Server)
		pids = append(pids, childrenOf(database.PID())...)
		if err := database.Restart(); err != nil {
			t.Fatal(err)
		}
		note(database.Server)
		backend := pidOf(t, dial(t, database.URL("postgres")))
		pids = append(pids, backend)
		if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		note(PgBouncer(t, database, "session", 1).Server)
		note(ZooKeeper(t).Server)
		for _, member := range ZooKeepers(t, 3) {
			note(member.Server)
		}
	})
	if t.Failed() || len(pids) == 0 {
		t.Skip("nothing was started")
	}
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("folder %s is left: %v", dir, err)
		}
	}
}

// A restarted server has the data that it had written, and nothing else.
func TestRestartKeepsWhatWasWritten(t *testing.T) {
	for _, test := range []struct{ name, persist, want string }{
		{"append-only file", "yes", "v"},
		{"memory only", "no", "$-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Redis(t, "--appendonly", test.persist)
			answer(t, s, "SET k v")
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
			got, err := s.ask("GET k")
			if test.want == "$-1" {
				if err == nil {
					t.Errorf("after the restart k is %q", got)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("after the restart k is %q, %v", got, err)
			}
		})
	}
}

func TestAReplicaFollowsItsPrimary(t *testing.T) {
	primary := Redis(t)
	replica := RedisReplica(t, primary)
	// WAIT covers the writes of its own connection only.
	if got := answer(t, primary, "SET k v", "WAIT 1 900"); got != ":1" {
		t.Errorf("WAIT answers %s", got)
	}
	if got := answer(t, replica, "GET k"); got != "v" {
		t.Errorf("the replica has %q", got)
	}
}

// A server that cannot start returns an error with the reason, and leaves nothing behind.
func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	s, err := StartRedis("--no-such-setting", "1")
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err == nil {
		_ = s.Stop()
		t.Fatal("a setting that does not exist is accepted")
	}
	if !strings.Contains(err.Error(), "no-such-setting") {
		t.Errorf("the error does not name the setting: %v", err)
	}
}

// If the owner is killed it cannot clean up, so the kernel does.
func TestServerDiesWithItsOwner(t *testing.T) {
	if attributes(nil) == nil {
		t.Skip("known to Linux only")
	}
	const role = "SERVERS_TEST_OWNER"
	for _, test := range []struct {
		name  string
		start func(t *testing.T) *Server
	}{
		{"redis", func(t *testing.T) *Server { return Redis(t).Server }},
		{"postgres", func(t *testing.T) *Server { return Postgres(t).Server }},
		{"zookeeper", func(t *testing.T) *Server { return ZooKeeper(t).Server }},
		{"pgbouncer", func(t *testing.T) *Server { return PgBouncer(t, Postgres(t), "session", 1).Server }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if os.Getenv(role) != "" {
				s := test.start(t)
				fmt.Printf("pid %d dir %s\n", s.PID(), s.Dir)
				time.Sleep(time.Minute)
				return
			}
			test.start(t) // skips where there is none
			dir := publicFolder(t)
			owner := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithItsOwner$/^"+test.name+"$", "-test.v")
			owner.Env = append(os.Environ(), role+"=1", "TMPDIR="+dir)
			out, err := owner.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := owner.Start(); err != nil {
				t.Fatal(err)
			}
			pid := 0
			for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
				if words := strings.Fields(lines.Text()); len(words) == 4 && words[0] == "pid" {
					pid, _ = strconv.Atoi(words[1])
				}
			}
			children := childrenOf(pid)
			defer func() {
				folders, _ := filepath.Glob(filepath.Join(dir, "*", "data"))
				for _, data := range folders {
					removeSegment(data)
				}
			}()
			_ = owner.Process.Kill()
			_ = owner.Wait()
			for _, pid := range append(children, pid) {
				if pid == 0 || !gone(pid) {
					t.Errorf("process %d outlives its owner", pid)
				}
			}
		})
	}
}

// publicFolder returns a folder that every account may enter, and that ends with the test.
func publicFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "servers-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
