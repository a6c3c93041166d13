package servers

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrMissing says that the program of a server is not installed.
var ErrMissing = errors.New("not installed")

// Server is a real server that runs as a child of this program.
type Server struct {
	Addr string // loopback host and port
	Dir  string // where it keeps its data

	args    []string // without folder and port
	port    int
	process *process
}

// StartRedis starts a redis-server without data or persistence, and returns
// when it answers. The args are added to its command line, and win over what
// stands there. The error wraps ErrMissing if there is no redis-server. The
// caller stops it.
func StartRedis(args ...string) (*Server, error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, fmt.Errorf("servers: redis-server: %w", ErrMissing)
	}
	dir, err := os.MkdirTemp("", "redis-server-")
	if err != nil {
		return nil, fmt.Errorf("servers: folder of redis-server: %w", err)
	}
	s := &Server{Dir: dir, args: args}
	// Between looking for a port and taking it, somebody else may take it.
	const attempts = 3
	for range attempts {
		if s.port, err = freePort(); err != nil {
			break
		}
		s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
		if err = s.start(); err == nil {
			return s, nil
		}
		if !strings.Contains(err.Error(), "Address already in use") {
			break
		}
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

func (s *Server) start() error {
	base := []string{
		"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.Dir,
		"--save", "", "--appendonly", "no", "--enable-debug-command", "local",
		"--repl-diskless-sync-delay", "0",
	}
	p, err := start("redis-server", slices.Concat(base, s.args)...)
	if err != nil {
		return err
	}
	s.process = p
	err = p.await(func() error {
		answer, err := s.ask("PING")
		if err == nil && answer != "+PONG" {
			err = fmt.Errorf("PING answers %s", answer)
		}
		return err
	})
	if err != nil {
		p.kill()
	}
	return err
}

// ask sends one command without arguments that need quotes, and returns the
// first line of the answer, or the text of an answer that has more.
func (s *Server) ask(command string) (string, error) {
	const limit = time.Second
	conn, err := net.DialTimeout("tcp", s.Addr, limit)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte(command + "\r\n")); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	line = strings.TrimSpace(line)
	if size, isText := strings.CutPrefix(line, "$"); isText && err == nil {
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 {
			return "", fmt.Errorf("servers: %s answers %q", command, line)
		}
		text := make([]byte, n)
		for read := 0; read < n; {
			more, err := r.Read(text[read:])
			if err != nil {
				return "", err
			}
			read += more
		}
		return string(text), nil
	}
	return line, err
}

// PID is the process ID of the server, for who wants to stop and continue it. A
// stopped one is killed as well as any.
func (s *Server) PID() int { return s.process.cmd.Process.Pid }

// Kill ends the server without a word. What it had written to its folder is
// there for Start: its machine lives on, so it is no loss of power.
func (s *Server) Kill() { s.process.kill() }

// Start starts a server that was killed on the same port and with its folder, and
// returns when it answers.
func (s *Server) Start() error { return s.start() }

// Restart is Kill and Start.
func (s *Server) Restart() error {
	s.Kill()
	return s.Start()
}

// Replica starts a replica of the server, with the args added to its command
// line, and returns when the two are in step. The caller stops it.
func (s *Server) Replica(args ...string) (*Server, error) {
	of := []string{"--replicaof", "127.0.0.1", strconv.Itoa(s.port)}
	replica, err := StartRedis(slices.Concat(of, args)...)
	if err != nil {
		return nil, err
	}
	if err := replica.AwaitLink(); err != nil {
		return nil, errors.Join(err, replica.Stop())
	}
	return replica, nil
}

// AwaitLink returns when the server, a replica, is in step with its primary.
func (s *Server) AwaitLink() error {
	return s.process.await(func() error {
		info, err := s.ask("INFO replication")
		if err == nil && !strings.Contains(info, "master_link_status:up") {
			err = errors.New("the link to the primary is down")
		}
		return err
	})
}

// Stop kills the server and removes its folder.
func (s *Server) Stop() error {
	s.process.kill()
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("servers: folder of redis-server: %w", err)
	}
	return nil
}
