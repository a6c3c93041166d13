package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

func TestErrors(t *testing.T) {
	const lease = 10 * time.Second
	entered := func() *teller {
		return story("counter", "off").call("a").leased("a", lease).enter("a", 0)
	}
	judge(t, "errors", []verdictCase{
		{name: "ok", story: entered().release("a"), want: Valid},
		{
			name:  "refused and not obtained",
			story: story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").answered("b", "not-obtained", "").release("a"), want: Valid,
		},
		{
			name: "not obtained, and granted", story: story("counter", "off").call("a").leased("a", lease).answered("a", "not-obtained", ""),
			want: Invalid, count: 1, text: "not obtained: a's section 1 was told so, but the server had given it lock x",
		},
		{
			name: "not obtained, since an earlier section's request came late",
			story: story("counter", "off").call("a").answered("a", "unknown", "no answer").after(time.Second).call("a").
				tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: time.Millisecond}).
				refusedBy("a", "a").answered("a", "not-obtained", ""), want: Valid,
		},
		{name: "not obtained, and no request came through", story: story("counter", "off").call("a").answered("a", "not-obtained", ""), want: Valid},
		{name: "unknown", story: story("counter", "off").call("a").leased("a", lease).answered("a", "unknown", "no answer"), want: Valid},
		{
			name: "ok, and still held", story: entered().leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "not released: a's section 1 ended with ok",
		},
		{
			name: "ok, though it was lost", story: entered().after(lease).expire("a").leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "ok though lost",
		},
		{name: "lost, and it was", story: entered().after(lease).expire("a").leave("a").answered("a", "lost", "lost"), want: Valid},
		{
			name: "lost, and it was not", story: entered().after(time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though held: a's section 1 was told that it had lost lock x",
		},
		{
			name:  "lost by its own clock, which is earlier than the server's",
			story: entered().after(lease-5*time.Millisecond).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "the work failed, and its error is in the answer",
			story: entered().failed("a", "no stock").ended("a", "freed").answered("a", "other", "no stock"), want: Valid,
		},
		{
			name: "the work failed, and the answer hides it", story: entered().failed("a", "no stock").ended("a", "freed").answered("a", "other", "release failed"),
			want: Invalid, count: 1, text: "masked: the work of a's section 1 failed (no stock)",
		},
		{
			name: "the work was done, and an error replaces it", story: entered().leave("a").ended("a", "freed").answered("a", "other", "release failed"),
			want: Invalid, count: 1, text: "masked: the work of a's section 1 was done",
		},
		{
			name: "ok, and the work was never begun", story: story("counter", "off").call("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "skipped: a's section 1 ended with ok",
		},
		{
			name: "ok, and its write was refused", story: entered().refuse("a", "write", "1").release("a"),
			want: Invalid, count: 1, text: "masked: a's section 1 ended with ok, and its write of \"1\" to item x had no effect",
		},
		{
			name: "ok, and its write never came to the resource", story: entered().read("a", "0").sendWrite("a", "1").info("a").release("a"),
			want: Invalid, count: 1, text: "masked: a's section 1 ended with ok, and its write",
		},
		{name: "ok, and its write was done when it was sent again", story: entered().refuse("a", "write", "1").write("a", "1").release("a"), want: Valid},
		{name: "ok, and its write arrives later", story: entered().read("a", "0").sendWrite("a", "1").release("a").applied("a"), want: Valid},
		{name: "ok, and nobody knows of its write", story: entered().unwitnessed().sendWrite("a", "1").info("a").release("a"), want: Valid},
		{name: "crashed", story: entered().crash("a"), want: Valid},
		{
			name:  "ended by its own lock",
			story: entered().tell(history.Event{Type: history.Crashed, Worker: "a", Err: "renew x: i/o timeout"}),
			want:  Invalid, count: 1, text: "exited: the strategy of a's section 1 ended its process (renew x: i/o timeout)",
		},
		{name: "the work was done, and nobody knows of the release", story: entered().leave("a").answered("a", "unknown", "no answer"), want: Valid},
	})
}
