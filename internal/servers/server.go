package servers

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrMissing is the error if the program of a server is not installed.
var ErrMissing = errors.New("not installed")

// Server is a real server that runs as a child of this program.
type Server struct {
	Addr string // loopback host and port
	Dir  string // its data folder

	port    int
	program program
	process *process
}

// program is a kind of server.
type program struct {
	path    string
	account *account              // nil: our own
	prepare func(s *Server) error // fills the new folder; nil: nothing to do
	args    func(s *Server) []string
	ready   func(s *Server) error // nil if the server answers
	remove  func(s *Server)       // removes what a killed server leaves outside of its folder; nil: nothing
}

// find returns the path of a program. Debian keeps some servers where only the administrator's
// PATH leads, or none.
func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, pattern := range []string{"/usr/sbin/" + name, "/usr/lib/postgresql/*/bin/" + name} {
		if paths, err := filepath.Glob(pattern); err == nil && len(paths) > 0 {
			return slices.Max(paths), nil
		}
	}
	return "", fmt.Errorf("servers: %s: %w", name, ErrMissing)
}

// launch starts a server on a free port, in a folder of its own, and returns when it answers.
func launch(p program) (*Server, error) {
	// Another program may take the port between the search and the start.
	const attempts = 3
	for attempt := 1; ; attempt++ {
		s, err := attemptLaunch(p)
		if err == nil || attempt == attempts || !strings.Contains(strings.ToLower(err.Error()), "address already in use") {
			return s, err
		}
	}
}

func attemptLaunch(p program) (*Server, error) {
	name := filepath.Base(p.path)
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return nil, fmt.Errorf("servers: folder of %s: %w", name, err)
	}
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Dir: dir, port: port, program: p}
	if p.account != nil {
		err = os.Chown(dir, p.account.uid, p.account.gid)
	}
	if err == nil && p.prepare != nil {
		err = p.prepare(s)
	}
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// PID returns the process ID of the server, for a caller that wants to stop and continue it. Kill
// works on a stopped server too.
func (s *Server) PID() int { return s.process.cmd.Process.Pid }

// Kill kills the server. Everything that it has written to its folder is there for Start, since
// that is no loss of power.
func (s *Server) Kill() { s.process.kill() }

// Start starts a killed server on the same port with its folder, and returns when it answers.
func (s *Server) Start() error {
	p, err := start(s.Dir, s.program.account, s.program.path, s.program.args(s)...)
	if err != nil {
		return err
	}
	s.process = p
	if err = p.await(func() error { return s.program.ready(s) }); err != nil {
		p.kill()
	}
	return err
}

// Restart calls Kill and Start.
func (s *Server) Restart() error {
	s.Kill()
	return s.Start()
}

// Stop kills the server and removes its folder.
func (s *Server) Stop() error {
	s.process.kill()
	if s.program.remove != nil {
		s.program.remove(s)
	}
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("servers: folder of %s: %w", s.program.path, err)
	}
	return nil
}

// account is an account of this machine.
type account struct{ uid, gid int }

// notRoot returns the account for a server that refuses to run as root: our own (nil), or if that
// is root, the first of the names that exists.
func notRoot(names ...string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("servers: account %s: %w", name, err)
		}
		return &account{uid, gid}, nil
	}
	return nil, fmt.Errorf("servers: there is none of the accounts %v", names)
}
