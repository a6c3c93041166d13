package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"lockquake/cmd/command"
)

// serving has the flags of serve.
type serving struct {
	dir    string
	listen string
	config string
}

// options returns the options of the server: those of the file, and the flags above them.
func (s serving) options() (*server.Options, error) {
	o := &server.Options{}
	if s.config != "" {
		var err error
		if o, err = server.ProcessConfigFile(s.config); err != nil {
			return nil, command.Usagef("--config %s: %s", s.config, oneLine(strings.TrimPrefix(err.Error(), s.config+":")))
		}
	}
	if s.dir != "" {
		o.StoreDir = s.dir
	}
	if o.StoreDir == "" {
		return nil, command.Usagef("serve needs --dir, or store_dir in the file of --config")
	}
	o.JetStream, o.NoSigs = true, true
	if s.listen == "" && o.Port == 0 {
		s.listen = ":" + strconv.Itoa(server.DEFAULT_PORT)
	}
	if s.listen != "" {
		host, port, err := net.SplitHostPort(s.listen)
		number, wrong := strconv.ParseUint(port, 10, 16)
		if err != nil || wrong != nil {
			return nil, command.Usagef("--listen is an address such as 0.0.0.0:4222 or localhost:4222, not %q", s.listen)
		}
		o.Host, o.Port = host, int(number)
		if number == 0 {
			o.Port = server.RANDOM_PORT
		}
	}
	return o, nil
}

// serve runs the server until ctx ends.
func (s serving) serve(ctx context.Context, stdout, stderr io.Writer) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.StoreDir, 0o700); err != nil {
		return command.Usagef("--dir: %v", err)
	}
	release, err := holdDir(o.StoreDir)
	if err != nil {
		return err
	}
	defer release()
	if o.Port > 0 {
		// The server would say this later, in several lines.
		l, err := net.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port)))
		if err != nil {
			return command.Usagef("--listen: %v", err)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	natsServer, err := server.NewServer(o)
	if err != nil {
		return command.Usagef("the server cannot start: %s", oneLine(err.Error()))
	}
	faults := &complaints{out: stderr, fatal: make(chan string, 1)}
	if o.LogFile != "" || o.Debug || o.Trace || o.Syslog {
		natsServer.ConfigureLogger()
	} else {
		natsServer.SetLoggerV2(faults, false, false, false)
	}
	go natsServer.Start()
	defer func() {
		natsServer.Shutdown()
		natsServer.WaitForShutdown()
	}()
	for !natsServer.ReadyForConnections(100 * time.Millisecond) {
		select {
		case text := <-faults.fatal:
			return errors.New(text)
		case <-ctx.Done():
			return nil
		default:
		}
	}
	fmt.Fprintf(stdout, "serves %s, state in %s\n", natsServer.Addr(), o.StoreDir)
	if isOpen(o) {
		fmt.Fprintln(stderr, "lockquake: everybody who reaches this address can submit and remove campaigns; users and TLS come with --config")
	}
	select {
	case <-ctx.Done():
		return nil
	case text := <-faults.fatal:
		return errors.New(text)
	}
}

// isOpen reports whether other machines reach the server without a password or a certificate.
func isOpen(o *server.Options) bool {
	ip := net.ParseIP(o.Host)
	local := o.Host == "localhost" || ip != nil && ip.IsLoopback()
	secured := o.Username != "" || o.Authorization != "" || len(o.Users) > 0 || len(o.Nkeys) > 0 || len(o.TrustedOperators) > 0 || o.AuthCallout != nil || o.TLSVerify
	return !local && !secured
}

// complaints prints the warnings and the errors of the server, a line each.
type complaints struct {
	mu    sync.Mutex
	out   io.Writer
	fatal chan string
}

func (c *complaints) print(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "nats-server: "+format+"\n", args...)
}

// Noticef prints nothing.
func (c *complaints) Noticef(string, ...any) {}

// Warnf prints a warning.
func (c *complaints) Warnf(format string, args ...any) { c.print(format, args...) }

// Errorf prints an error.
func (c *complaints) Errorf(format string, args ...any) { c.print(format, args...) }

// Fatalf ends the server.
func (c *complaints) Fatalf(format string, args ...any) {
	select {
	case c.fatal <- fmt.Sprintf(format, args...):
	default:
	}
}

// Debugf prints nothing.
func (c *complaints) Debugf(string, ...any) {}

// Tracef prints nothing.
func (c *complaints) Tracef(string, ...any) {}
