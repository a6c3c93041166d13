package checker

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lockquake/history"
)

// hand is what one worker of a random story is doing.
type hand struct {
	name    string
	inside  bool
	token   int64
	pending string // kind of the operation under way
	value   string
	landed  bool // the resource has answered it
	accept  bool
	seen    int  // last value read, -1: none
	done    bool // counter: it has written in this section
}

// chance is a random story while it is told. The resource is honest but for
// the lies that the story allows itself.
type chance struct {
	t       *rapid.T
	told    *teller
	lies    bool
	counter bool // sections read once, then write one more
	fence   string
	value   string
	mark    int64
	tokens  int64
	ops     int
	hands   []*hand
}

func randomStory(t *rapid.T, counter, lies bool) *history.History {
	c := &chance{t: t, lies: lies, counter: counter, value: "0", fence: "off"}
	if !counter {
		c.fence = rapid.SampledFrom([]string{"off", "writes", "strict", "reads-writes"}).Draw(t, "fence")
	}
	c.told = story("counter", c.fence)
	for _, name := range []string{"a", "b", "c"} {
		c.hands = append(c.hands, &hand{name: name})
	}
	for range rapid.IntRange(5, 60).Draw(t, "moves") {
		c.move(rapid.SampledFrom(c.hands).Draw(t, "who"))
	}
	return c.told.history()
}

// one draws true one time in n.
func (c *chance) one(n int) bool { return rapid.IntRange(1, n).Draw(c.t, "chance") == n }

func (c *chance) move(h *hand) {
	switch {
	case h.pending != "":
		c.proceed(h)
	case !h.inside:
		if c.told.sections[h.name] > 0 && c.one(3) {
			return
		}
		if c.tokens++; !c.lies || !c.one(5) {
			h.token = c.tokens
		}
		h.inside, h.seen, h.done = true, -1, false
		c.told.acquire(h.name, h.token)
	case c.ops == 7 || h.done || c.one(4):
		h.inside = false
		c.told.release(h.name)
	default:
		c.ops++
		h.landed, h.pending = false, "read"
		if c.counter && h.seen >= 0 || !c.counter && c.one(2) {
			h.pending = "write"
		}
		switch {
		case h.pending == "read":
			h.value = strconv.Itoa(rapid.IntRange(0, 2).Draw(c.t, "value")) // of a lie
		case c.counter:
			h.value, h.done = strconv.Itoa(h.seen+1), true
		default:
			h.value = strconv.Itoa(rapid.IntRange(0, 2).Draw(c.t, "value"))
		}
		c.told.invoke(h.name, h.pending, h.value)
	}
}

// proceed lets the operation of h land, or be answered, or be given up.
func (c *chance) proceed(h *hand) {
	switch {
	case !h.landed && !c.one(6):
		c.land(h)
	case h.landed && h.accept && !c.one(5):
		c.told.ok(h.name)
		h.seen, _ = strconv.Atoi(h.value)
		h.pending = ""
	case h.landed && !h.accept && !c.one(5):
		c.told.fail(h.name)
		h.pending, h.done = "", true
	default:
		c.told.info(h.name)
		h.pending = ""
		h.done = true
		if !h.landed && c.one(2) {
			c.land(h) // late
		}
	}
}

func (c *chance) land(h *hand) {
	h.landed = true
	h.accept = refAllows(c.fence, c.mark, h.token, h.pending == "write")
	if c.lies && c.one(12) {
		h.accept = !h.accept
	}
	if h.accept && (h.pending == "write" || c.fence == "reads-writes") {
		c.mark = max(c.mark, h.token)
	}
	switch {
	case h.pending == "read" && (!c.lies || !c.one(5)):
		h.value = c.value
	case h.pending == "write" && h.accept:
		c.value = h.value
	}
	request := c.told.pending[h.name]
	e := c.told.requests[request]
	e.Value = h.value
	c.told.requests[request] = e
	c.told.apply(h.name, h.accept)
}

// unwitnessed is h without the resource's record.
func unwitnessed(h *history.History) *history.History {
	var r history.Recorder
	for _, e := range h.Events {
		if e.Type != history.Applied {
			r.Record(e)
		}
	}
	return &history.History{Meta: h.Meta, Events: r.Events()}
}

// What follows says what linearizable means in the most direct way: try all
// orders. It shares nothing with the check.

// access is one, and what is known of it: "yes", "no" (refused), "maybe".
type deed struct {
	write, blind   bool
	value, happens string
	token          int64
}

type piece struct {
	deeds     []deed
	call, ret int64
}

func refAllows(fence string, mark, token int64, write bool) bool {
	switch fence {
	case "writes":
		return token != 0 && (!write || token >= mark)
	case "strict":
		return token != 0 && (!write || token > mark)
	case "reads-writes":
		return token != 0 && token >= mark
	}
	return true
}

// refOrder reports whether some order of the pieces is possible.
func refOrder(fence, value string, mark int64, left []piece) bool {
	if len(left) == 0 {
		return true
	}
	for i, p := range left {
		if slices.ContainsFunc(left, func(q piece) bool { return q.ret < p.call }) {
			continue
		}
		rest := slices.Delete(slices.Clone(left), i, i+1)
		if refDeeds(fence, value, mark, p.deeds, rest) {
			return true
		}
	}
	return false
}

