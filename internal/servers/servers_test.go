package servers

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

func answer(t *testing.T, s *Server, commands ...string) string {
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
		note(primary)
		replica := RedisReplica(t, primary)
		note(replica)
		if err := syscall.Kill(replica.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if err := primary.Restart(); err != nil {
			t.Fatal(err)
		}
		note(primary)
	})
	if t.Failed() || len(pids) == 0 {
		t.Skip("nothing was started")
	}
	for i, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d of server %d is left", pid, i)
		}
		if _, err := os.Stat(dirs[i]); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("folder %s is left: %v", dirs[i], err)
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
	const role = "SERVERS_TEST_OWNER"
	if os.Getenv(role) != "" {
		s := Redis(t)
		fmt.Printf("pid %d dir %s\n", s.PID(), s.Dir)
		time.Sleep(time.Minute)
		return
	}
	if dieWithParent() == nil {
		t.Skip("known to Linux only")
	}
	Redis(t) // skips where there is none
	owner := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithItsOwner$", "-test.v")
	owner.Env = append(os.Environ(), role+"=1")
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
			defer os.RemoveAll(words[3])
		}
	}
	_ = owner.Process.Kill()
	_ = owner.Wait()
	if pid == 0 || !gone(pid) {
		t.Errorf("process %d outlives its owner", pid)
	}
}
