package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// permissions are all that a client of a fleet needs.
const permissions = `permissions: {
  publish: ["lockquake.>", "$JS.>", "$KV.lockquake-jobs.>", "$O.>", "_INBOX.>"]
  subscribe: ["lockquake.>", "$JS.>", "$KV.lockquake-jobs.>", "$O.>", "_INBOX.>"]
}`

// write writes a file of a test.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// configured starts a server with this configuration.
func configured(t *testing.T, dir, config string) (address string) {
	t.Helper()
	scenario(t, dir)
	write(t, dir, "nats.conf", "port: 4222\n"+config)
	_, address = startServer(t, dir, "127.0.0.1:0", "--config", "nats.conf")
	return address
}

// admits has a campaign run by a worker, both with these flags, and compares it with one process.
func admits(t *testing.T, dir, address string, flags ...string) {
	t.Helper()
	start(t, dir, "plain", append([]string{"work", address}, flags...)...)
	p := start(t, dir, "plain", append([]string{"run", "small.yaml", "--seeds", "1-10", "--no-report", "--quiet", "--on", address}, flags...)...)
	plain := start(t, dir, "plain", "run", "small.yaml", "--seeds", "1-10", "--no-report", "--quiet")
	if plain.wait(t) != p.wait(t) || plain.out.String() != p.out.String() {
		t.Errorf("exit code %d, and %d in one process: %s%s", p.code, plain.code, &p.out, &p.err)
	}
}

// answer has the arguments of jobs, its exit code and its error.
type answer struct {
	args string
	code int
	want string // a regular expression for the line of the error; "" for none
}

// answers compares what jobs says.
func answers(t *testing.T, dir string, list ...answer) {
	t.Helper()
	for _, test := range list {
		p := start(t, dir, "plain", append([]string{"jobs"}, strings.Fields(test.args)...)...)
		if code := p.wait(t); code != test.code {
			t.Errorf("%s: exit code %d, want %d: %s", test.args, code, test.code, &p.err)
		}
		if test.want != "" && !regexp.MustCompile("^lockquake: "+test.want+"$").MatchString(p.onlyLine(t)) {
			t.Errorf("%s: it says %q", test.args, &p.err)
		}
	}
}

// The server takes the configuration of a nats-server, and the client the flags and the variables of the command nats.
func TestUsersAndTLSAreThoseOfNATS(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "server", nil)
	t.Setenv("FLEET_PASSWORD", "secret")
	address := configured(t, dir, `
authorization: {users: [{user: me, password: $FLEET_PASSWORD, `+permissions+`}]}
tls: {cert_file: server.pem, key_file: server-key.pem}
`)
	answers(t, dir,
		answer{"tls://me:secret@" + address + " --tlsca server.pem", 0, ""},
		answer{"nats://" + address + " --user me --password secret --tlsca server.pem", 0, ""},
		answer{"tls://me:wrong@" + address + " --tlsca server.pem", 64, "tls://me:xxxxx@" + address + " refuses this user: nats: Authorization Violation"},
		answer{"tls://me:secret@" + address, 70, "tls://me:xxxxx@" + address + ": nats: tls error: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
	)
	t.Setenv("NATS_CA", "server.pem")
	admits(t, dir, "tls://me:secret@"+address)
}

func TestAClientCertificateAdmitsIfTheServerDemandsOne(t *testing.T) {
	dir := t.TempDir()
	authority := certify(t, dir, "server", nil)
	certify(t, dir, "client", authority)
	certify(t, dir, "stranger", nil)
	address := "tls://" + configured(t, dir, "tls: {cert_file: server.pem, key_file: server-key.pem, ca_file: server.pem, verify: true}\n")
	// In TLS 1.3 the handshake of the client is over before the server refuses it. If the server has closed the connection
	// before the client has read why, the client cannot tell it from a server that does not answer.
	refused := "(" + address + ": .*|no server answers at " + address + ")"
	answers(t, dir,
		answer{address + " --tlsca server.pem --tlscert client.pem --tlskey client-key.pem", 0, ""},
		answer{address + " --tlsca server.pem", 70, refused},
		answer{address + " --tlsca server.pem --tlscert stranger.pem --tlskey stranger-key.pem", 70, refused},
		answer{address + " --tlsca server.pem --tlscert client.pem --tlskey stranger-key.pem", 64, "--tlscert client.pem, --tlskey stranger-key.pem: tls: private key does not match public key"},
		answer{address + " --tlsca small.yaml", 64, "--tlsca small.yaml: the file has no certificate"},
	)
	admits(t, dir, address, "--tlsca", "server.pem", "--tlscert", "client.pem", "--tlskey", "client-key.pem")
}

