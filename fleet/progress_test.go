package fleet

import (
	"testing"

	"lockquake/cmd/command"
)

func TestARunWithoutAWorkerSaysWhichIsMissing(t *testing.T) {
	w := &watch{program: command.Program{Name: "own", Build: "own 2"}, address: "nats://host:4222"}
	for _, test := range []struct {
		met    bool
		mine   []status
		others []string
		want   string
	}{
		{want: "no worker has answered yet: start one with own work nats://host:4222"},
		{met: true, want: "no worker answers any more: start one with own work nats://host:4222"},
		{others: []string{"own 1", "lockquake 2"}, want: "no worker is of this build: this is own 2, and the workers are own 1; lockquake 2: they refuse it"},
		{met: true, mine: []status{{Name: "w"}}, others: []string{"own 1"}, want: ""},
	} {
		if w.met = test.met; w.lacking(test.mine, test.others) != test.want {
			t.Errorf("%+v: %s", test, w.lacking(test.mine, test.others))
		}
	}
}
