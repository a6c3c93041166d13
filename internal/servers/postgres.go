package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// PostgresServer is a real PostgreSQL. Its user postgres needs no password and may do everything.
type PostgresServer struct{ *Server }

// StartPostgres starts a PostgreSQL with an empty database named postgres, and returns when it
// answers. The settings, such as "deadlock_timeout=10ms", are those of postgresql.conf; it does not
// wait for the disk, so it keeps its data when it is killed, but not when the machine loses power.
// The error wraps ErrMissing if there is no PostgreSQL. The caller has to stop it.
func StartPostgres(settings ...string) (*PostgresServer, error) {
	path, err := find("postgres")
	if err != nil {
		return nil, err
	}
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	as, err := notRoot("postgres", "nobody")
	if err != nil {
		return nil, err
	}
	s, err := launch(program{
		path:    path,
		account: as,
		prepare: func(s *Server) error {
			p, err := start(s.Dir, as, initdb, "-D", data(s), "-U", "postgres", "-A", "trust", "-N", "--no-locale", "-E", "UTF8")
			if err != nil {
				return err
			}
			<-p.exited
			if !p.cmd.ProcessState.Success() {
				return fmt.Errorf("servers: %s: %s", initdb, p.words.String())
			}
			return nil
		},
		args: func(s *Server) []string {
			args := []string{"-D", data(s)}
			for _, setting := range slices.Concat([]string{
				"port=" + strconv.Itoa(s.port), "listen_addresses=127.0.0.1", "unix_socket_directories=" + s.Dir, "fsync=off",
				// In its folder, where Stop removes it.
				"dynamic_shared_memory_type=mmap",
			}, settings) {
				args = append(args, "-c", setting)
			}
			return args
		},
		ready: func(s *Server) error {
			conn, err := connect(urlOf(s, "postgres"))
			if err != nil {
				return err
			}
			return closeConn(conn)
		},
		remove: func(s *Server) { removeSegment(data(s)) },
	})
	if err != nil {
		return nil, err
	}
	return &PostgresServer{s}, nil
}

// data returns the data folder, which PostgreSQL wants to have for itself.
func data(s *Server) string { return filepath.Join(s.Dir, "data") }

// removeSegment removes the shared memory that guards a data folder. A killed server leaves it
// behind; the seventh line of its file has key and number.
func removeSegment(data string) {
	pidFile, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return
	}
	if lines := strings.Split(string(pidFile), "\n"); len(lines) > 6 {
		var key, id int
		if n, _ := fmt.Sscan(lines[6], &key, &id); n == 2 {
			removeSharedMemory(id)
		}
	}
}

// URL returns what a client needs to connect to a database of the server.
func (s *PostgresServer) URL(database string) string { return urlOf(s.Server, database) }

func urlOf(s *Server, database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", s.Addr, database)
}

// The limit of a connection that the server of this machine has to accept.
const connectLimit = 2 * time.Second

func connect(url string) (*pgconn.PgConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), connectLimit)
	defer cancel()
	return pgconn.Connect(ctx, url)
}

func closeConn(conn *pgconn.PgConn) error {
	ctx, cancel := context.WithTimeout(context.Background(), connectLimit)
	defer cancel()
	return conn.Close(ctx)
}

// KillBackend kills the process of one session, whose ID pg_backend_pid returns. The server ends all
// sessions then, since the killed one may have left the shared memory in disorder, and recovers.
// KillBackend returns when it answers again.
func (s *PostgresServer) KillBackend(pid int) error {
	if !slices.Contains(childrenOf(s.PID()), pid) {
		return fmt.Errorf("servers: process %d is no session of the PostgreSQL", pid)
	}
	// A session that ends says that the server has noticed it.
	witness, err := connect(s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("servers: kill a session: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return errors.Join(fmt.Errorf("servers: kill session %d: %w", pid, err), closeConn(witness))
	}
	ctx, cancel := context.WithTimeout(context.Background(), pollLimit)
	defer cancel()
	_ = witness.WaitForNotification(ctx) // there is none, so this ends with the session
	if ctx.Err() != nil {
		return errors.Join(fmt.Errorf("servers: session %d was killed and the server goes on: %w", pid, ctx.Err()), closeConn(witness))
	}
	return s.process.await(func() error { return s.program.ready(s.Server) })
}
