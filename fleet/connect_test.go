package fleet

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func TestAWrongCommandLineIsOneLine(t *testing.T) {
	dir := t.TempDir()
	scenario(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "bad.conf"), []byte("listen: {"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string // a regular expression
	}{
		{"serve", 64, `serve needs --dir, or store_dir in the file of --config`},
		{"serve here", 64, `serve takes no argument, and "here" is one; see lockquake-fleet serve --help`},
		{"serve --dir state --listen 4222", 64, `--listen is an address such as 0\.0\.0\.0:4222 or localhost:4222, not "4222"`},
		{"serve --dir small.yaml", 64, `--dir: mkdir small\.yaml: not a directory`},
		{"serve --dir state --config none.conf", 64, `--config none\.conf: .*`},
		{"serve --dir state --config bad.conf", 64, `--config bad\.conf: .*`},
		{"work", 64, `work needs the address of a server such as nats://host:4222, or NATS_URL; see lockquake-fleet work --help`},
		{"work host:4222", 64, `"host:4222" is not the address of a NATS server, such as nats://host:4222`},
		{"work http://user:secret@host:4222", 64, `"http://user:xxxxx@host:4222" is not the address of a NATS server, such as nats://host:4222`},
		{"work nats://127.0.0.1:1", 70, `no server answers at nats://127\.0\.0\.1:1`},
		{"work nats://user:secret@127.0.0.1:1", 70, `no server answers at nats://user:xxxxx@127\.0\.0\.1:1`},
		{"work nats://127.0.0.1:1 --jobs -1", 64, `invalid argument "-1" for "--jobs" flag: must be more than 0`},
		{"work nats://127.0.0.1:1 --lease 1s", 64, `--lease is at least 3s, not 1s`},
		{"work nats://127.0.0.1:1 nats://127.0.0.1:2", 64, `work takes one address, not 2; see lockquake-fleet work --help`},
		{"work nats://127.0.0.1:1 --job 3", 64, `unknown flag "--job"; did you mean "--jobs"\?`},
		{"work nats://127.0.0.1:1 --creds none.creds", 64, `--creds: open none\.creds: no such file or directory`},
		{"work nats://127.0.0.1:1 --tlscert small.yaml", 64, `--tlscert and --tlskey need each other`},
		{"work nats://127.0.0.1:1 --password secret", 64, `--password needs --user`},
		{"jobs nats://127.0.0.1:1", 70, `no server answers at nats://127\.0\.0\.1:1`},
		{"remove", 64, `remove needs the name of a campaign, or --older-than; see lockquake-fleet remove --help`},
		{"remove small-1", 64, `remove needs the address of a server .*`},
		{"run small.yaml --on nats://127.0.0.1:1", 70, `no server answers at nats://127\.0\.0\.1:1`},
		{"run small.yaml --on here", 64, `"here" is not the address of a NATS server, such as nats://host:4222`},
		{"run small.yaml --piece-seeds 3", 64, `--piece-seeds needs --on with the address of a server, as in nats://host:4222`},
		{"run small.yaml --creds my.creds", 64, `--creds needs --on with the address of a server, as in nats://host:4222`},
		{"run small.yaml --on nats://127.0.0.1:1 --piece-seeds -3", 64, `invalid argument "-3" for "--piece-seeds" flag: must be more than 0`},
		{"piece", 64, `piece is called by work: EOF`},
	} {
		p := start(t, dir, "plain", strings.Fields(test.args)...)
		if code := p.wait(t); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.args, code, test.code)
		}
		if line := p.onlyLine(t); !regexp.MustCompile(`^lockquake: ` + test.want + `$`).MatchString(line) {
			t.Errorf("%s: it says %q, want %q", test.args, line, test.want)
		}
	}
}

func TestACampaignOfTooManyPiecesIsRefused(t *testing.T) {
	dir := t.TempDir()
	scenario(t, dir)
	_, address := startServer(t, dir, "127.0.0.1:0")
	p := start(t, dir, "plain", "run", "small.yaml", "--seeds", "1-100000", "--piece-seeds", "9", "--on", "nats://"+address)
	if p.wait(t) != 64 || p.onlyLine(t) != "lockquake: --piece-seeds 9 makes more than 10000 pieces of 100000 seeds; at least 10 does" {
		t.Errorf("exit code %d, %s", p.code, &p.err)
	}
}

func TestAServerNeedsJetStream(t *testing.T) {
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go plain.Start()
	t.Cleanup(plain.Shutdown)
	until(t, "the server is ready", func() bool { return plain.ReadyForConnections(time.Second) })
	p := start(t, t.TempDir(), "plain", "jobs", plain.ClientURL())
	want := "lockquake: " + plain.ClientURL() + " has no JetStream: start nats-server with -js, or lockquake-fleet serve"
	if p.wait(t) != 64 || p.onlyLine(t) != want {
		t.Errorf("exit code %d: %s", p.code, &p.err)
	}
}

func TestTwoServersCannotHaveOneState(t *testing.T) {
	dir := t.TempDir()
	_, address := startServer(t, dir, "127.0.0.1:0")
	second := start(t, dir, "plain", "serve", "--dir", filepath.Join(dir, "state"), "--listen", "127.0.0.1:0")
	if second.wait(t) != 64 || !strings.HasSuffix(second.onlyLine(t), ": another server has it") {
		t.Errorf("exit code %d: %s", second.code, &second.err)
	}
	third := start(t, dir, "plain", "serve", "--dir", filepath.Join(dir, "other"), "--listen", address)
	if third.wait(t) != 64 || !strings.Contains(third.onlyLine(t), "address already in use") {
		t.Errorf("exit code %d: %s", third.code, &third.err)
	}
}

// A server that is killed while a client connects resets the connection or closes it.
func TestAServerThatEndsDuringTheHandshakeDoesNotAnswer(t *testing.T) {
	for _, linger := range []int{0, -1} { // 0: a reset
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_ = conn.(*net.TCPConn).SetLinger(linger)
				_ = conn.Close()
			}
		}()
		p := start(t, t.TempDir(), "plain", "jobs", "nats://"+l.Addr().String())
		if code := p.wait(t); code != 70 {
			t.Errorf("exit code %d, want 70", code)
		}
		if line, want := p.onlyLine(t), "lockquake: no server answers at nats://"+l.Addr().String(); line != want {
			t.Errorf("it says %q, want %q", line, want)
		}
	}
}
