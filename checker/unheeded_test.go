package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

func TestAnAcquireGivesUpAfterItsContextHasEnded(t *testing.T) {
	const s = time.Second
	// begun is a history in which a has the lock and b waits for it when its context ends.
	begun := func() *scriptedHistory {
		return story("counter", "off").acquire("a", 0).call("b").asked("b", "a").fault("cancel", "b", 0)
	}
	ended := func(h *scriptedHistory) *scriptedHistory {
		return h.answered("b", history.ClassCancelled, "context canceled").release("a")
	}
	judge(t, "progress", []verdictCase{
		{name: "at once", story: ended(begun()), want: Valid},
		{name: "one more request, half a second later", story: ended(begun().after(s/2).asked("b", "a")), want: Valid},
		{name: "it undoes its request, whose reply takes 5 s", story: ended(begun().after(5 * s)), want: Valid},
		{
			name: "it asks on for 2 s", story: ended(begun().after(2*s).asked("b", "a")),
			want: Invalid, count: 1, text: "unheeded: b's section 1 still asked for lock x 2.0",
		},
		{
			name: "its last request was granted after 2 s, and it did not enter", want: Invalid, count: 1, text: "unheeded: b's section 1 still asked for lock x 2.0",
			story: ended(begun().release("a").after(2*s).leased("b", time.Minute).freed("b", "b").acquire("a", 0)),
		},
		{
			name: "its second section asks on for 2 s", want: Invalid, count: 1, text: "unheeded: b's section 2 still asked for lock x 2.0",
			story: ended(story("counter", "off").acquire("b", 0).release("b").acquire("a", 0).call("b").asked("b", "a").fault("cancel", "b", 0).after(2*s).asked("b", "a")),
		},
		{
			name: "it gets the lock 2 s later", story: begun().after(2*s).release("a").grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "unheeded: b's section 1 got lock x 2.0",
		},
		{name: "it gets the lock half a second later", story: begun().after(s/2).release("a").grant("b").enter("b", 0).release("b"), want: Valid},
		{name: "it was paused meanwhile", story: ended(begun().fault("pause", "b", 10*s).asked("b", "a")), want: Valid},
		{name: "the server was cut off meanwhile", story: begun().fault("partition", "b->lock", 10*s).release("a").grant("b").enter("b", 0).release("b"), want: Valid},
		{
			name: "the request and the grant were under way for 3 s each", want: Valid,
			story: func() *scriptedHistory {
				h := story("counter", "off")
				for range 5 { // the messages of most sections are fast
					h.acquire("a", 0).release("a")
				}
				return h.acquire("a", 0).call("b").asked("b", "a").fault("cancel", "b", 0).after(3*s).release("a").grant("b").after(3*s).enter("b", 0).release("b")
			}(),
		},
		{
			name: "it gets the lock 2 s later, and no server has recorded a grant", want: Invalid, count: 1, text: "unheeded: b's section 1 got lock x 2.0",
			story: story("counter", "off").after(time.Minute).call("b").fault("cancel", "b", 0).after(2*s).enter("b", 0).leave("b").answered("b", "", ""),
		},
		{
			name: "it gets the lock a minute later, with a grant that was under way for 3 s", want: Invalid, count: 1, text: "unheeded",
			story: begun().after(57*s).release("a").grant("b").after(3*s).enter("b", 0).release("b"),
		},
		{
			name: "messages of this run take 3 s, and it asks again after 2 s", want: Valid,
			story: ended(story("counter", "off").call("a").grant("a").after(3*s).enter("a", 0).release("a").acquire("a", 0).call("b").asked("b", "a").fault("cancel", "b", 0).after(2*s).asked("b", "a")),
		},
		{
			name: "the context of another worker ended", want: Valid,
			story: story("counter", "off").acquire("a", 0).call("b").fault("cancel", "a", 0).after(2*s).asked("b", "a").release("a").grant("b").enter("b", 0).release("b"),
		},
		{
			name: "the context ended before the call", want: Valid,
			story: story("counter", "off").acquire("a", 0).fault("cancel", "b", 0).call("b").after(2*s).asked("b", "a").release("a").grant("b").enter("b", 0).release("b"),
		},
		{
			name: "the context ended after the grant", want: Valid,
			story: story("counter", "off").acquire("b", 0).fault("cancel", "b", 0).after(2 * s).release("b"),
		},
		{
			name: "its owner keeps the grant for the next section", want: Valid,
			story: func() *scriptedHistory {
				h := begun()
				h.meta.Keeps = true
				return h.after(2*s).release("a").grant("b").enter("b", 0).release("b")
			}(),
		},
		{
			name: "a section inside another one", want: Valid,
			story: func() *scriptedHistory {
				h := story("nested", "off").acquire("b", 0).call("b").fault("cancel", "b", 0).after(2*s).asked("b", "b").enter("b", 0).leave("b").answered("b", history.ClassOK, "")
				h.sections["b"] = 1
				return h.release("b")
			}(),
		},
	})
}
