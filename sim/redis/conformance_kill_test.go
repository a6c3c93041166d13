package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/faults"
	"lockquake/internal/servers"
	"lockquake/sim"
)

// mortal is a server, real or simulated, that can be killed and restarted.
type mortal struct {
	do    func(command string) string // as RESP
	kill  func() error                // at once
	start func() error
	sleep func(time.Duration) error
}

// TestConformanceOfKill compares what survives a kill with a real server: a key is written, and the
// process is killed right after the answer. A key that survives keeps its deadline, which goes on
// while the server is down.
func TestConformanceOfKill(t *testing.T) {
	for _, test := range []struct {
		how      Persistence
		settings []string
	}{
		{PersistNone, []string{"--appendonly", "no"}},
		{PersistEverySecond, []string{"--appendonly", "yes", "--appendfsync", "everysec"}},
		{PersistAlways, []string{"--appendonly", "yes", "--appendfsync", "always"}},
	} {
		t.Run(string(test.how), func(t *testing.T) {
			want, err := lifeOf(realMortal(t, test.settings))
			if err != nil {
				t.Fatal(err)
			}
			got, err := lifeOf(simMortal(t, test.how))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-real +simulated):\n%s", diff)
			}
		})
	}
}

// lifeOf runs, kills and restarts a server, and returns its answers.
func lifeOf(m mortal) ([]string, error) {
	var said []string
	tell := func(commands ...string) {
		for _, command := range commands {
			said = append(said, fmt.Sprintf("%s: %q", command, m.do(command)))
		}
	}
	const script = "return{}"
	again := "EVALSHA " + shaOf(script) + " 0"
	tell("SET kept v", "SET old v PX 100", "EVAL "+script+" 0", again, "INCR n", "SET k v NX PX 60000")
	deadline := m.do("PEXPIRETIME k")
	tell("INCR n")
	if err := m.kill(); err != nil {
		return nil, err
	}
	if err := m.sleep(200 * time.Millisecond); err != nil {
		return nil, err
	}
	if err := m.start(); err != nil {
		return nil, err
	}
	tell("GET k", "GET kept", "TTL kept", "GET n", "GET old", "EXISTS k kept n old", again, "SET k w NX PX 5")
	return append(said, fmt.Sprintf("k has its deadline: %v", m.do("PEXPIRETIME k") == deadline)), nil
}

func realMortal(t *testing.T, settings []string) mortal {
	t.Helper()
	server := servers.Redis(t, settings...)
	c, err := connect(server)
	if err != nil {
		t.Fatal(err)
	}
	c.mustFit(t)
	t.Cleanup(func() { c.close() }) // the last of them
	return mortal{
		do: func(command string) string {
			reply, err := c.do(strings.Fields(command))
			if err != nil {
				t.Error(err)
			}
			return string(reply)
		},
		kill: func() error {
			server.Kill()
			return nil
		},
		start: func() error {
			c.close()
			err := server.Start()
			if err == nil {
				c, err = connect(server)
			}
			return err
		},
		sleep: func(d time.Duration) error {
			time.Sleep(d)
			return nil
		},
	}
}

// simMortal starts in the middle of a second of true time, so that a loss of power would lose
// everything under persistence every second.
func simMortal(t *testing.T, how Persistence) mortal {
	t.Helper()
	r := newRig(t)
	s := r.newServer(t, how)
	return mortal{
		do: func(command string) string {
			words := strings.Fields(command)
			call := &sim.Call{Session: &sim.Session{}}
			reply := s.keys.Run(s.now(), words)
			s.settle(call, words, &reply)
			return string(reply.AppendRESP(nil))
		},
		kill: func() error {
			s.Crash(faults.DataWritten)
			return nil
		},
		start: func() error {
			s.Restart()
			return nil
		},
		sleep: func(d time.Duration) error {
			r.At(r.Time()+d, func() {})
			return r.Run()
		},
	}
}
