package checker

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func boundsCheck() Check {
	return Check{
		Name: "bounds",
		Doc:  "no product is sold more often than there was stock, and no job is started more often than its limit; no window admits more requests than its limit, and no request is refused below it",
		Did:  "exceeded a bound",
		DidIn: map[string]string{
			"flash-sale": "oversold a product",
			"rate-limit": "broke the rate limit",
			"jobs":       "began a job more often than its limit",
		},
		About: Corruption, Rank: 2,
		Workloads: []string{"flash-sale", "rate-limit", "jobs"}, TriesIn: []string{"jobs"},
		Unit: "an order or a request beyond the bound, a job that was begun more often than its limit, or a request that was refused below its limit",
		run:  bounds,
	}
}

// bounds judges how much the work was allowed to do in all: the stock of a product, the limit of a
// window, or the tries of a job.
func bounds(in *input, r *Result) {
	if in.Meta.Limit > 0 {
		in.admissions(r)
		return
	}
	if in.Meta.Workload == "jobs" {
		in.tries(r)
		return
	}
	in.orders(r)
}

// tries counts how often each job was begun.
func (in *input) tries(r *Result) {
	begun := map[string][]*history.Section{}
	for _, s := range in.Sections {
		if s.Unit == "" || !s.Entered() {
			continue
		}
		r.Applies = true
		before := begun[s.Unit]
		if len(before) >= in.Meta.Tries {
			r.find(Invalid, []int64{before[0].Enter, s.Enter}, "tried too often: %s was try %d of %s, after %s, and %d are allowed",
				evidence.NameOf(s), len(before)+1, s.Unit, evidence.NameOf(before[len(before)-1]), in.Meta.Tries)
		}
		begun[s.Unit] = append(before, s)
	}
}

// orders compares the orders of each product with its first stock. An order is a write that took
// effect, to an item below that of the product.
func (in *input) orders(r *Result) {
	type order struct {
		op      *history.Op
		section *history.Section
		product string
	}
	var list []order
	for _, s := range in.Sections {
		for _, o := range s.Ops {
			product, _, below := strings.Cut(o.Item, "/")
			if below && o.Write() && in.Effect(o) == evidence.Accepted {
				list = append(list, order{o, s, product})
			}
		}
	}
	slices.SortFunc(list, func(a, b order) int { return cmp.Compare(evidence.EffectSeq(a.op), evidence.EffectSeq(b.op)) })
	for _, orders := range groups(list, func(x order) string { return x.product }) {
		r.Applies = true
		product := orders[0].product
		stock, err := number(in.Meta.Initial[product])
		if err != nil {
			r.find(Unknown, nil, "cannot tell: the stock of %s: %v", product, err)
			continue
		}
		for i := int(max(0, stock)); i < len(orders); i++ {
			events := evidence.EventsOf(orders[i].op)
			last := ""
			if i > 0 {
				events = append(events, evidence.EventsOf(orders[i-1].op)...)
				last = ", after " + evidence.NameOf(orders[i-1].section)
			}
			r.find(Invalid, events, "oversold: %s created order %d of %s%s, and there were %d pieces",
				evidence.NameOf(orders[i].section), i+1, product, last, stock)
		}
	}
}

// admission is a request that was admitted, by its first write that took effect, at the time at
// which that was sent.
type admission struct {
	op      *history.Op
	section *history.Section
}

// admissions judges a rate limit. More than the limit may not be admitted in any window, and a
// request may be turned away only if as many as the limit were admitted in the last two windows: a
// fixed window may have begun a window ago, and clocks differ.
func (in *input) admissions(r *Result) {
	var admitted []admission
	var away []*history.Section
	items := map[*history.Section]string{}
	for _, s := range in.Sections {
		if len(s.Ops) == 0 {
			continue
		}
		r.Applies = true
		items[s] = s.Ops[0].Item
		wrote := false
		for _, o := range s.Ops {
			if o.Write() && in.Effect(o) == evidence.Accepted {
				admitted = append(admitted, admission{o, s})
				wrote = true
				break
			}
			wrote = wrote || o.Write()
		}
		if !wrote && s.Leave != 0 && s.BodyErr == "" {
			away = append(away, s)
		}
	}
	slices.SortFunc(admitted, func(a, b admission) int { return cmp.Compare(a.op.Invoke, b.op.Invoke) })
	times := map[string][]time.Duration{}
	for _, list := range groups(admitted, func(a admission) string { return a.op.Item }) {
		for i, a := range list {
			times[a.op.Item] = append(times[a.op.Item], a.op.InvokeAt)
			if i < in.Meta.Limit {
				continue
			}
			first := list[i-in.Meta.Limit]
			if length := a.op.InvokeAt - first.op.InvokeAt; length < in.Meta.Window-clockSlack {
				r.find(Invalid, evidence.EventsOf(first.op, a.op), "over the limit: %s was admitted by %s as request %d within %v, the first of which is that of %s",
					evidence.NameOf(a.section), a.op.Item, in.Meta.Limit+1, length, evidence.NameOf(first.section))
			}
		}
	}
	for _, s := range away {
		list := times[items[s]]
		until := sort.Search(len(list), func(i int) bool { return list[i] > s.LeaveAt })
		from := sort.Search(len(list), func(i int) bool { return list[i] >= s.LeaveAt-2*in.Meta.Window })
		if n := until - from; n < in.Meta.Limit {
			r.find(Invalid, []int64{s.Enter, s.Leave}, "turned away: %s was not admitted by %s, and only %d of %d were within the last two windows",
				evidence.NameOf(s), items[s], n, in.Meta.Limit)
		}
	}
}
