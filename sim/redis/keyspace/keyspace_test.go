package keyspace

import (
	"math"
	"strings"
	"testing"
	"time"

	"lockquake/sim/redis/lua"
)

// say runs one command on a keyspace and returns its reply as text.
func say(k *Keyspace, now time.Time, command string) string {
	r := k.Run(now, strings.Fields(command))
	return string(r.AppendTrace(nil))
}

func newKeyspace(t *testing.T) *Keyspace {
	t.Helper()
	k, err := New(lua.NewCache(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The clock counts whole milliseconds, and a key exists as long as the clock does not exceed its
// deadline.
func TestAKeyExistsInTheMillisecondOfItsDeadline(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 700_000, time.UTC) // 0.7 ms into a millisecond
	for _, test := range []struct {
		after   time.Duration
		command string
		want    string
	}{
		{0, "PTTL k", "100"},
		{250 * time.Microsecond, "PTTL k", "100"}, // the same millisecond
		{300 * time.Microsecond, "PTTL k", "99"},  // the next one
		{99 * time.Millisecond, "GET k", "v"},
		{100 * time.Millisecond, "GET k", "v"},
		{100 * time.Millisecond, "PTTL k", "0"},
		{100*time.Millisecond + 299*time.Microsecond, "EXISTS k", "1"},
		{100*time.Millisecond + 300*time.Microsecond, "EXISTS k", "0"}, // one more millisecond
		{100*time.Millisecond + 300*time.Microsecond, "PTTL k", "-2"},
		{101 * time.Millisecond, "SET k w NX", "+OK"},
		{100 * time.Millisecond, "SET k w NX", "nil"},
		{-time.Hour, "PTTL k", "3600100"}, // a clock that steps back makes the key live longer
	} {
		k := newKeyspace(t)
		if got := say(k, start, "SET k v PX 100"); got != "+OK" {
			t.Fatalf("SET answered %s", got)
		}
		if got := say(k, start.Add(test.after), test.command); got != test.want {
			t.Errorf("%v after the SET, %s answers %s, want %s", test.after, test.command, got, test.want)
		}
	}
}

// A session with the commands of locks, answered like Redis 7.0.
func TestCommandsAnswerLikeRedis(t *testing.T) {
	k := newKeyspace(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct{ command, want string }{
		{"PING", "+PONG"},
		{"GET k", "nil"},
		{"SET k v NX PX 30000", "+OK"},
		{"SET k w NX PX 30000", "nil"},
		{"SETNX k w", "0"},
		{"GET k", "v"},
		{"PTTL k", "30000"},
		{"TTL k", "30"},
		{"PEXPIRE k 500", "1"},
		{"PEXPIRE missing 500", "0"},
		{"SET k w KEEPTTL", "+OK"},
		{"PTTL k", "500"},
		{"SET k x", "+OK"},
		{"PTTL k", "-1"},
		{"INCR n", "1"},
		{"INCR n", "2"},
		{"INCR k", `-"ERR value is not an integer or out of range"`},
		{"LPUSH k 1", `-"WRONGTYPE Operation against a key holding the wrong kind of value"`},
		{"DEL k n missing", "2"},
		{"EXPIRE k 10", "0"},
		{"TIME", "[1767225600 0]"},
		{"EVALSHA 0123456789012345678901234567890123456789 0", `-"NOSCRIPT No matching script. Please use EVAL."`},
	} {
		if got := say(k, now, step.command); got != step.want {
			t.Errorf("%s answers %s, want %s", step.command, got, step.want)
		}
	}
	if got := say(k, now, "OBJECT ENCODING l"); !strings.Contains(got, "lockquake does not simulate") {
		t.Errorf("a command that is not simulated is answered by %s", got)
	}
	if got := say(k, now, "NONSENSE 1"); !strings.Contains(got, "unknown command") {
		t.Errorf("an unknown command is answered by %s", got)
	}
}

// Redis takes an integer only in the form in which it writes it.
func TestIntegersHaveOneForm(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"10", 10, true},
		{"-7", -7, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true},
		{text: "9223372036854775808"},
		{text: ""},
		{text: "-"},
		{text: "-0"},
		{text: "00"},
		{text: "07"},
		{text: "-07"},
		{text: "+7"},
		{text: " 7"},
		{text: "1_0"},
		{text: "0x7"},
		{text: "7.0"},
	} {
		if n, ok := parseInt(test.text); ok != test.ok || ok && n != test.want {
			t.Errorf("parseInt(%q) = %d, %v, want %d, %v", test.text, n, ok, test.want, test.ok)
		}
	}
}