func TestAnNkeyAdmitsItsUser(t *testing.T) {
	dir := t.TempDir()
	mine, stranger := newKey(t, nkeys.CreateUser), newKey(t, nkeys.CreateUser)
	write(t, dir, "mine.nk", mine.seed+"\n")
	write(t, dir, "stranger.nk", stranger.seed+"\n")
	address := "nats://" + configured(t, dir, "authorization: {users: [{nkey: "+mine.public+", "+permissions+"}]}\n")
	answers(t, dir,
		answer{address + " --nkey mine.nk", 0, ""},
		answer{address + " --nkey stranger.nk", 64, address + " refuses this user: nats: Authorization Violation"},
		answer{address, 64, address + " refuses this user: nats: Authorization Violation"},
		answer{address + " --nkey small.yaml", 64, "--nkey small.yaml: .*"},
	)
	admits(t, dir, address, "--nkey", "mine.nk")
}

// An operator trusts an account, and the account its users.
func TestCredentialsAdmitAUserOfATrustedAccount(t *testing.T) {
	dir := t.TempDir()
	operator, system, account := newKey(t, nkeys.CreateOperator), newKey(t, nkeys.CreateAccount), newKey(t, nkeys.CreateAccount)
	trusted := jwt.NewOperatorClaims(operator.public)
	trusted.SystemAccount = system.public
	fleet := jwt.NewAccountClaims(account.public)
	fleet.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	write(t, dir, "operator.jwt", encode(t, trusted, operator))
	config := fmt.Sprintf("operator: operator.jwt\nresolver: MEMORY\nresolver_preload: {%s: %s, %s: %s}\n",
		system.public, encode(t, jwt.NewAccountClaims(system.public), operator), account.public, encode(t, fleet, operator))

	for name, issuer := range map[string]key{"mine": account, "stranger": newKey(t, nkeys.CreateAccount)} {
		user := newKey(t, nkeys.CreateUser)
		creds, err := jwt.FormatUserConfig(encode(t, jwt.NewUserClaims(user.public), issuer), []byte(user.seed))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name+".creds", string(creds))
	}
	address := "nats://" + configured(t, dir, config)
	answers(t, dir,
		answer{address + " --creds mine.creds", 0, ""},
		answer{address + " --creds stranger.creds", 64, address + " refuses this user: nats: Authorization Violation"},
		answer{address, 64, address + " refuses this user: nats: Authorization Violation"},
		answer{address + " --creds small.yaml", 64, "--creds small.yaml: nkeys: no nkey seed found"},
	)
	t.Setenv("NATS_CREDS", "mine.creds")
	admits(t, dir, address)
}

// key is an nkey.
type key struct {
	nkeys.KeyPair
	public, seed string
}

func newKey(t *testing.T, create func() (nkeys.KeyPair, error)) key {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, publicErr := pair.PublicKey()
	seed, seedErr := pair.Seed()
	if err := errors.Join(publicErr, seedErr); err != nil {
		t.Fatal(err)
	}
	return key{pair, public, string(seed)}
}

// encode signs claims.
func encode(t *testing.T, claims jwt.Claims, by key) string {
	t.Helper()
	token, err := claims.Encode(by)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// issuer is a certificate with its key.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// certify writes NAME.pem and NAME-key.pem for 127.0.0.1. The certificate is signed by an issuer, or by itself if that is nil.
func certify(t *testing.T, dir, name string, by *issuer) *issuer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: by == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	own := &issuer{cert, private}
	if by == nil {
		by = own
	}
	signed, certErr := x509.CreateCertificate(rand.Reader, cert, by.cert, &private.PublicKey, by.key)
	bytes, keyErr := x509.MarshalPKCS8PrivateKey(private)
	if err := errors.Join(certErr, keyErr); err != nil {
		t.Fatal(err)
	}
	write(t, dir, name+".pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})))
	write(t, dir, name+"-key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})))
	return own
}
