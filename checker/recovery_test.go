package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

func TestRecovery(t *testing.T) {
	const lease = 10 * time.Second
	// held is a section that returned without giving back what the server gave.
	held := func(class history.Class) *teller {
		return story("counter", "off").call("a").leased("a", lease).enter("a", 0).leave("a").answered("a", class, "")
	}
	wanted := func(s *teller) *teller { return s.call("b").refusedBy("b", "a") }
	judge(t, "recovery", []verdictCase{
		{name: "released", story: wanted(story("counter", "off").acquire("a", 0).release("a")), want: Valid},
		{name: "in the way within the margin", story: wanted(held("").after(900 * time.Millisecond)), want: Valid},
		{
			name: "in the way beyond the margin", story: wanted(held("").after(1100 * time.Millisecond)),
			want: Invalid, count: 1, text: "ghost: lock x was still refused to b",
		},
		{
			name:  "not obtained, and yet held",
			story: wanted(story("counter", "off").call("a").leased("a", lease).answered("a", "not-obtained", "").after(2 * time.Second)),
			want:  Invalid, count: 1, text: "...had ended with not-obtained",
		},
		{
			name: "given, and asked for again", story: story("counter", "off").call("a").leased("a", lease).after(2*time.Second).refusedBy("a", "a").after(time.Second).expire("a"),
			want: Invalid, count: 1, text: "ghost: lock x had been given to a's section 1, which did not know it",
		},
		{name: "nobody knew, within the lease", story: wanted(held("unknown").after(9 * time.Second)), want: Valid},
		{
			name: "nobody knew, beyond the lease", story: wanted(held("unknown").after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "an unknown that came from the work alone",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).
				failed("a", "no answer").answered("a", "unknown", "no answer").after(2 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name:  "crashed, within the lease",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).crash("a").after(9 * time.Second)), want: Valid,
		},
		{
			name:  "crashed, beyond the lease",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).crash("a").after(12 * time.Second)),
			want:  Invalid, count: 1, text: "...after a's section 1 had crashed",
		},
		{name: "nobody wanted it, and its lease runs", story: held("").after(time.Second).final("0"), want: Valid},
		{
			name:  "nobody wanted it, and it has no end",
			story: story("counter", "off").acquire("a", 0).leave("a").answered("a", "", "").final("0"),
			want:  Invalid, count: 1, text: "leak",
		},
		{
			name: "given late, for a section that did not know",
			story: wanted(story("counter", "off").call("a").answered("a", "unknown", "no answer").after(time.Second).call("a").
				tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: time.Millisecond, Until: 12 * time.Second}).
				answered("a", "not-obtained", "").after(8 * time.Second)), want: Valid,
		},
		{name: "still at work", story: wanted(story("counter", "off").acquire("a", 0).after(time.Hour)), want: Valid},
	})
}

// One of three servers keeps nobody out, so a grant left behind there has its
// lease.
func TestRecoveryQuorum(t *testing.T) {
	s := story("counter", "off")
	s.meta.Nodes, s.meta.Quorum = 3, 2
	s.call("a").leased("a", 10*time.Second).answered("a", "not-obtained", "").after(2*time.Second).call("b").refusedBy("b", "a")
	judge(t, "recovery", []verdictCase{{name: "a minority", story: s, want: Valid}})
}
