package fleet

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/spf13/pflag"

	"lockquake/cmd/command"
)

// access has the flags of a connection to a server. They and their environment variables are those of the command nats.
type access struct {
	creds, nkey    string
	user, password string
	cert, key, ca  string
}

// accessFlag is a flag of a connection.
type accessFlag struct {
	into                *string
	name, variable, doc string
	file                bool
}

func (a *access) all() []accessFlag {
	return []accessFlag{
		{&a.creds, "creds", "NATS_CREDS", "file with the credentials of the user", true},
		{&a.nkey, "nkey", "NATS_NKEY", "file with the seed of the user's nkey", true},
		{&a.user, "user", "NATS_USER", "name of the user, or a token", false},
		{&a.password, "password", "NATS_PASSWORD", "password of the user", false},
		{&a.cert, "tlscert", "NATS_CERT", "file with the certificate of the client", true},
		{&a.key, "tlskey", "NATS_KEY", "file with the key of that certificate", true},
		{&a.ca, "tlsca", "NATS_CA", "file with the certificates that sign the server's", true},
	}
}

// accessFlags lists the names of the flags.
func accessFlags() []string {
	var names []string
	for _, f := range (&access{}).all() {
		names = append(names, f.name)
	}
	return names
}

func (a *access) flags(flags *pflag.FlagSet) {
	for _, f := range a.all() {
		// The value of a variable is not shown as a default: it may be a password.
		flags.StringVar(f.into, f.name, "", fmt.Sprintf("%s (default: $%s)", f.doc, f.variable))
	}
}

// options returns the options of the client. A file that cannot be read or has something else is a usage error.
func (a access) options() ([]nats.Option, error) {
	for _, f := range a.all() {
		*f.into = cmp.Or(*f.into, os.Getenv(f.variable))
		if *f.into == "" || !f.file {
			continue
		}
		if _, err := os.ReadFile(*f.into); err != nil {
			return nil, command.Usagef("--%s: %v", f.name, err)
		}
	}
	var options []nats.Option
	if a.creds != "" {
		if err := checkCredentials(a.creds); err != nil {
			return nil, command.Usagef("--creds %s: %v", a.creds, err)
		}
		options = append(options, nats.UserCredentials(a.creds))
	}
	if a.nkey != "" {
		o, err := nats.NkeyOptionFromSeed(a.nkey)
		if err != nil {
			return nil, command.Usagef("--nkey %s: %v", a.nkey, err)
		}
		options = append(options, o)
	}
	switch {
	case a.user != "" && a.password != "":
		options = append(options, nats.UserInfo(a.user, a.password))
	case a.user != "":
		options = append(options, nats.Token(a.user))
	case a.password != "":
		return nil, command.Usagef("--password needs --user")
	}
	switch {
	case a.cert != "" && a.key != "":
		if _, err := tls.LoadX509KeyPair(a.cert, a.key); err != nil {
			return nil, command.Usagef("--tlscert %s, --tlskey %s: %v", a.cert, a.key, err)
		}
		options = append(options, nats.ClientCert(a.cert, a.key))
	case a.cert != "" || a.key != "":
		return nil, command.Usagef("--tlscert and --tlskey need each other")
	}
	if a.ca != "" {
		if text, err := os.ReadFile(a.ca); err != nil || !x509.NewCertPool().AppendCertsFromPEM(text) {
			return nil, command.Usagef("--tlsca %s: the file has no certificate", a.ca)
		}
		options = append(options, nats.RootCAs(a.ca))
	}
	return options, nil
}

// checkCredentials returns an error for a file without the key of a user, which credentials have beside the token.
func checkCredentials(path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = nkeys.ParseDecoratedUserNKey(text)
	}
	return err
}

// connect connects to a server, or to one of several in a list with commas.
func (a access) connect(address, name string) (*queue, error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	options, err := a.options()
	if err != nil {
		return nil, err
	}
	options = append(options, nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond), nats.RetryOnFailedConnect(false),
		// What a client cannot say while there is no server is said again, or is not true any more.
		nats.ReconnectBufSize(-1),
		// The client prints errors that nothing waits for, unless they are taken.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	conn, err := nats.Connect(address, options...)
	if err != nil {
		return nil, connectError(address, err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	q, err := open(conn, js)
	if err != nil {
		conn.Close()
		return nil, connectError(address, err)
	}
	return q, nil
}

// checkAddress returns a usage error for what is no address of a server.
func checkAddress(address string) error {
	for one := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return command.Usagef("%q is not the address of a NATS server, such as nats://host:4222", withoutPassword(one))
		}
	}
	return nil
}

// withoutPassword returns an address as it can be printed.
func withoutPassword(address string) string {
	var all []string
	for one := range strings.SplitSeq(address, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			one = u.Redacted()
		} else if _, rest, found := strings.Cut(one, "@"); found {
			one = rest
		}
		all = append(all, one)
	}
	return strings.Join(all, ",")
}

// connectError says in one line why there is no connection.
func connectError(address string, err error) error {
	shown := withoutPassword(address)
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return command.Usagef("%s refuses this user: %v", shown, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return command.Usagef("%s has no JetStream: start nats-server with -js, or lockquake-fleet serve", shown)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF): // the latter two: it ended just now
		return fmt.Errorf("no server answers at %s", shown)
	}
	return fmt.Errorf("%s: %w", shown, err)
}
