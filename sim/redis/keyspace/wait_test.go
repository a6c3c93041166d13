package keyspace

import (
	"strings"
	"testing"
	"time"
)

// A WAIT that does not block is answered at once, wrong arguments give the errors of Redis, and a
// script may not call it.
func TestAWAITInATransactionIsAnsweredAtOnce(t *testing.T) {
	k := newKeyspace(t)
	for _, test := range []struct{ command, want string }{
		{"WAIT 1 50", "0"},
		{"WAIT -1 50", "0"},
		{"WAIT 1", `-"ERR wrong number of arguments for 'wait' command"`},
		{"WAIT x 1", `-"ERR value is not an integer or out of range"`},
		{"WAIT 1 x", `-"ERR timeout is not an integer or out of range"`},
		{"WAIT 1 -1", `-"ERR timeout is negative"`},
	} {
		if got := say(k, time.Unix(0, 0), test.command); got != test.want {
			t.Errorf("%s answers %s, want %s", test.command, got, test.want)
		}
	}
	inScript := k.Run(time.Unix(0, 0), []string{"EVAL", `return redis.call("WAIT", 1, 50)`, "0"})
	if !strings.Contains(inScript.Text, "not allowed from script") {
		t.Errorf("a script that waits gets %s", inScript.Text)
	}
}
