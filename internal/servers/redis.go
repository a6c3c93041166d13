package servers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RedisServer is a real redis-server.
type RedisServer struct{ *Server }

// StartRedis starts a redis-server without data or persistence, and returns when it answers. The
// args are added to its command line and override the defaults. The error wraps ErrMissing if there
// is no redis-server. The caller has to stop it.
func StartRedis(args ...string) (*RedisServer, error) {
	path, err := find("redis-server")
	if err != nil {
		return nil, err
	}
	s, err := launch(program{
		path: path,
		args: func(s *Server) []string {
			return slices.Concat([]string{
				"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.Dir,
				"--save", "", "--appendonly", "no", "--enable-debug-command", "local",
				// After a diskless sync the primary sends nothing to a replica until that has sent
				// its first acknowledgement, which it does once a second.
				"--repl-diskless-sync", "no",
			}, args)
		},
		ready: func(s *Server) error {
			answer, err := (&RedisServer{s}).ask("PING")
			if err == nil && answer != "+PONG" {
				err = fmt.Errorf("PING answers %s", answer)
			}
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return &RedisServer{s}, nil
}

// ask sends commands over one connection and returns the answer to the last: its first line, or the
// text of a longer answer. Arguments must not need quotes.
func (s *RedisServer) ask(commands ...string) (string, error) {
	const limit = 2 * time.Second
	conn, err := net.DialTimeout("tcp", s.Addr, limit)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	answer := ""
	for _, command := range commands {
		if _, err := conn.Write([]byte(command + "\r\n")); err != nil {
			return "", err
		}
		if answer, err = readAnswer(r); err != nil {
			return "", fmt.Errorf("servers: %s: %w", command, err)
		}
	}
	return answer, nil
}

// readAnswer returns a line, or the text whose length the line announces.
func readAnswer(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	size, isText := strings.CutPrefix(line, "$")
	if !isText {
		return line, nil
	}
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 {
		return "", fmt.Errorf("answer %q has no text", line)
	}
	const lineEnd = len("\r\n")
	text := make([]byte, n+lineEnd)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", err
	}
	return string(text[:n]), nil
}

// Replica starts a replica of the server, with the args added to its command line, and returns when
// the two are in sync. The caller has to stop it.
func (s *RedisServer) Replica(args ...string) (*RedisServer, error) {
	of := []string{"--replicaof", "127.0.0.1", strconv.Itoa(s.port)}
	replica, err := StartRedis(slices.Concat(of, args)...)
	if err != nil {
		return nil, err
	}
	if err := replica.AwaitStep(); err != nil {
		return nil, errors.Join(err, replica.Stop())
	}
	return replica, nil
}

// AwaitStep waits until the server, a replica, is in sync with its primary: the link is up at both
// ends, and it has applied all writes of the primary.
func (s *RedisServer) AwaitStep() error {
	return s.process.await(func() error {
		replica, err := s.ask("INFO replication")
		if err != nil {
			return err
		}
		if infoField(replica, "master_link_status") != "up" {
			return errors.New("the link to the primary is down")
		}
		of := &RedisServer{&Server{Addr: net.JoinHostPort(infoField(replica, "master_host"), infoField(replica, "master_port"))}}
		primary, err := of.ask("INFO replication")
		if err != nil {
			return err
		}
		// Until then the primary does not count the replica in a WAIT.
		if !strings.Contains(primary, fmt.Sprintf("port=%d,state=online", s.port)) {
			return errors.New("the primary does not yet send to the replica")
		}
		written, applied := infoField(primary, "master_repl_offset"), infoField(replica, "slave_repl_offset")
		if written != applied {
			return fmt.Errorf("the replica has applied %s of %s bytes", applied, written)
		}
		return nil
	})
}

// infoField returns the value of a field in an answer to INFO, "" if it has none.
func infoField(info, name string) string {
	_, rest, _ := strings.Cut(info, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r")
	return value
}
