package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// PgBouncerServer is a real PgBouncer.
type PgBouncerServer struct{ *Server }

// StartPgBouncer starts a PgBouncer in front of a PostgreSQL, and returns when it answers. The mode
// is session, transaction or statement; the size is how many sessions of the PostgreSQL it uses for
// a database. The settings, such as "server_reset_query_always = 1", are lines of pgbouncer.ini.
// The error wraps ErrMissing if there is no PgBouncer. The caller has to stop it.
func StartPgBouncer(of *PostgresServer, mode string, size int, settings ...string) (*PgBouncerServer, error) {
	path, err := find("pgbouncer")
	if err != nil {
		return nil, err
	}
	as, err := notRoot("postgres", "nobody")
	if err != nil {
		return nil, err
	}
	file := func(s *Server) string { return filepath.Join(s.Dir, "pgbouncer.ini") }
	s, err := launch(program{
		path:    path,
		account: as,
		prepare: func(s *Server) error {
			const text = `[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = %s
default_pool_size = %d
%s
`
			err := os.WriteFile(file(s), fmt.Appendf(nil, text, of.port, s.port, mode, size, strings.Join(settings, "\n")), 0o644)
			if err != nil {
				return fmt.Errorf("servers: settings of PgBouncer: %w", err)
			}
			return nil
		},
		args: func(s *Server) []string { return []string{file(s)} },
		ready: func(s *Server) error {
			conn, err := connect(urlOf(s, "pgbouncer"))
			if err != nil {
				return err
			}
			return closeConn(conn)
		},
	})
	if err != nil {
		return nil, err
	}
	return &PgBouncerServer{s}, nil
}

// URL returns what a client needs to connect to a database of the PostgreSQL behind it.
func (s *PgBouncerServer) URL(database string) string { return urlOf(s.Server, database) }
