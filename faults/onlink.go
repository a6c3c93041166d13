package faults

import (
	"fmt"
	"slices"
	"strconv"
)

// linkKind is a kind of fault of a link, in one direction.
func linkKind(kind Kind, doc string, params ...string) KindInfo {
	return KindInfo{
		Kind: kind, Doc: doc, Params: append([]string{"from", "to"}, params...), Point: AnyPoint,
		validate: validateLink,
		actions:  links,
		words:    linkWords,
		parse:    parseLink,
	}
}

// resetKind breaks connections, as a load balancer or a server that closes
// idle ones does: the user of one gets another session.
func resetKind() KindInfo {
	info := linkKind(Reset, "breaks every connection from one end to the other, now", "every")
	info.Instant = true
	return info
}

// latencyKind is a slow link.
func latencyKind() KindInfo {
	info := linkKind(Latency, "makes every message on a link in one direction late", "add", "every", "for")
	info.check = func(p Params) error {
		if p.Add.IsZero() {
			return &ParamError{"add", "is missing: how much later each message comes, such as 200ms"}
		}
		_, err := median("add", p.Add)
		return err
	}
	return info
}

// lossKind is a link that loses packets. A connection sends them again, so it
// shows as delay, and as a time-out in the end.
func lossKind() KindInfo {
	info := linkKind(Loss, "loses a share of the messages on a link in one direction, which are sent again as TCP does", "percent", "every", "for")
	const all = 100
	info.check = func(p Params) error {
		if p.Percent < 1 || p.Percent > all {
			return &ParamError{"percent", fmt.Sprintf("must be from 1 to %d, and is %d", all, p.Percent)}
		}
		return nil
	}
	info.actions = func(s Spec, workers []string) []Action {
		actions := links(s, workers)
		for i := range actions {
			actions[i].Percent = s.Params.Percent
		}
		return actions
	}
	info.words = func(a Action) []string { return append(linkWords(a), strconv.Itoa(a.Percent), "percent") }
	info.parse = func(r *stepReader) Action {
		a := parseLink(r)
		if a.Percent = r.number(""); a.Percent > all {
			r.fail("%d is more than %d percent", a.Percent, all)
		}
		r.expect("percent")
		return a
	}
	return info
}

// links makes an action for each link that a fault names.
func links(s Spec, workers []string) []Action {
	var actions []Action
	for _, from := range each(s.Params.From, workers) {
		for _, to := range each(s.Params.To, workers) {
			if from != to {
				actions = append(actions, Action{From: from, To: to})
			}
		}
	}
	return actions
}

func linkWords(a Action) []string { return []string{a.From, "->", a.To} }

func parseLink(r *stepReader) Action {
	var a Action
	a.From = r.word("begin of the link")
	r.expect("->")
	a.To = r.word("end of the link")
	return a
}

func validateLink(s Spec, workers, nodes []string) error {
	for _, end := range []struct{ param, name string }{{"from", s.Params.From}, {"to", s.Params.To}} {
		switch {
		case end.name == "":
			return &ParamError{end.param, "is missing"}
		case end.name != EachWorker && !slices.Contains(workers, end.name) && !slices.Contains(nodes, end.name):
			return unknownName(end.param, "worker or server", end.name)
		}
	}
	if s.Params.From == s.Params.To {
		return &ParamError{"to", fmt.Sprintf("a link from %s to %[1]s cannot be cut", s.Params.To)}
	}
	return nil
}
