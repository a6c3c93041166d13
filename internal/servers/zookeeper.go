package servers

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ZooKeeperServer is a real ZooKeeper, alone or one of an ensemble.
type ZooKeeperServer struct{ *Server }

// zookeeperJar is the library of the Debian package, whose manifest names all that it needs.
const zookeeperJar = "/usr/share/java/zookeeper.jar"

// StartZooKeeper starts a ZooKeeper without data, and returns when it answers. The settings, such as
// "tickTime=100", are those of zoo.cfg. It does not wait for the disk. The error wraps ErrMissing if
// there is no ZooKeeper. The caller has to stop it.
func StartZooKeeper(settings ...string) (*ZooKeeperServer, error) {
	p, err := zookeeper(func(*Server) []string { return settings })
	if err != nil {
		return nil, err
	}
	s, err := launch(p)
	if err != nil {
		return nil, err
	}
	return &ZooKeeperServer{s}, nil
}

// ZooKeeperEnsemble has the members of a real ensemble.
type ZooKeeperEnsemble []*ZooKeeperServer

// StartZooKeepers starts an ensemble of n members, and returns when all answer; see StartZooKeeper.
func StartZooKeepers(n int, settings ...string) (ZooKeeperEnsemble, error) {
	for i := range n {
		ports := [2]int{}
		for j := range ports {
			port, err := freePort()
			if err != nil {
				return nil, err
			}
			ports[j] = port
		}
		settings = append(settings, fmt.Sprintf("server.%d=127.0.0.1:%d:%d", i+1, ports[0], ports[1]))
	}
	type started struct {
		server *Server
		err    error
	}
	all := make([]chan started, n)
	for i := range n { // at once, since a member answers only when there is a leader
		all[i] = make(chan started, 1)
		go func() {
			p, err := zookeeper(func(s *Server) []string {
				if err := os.WriteFile(filepath.Join(s.Dir, "myid"), []byte(strconv.Itoa(i+1)), 0o600); err != nil {
					return []string{"error=" + err.Error()}
				}
				return settings
			})
			var s *Server
			if err == nil {
				s, err = launch(p)
			}
			all[i] <- started{s, err}
		}()
	}
	var e ZooKeeperEnsemble
	var failed error
	for _, c := range all {
		one := <-c
		if one.err != nil {
			failed = one.err
			continue
		}
		e = append(e, &ZooKeeperServer{one.server})
	}
	if failed != nil {
		_ = e.Stop()
		return nil, failed
	}
	return e, nil
}

// Stop stops all members.
func (e ZooKeeperEnsemble) Stop() error {
	var last error
	for _, s := range e {
		if err := s.Stop(); err != nil {
			last = err
		}
	}
	return last
}

// zookeeper describes a ZooKeeper with more settings.
func zookeeper(settings func(*Server) []string) (program, error) {
	java, err := find("java")
	if err != nil {
		return program{}, err
	}
	if _, err := os.Stat(zookeeperJar); err != nil {
		return program{}, fmt.Errorf("servers: zookeeper: %w", ErrMissing)
	}
	return program{
		path: java,
		prepare: func(s *Server) error {
			lines := append([]string{
				"dataDir=" + s.Dir, "clientPort=" + strconv.Itoa(s.port), "clientPortAddress=127.0.0.1", "admin.enableServer=false",
				"4lw.commands.whitelist=*", "maxClientCnxns=0", "forceSync=no", "initLimit=10", "syncLimit=5", "tickTime=2000",
			}, settings(s)...)
			return os.WriteFile(filepath.Join(s.Dir, "zoo.cfg"), []byte(strings.Join(last(lines), "\n")+"\n"), 0o600)
		},
		args: func(s *Server) []string {
			return []string{
				"-Xmx128m", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.skipACL=yes",
				"-cp", zookeeperJar, "org.apache.zookeeper.server.quorum.QuorumPeerMain", filepath.Join(s.Dir, "zoo.cfg"),
			}
		},
		ready: func(s *Server) error {
			mode, err := (&ZooKeeperServer{s}).Ask("srvr")
			if err == nil && !strings.Contains(mode, "Mode: ") {
				err = fmt.Errorf("srvr answers %q", mode)
			}
			return err
		},
	}, nil
}

// last keeps the last of several settings with one key, since ZooKeeper takes any of them.
func last(lines []string) []string {
	at := map[string]int{}
	var kept []string
	for _, line := range lines {
		key, _, _ := strings.Cut(line, "=")
		if i, ok := at[key]; ok {
			kept[i] = line
			continue
		}
		at[key] = len(kept)
		kept = append(kept, line)
	}
	return kept
}

// Ask sends a command of four letters, and returns the answer.
func (s *ZooKeeperServer) Ask(command string) (string, error) {
	conn, err := net.DialTimeout("tcp", s.Addr, connectLimit)
	if err != nil {
		return "", fmt.Errorf("servers: zookeeper: %w", err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(connectLimit))
	if _, err := io.WriteString(conn, command); err != nil {
		return "", fmt.Errorf("servers: zookeeper: %s: %w", command, err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return "", fmt.Errorf("servers: zookeeper: %s: %w", command, err)
	}
	return string(answer), nil
}

// Leads reports whether the server leads an ensemble.
func (s *ZooKeeperServer) Leads() bool {
	answer, err := s.Ask("srvr")
	return err == nil && strings.Contains(answer, "Mode: leader")
}