func refDeeds(fence, value string, mark int64, deeds []deed, rest []piece) bool {
	if len(deeds) == 0 {
		return refOrder(fence, value, mark, rest)
	}
	d := deeds[0]
	allowed := refAllows(fence, mark, d.token, d.write)
	switch {
	case d.happens == "no":
		return !allowed && refDeeds(fence, value, mark, deeds[1:], rest)
	case d.happens == "maybe" && refDeeds(fence, value, mark, deeds[1:], rest):
		return true
	case !allowed || !d.write && !d.blind && d.value != value:
		return false
	}
	if d.write {
		value = d.value
	}
	if d.write || fence == "reads-writes" {
		mark = max(mark, d.token)
	}
	return refDeeds(fence, value, mark, deeds[1:], rest)
}

// refPieces reads sections and single operations out of a history.
func refPieces(t *rapid.T, h *history.History) (sections, singles []piece) {
	all, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	witnessed := h.Witnessed()
	const open = 1 << 60
	for _, s := range all {
		whole := piece{call: s.Enter, ret: open}
		if s.Leave != 0 {
			whole.ret = s.Leave
		}
		for _, o := range s.Ops {
			d := deed{write: o.Kind == "write", value: o.Value, token: o.Token, blind: o.Outcome != history.OutcomeOK}
			ret := int64(open)
			switch {
			case witnessed && o.Applied == 0:
				continue
			case witnessed && o.Accepted, !witnessed && o.Outcome == history.OutcomeOK:
				d.happens = "yes"
			case witnessed, o.Outcome == history.OutcomeFail:
				d.happens = "no"
			default:
				d.happens = "maybe"
			}
			if o.Outcome != history.OutcomeInfo {
				ret = o.Return
			} else if o.Applied != 0 {
				ret = o.Applied
			}
			singles = append(singles, piece{[]deed{d}, o.Invoke, ret})
			if d.happens != "no" && (d.write || !d.blind) {
				whole.deeds = append(whole.deeds, d)
				whole.ret = max(whole.ret, ret)
			}
		}
		sections = append(sections, whole)
	}
	return sections, singles
}

func refLinearizable(t *rapid.T, h *history.History) Verdict {
	sections, singles := refPieces(t, h)
	if refOrder("off", "0", 0, sections) && refOrder(h.Meta.Fence, "0", 0, singles) {
		return Valid
	}
	return Invalid
}

func TestLinearizableAgreesWithAllOrders(t *testing.T) {
	seen := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := randomStory(t, false, rapid.Bool().Draw(t, "lies"))
		if rapid.Bool().Draw(t, "unwitnessed") {
			h = unwitnessed(h)
		}
		want := refLinearizable(t, h)
		judge := func(suggest, search bool) Verdict {
			l := defaultLimits()
			l.suggest, l.search = suggest, search
			results, err := run(h, []string{"linearizable"}, l)
			if err != nil {
				t.Fatal(err)
			}
			return results[0].Verdict
		}
		if got := judge(true, true); got != want {
			t.Errorf("the check says %s, all orders say %s", got, want)
		}
		if got := judge(false, true); got != want {
			t.Errorf("the search alone says %s, all orders say %s", got, want)
		}
		got := judge(true, false)
		if got != Unknown && got != want {
			t.Errorf("the suggested order and counting say %s, all orders say %s", got, want)
		}
		seen[want]++
	})
	if seen[Valid] == 0 || seen[Invalid] == 0 {
		t.Errorf("stories of one kind only: %v", seen)
	}
}

func TestLostUpdateAgreesWithTheSum(t *testing.T) {
	seen := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := randomStory(t, true, false)
		// On an honest resource, a counter that was only ever incremented by one
		// has lost nothing if and only if it is the number of increments.
		value, writes := "0", 0
		for _, e := range h.Events {
			if e.Type == history.Applied && e.Op == "write" {
				value, writes = e.Value, writes+1
			}
		}
		want := Invalid
		if value == strconv.Itoa(writes) {
			want = Valid
		}
		results, err := Run(h, []string{"lost-update", "linearizable"})
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0].Verdict; got != want {
			t.Errorf("the check says %s, the sum says %s: %+v", got, want, results[0].Findings)
		}
		if got := results[1].Verdict; got == Valid && want == Invalid {
			t.Errorf("an update is lost, but linearizable says %s", got)
		}
		// With less knowledge it may miss one, but must not make one up.
		if results, err = Run(unwitnessed(h), []string{"lost-update"}); err != nil {
			t.Fatal(err)
		}
		if got := results[0].Verdict; got == Invalid && want == Valid {
			t.Errorf("nothing is lost, but unwitnessed: %+v", results[0].Findings)
		}
		seen[want]++
	})
	if seen[Valid] == 0 || seen[Invalid] == 0 {
		t.Errorf("stories of one kind only: %v", seen)
	}
}

func TestSameHistorySameResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := randomStory(t, false, true)
		first, err := Run(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			again, err := Run(h, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Fatalf("(-first +again):\n%s", diff)
			}
		}
	})
}
