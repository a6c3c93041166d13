package faults

import (
	"cmp"
	"fmt"
	"strings"
)

// holdKind delays a single message, and with it what follows on the same
// connection.
func holdKind() KindInfo {
	return messageKind(Hold, "keeps one message under way for the time given, and delivers it then")
}

// dropKind loses a single message. A connection cannot lose a message and live:
// the client sees silence first, then a reset, which comes after Params.For.
func dropKind() KindInfo {
	return messageKind(Drop, "loses one message, and resets its connection after the time given")
}

// duplicateKind lets a request arrive twice, as a proxy that sends it again
// does.
func duplicateKind() KindInfo {
	info := messageKind(Duplicate, "lets one request arrive twice, the second time so long after the first")
	info.Point = RequestPoint
	return info
}

// reorderKind lets a request be overtaken by one on another connection of the
// same client. On one connection requests keep their order.
func reorderKind() KindInfo {
	info := messageKind(Reorder, "lets one request be overtaken by the next one of its client on another connection, waiting so long at most")
	info.Point = RequestPoint
	return info
}

// errorKind lets the server answer one request with an error, and not carry it
// out.
func errorKind() KindInfo {
	info := messageKind(Error, "lets the server answer one request with an error instead of carrying it out").does(Fails)
	info.Point, info.Instant, info.Params = RequestPoint, true, []string{"text"}
	info.check = func(p Params) error {
		if words := strings.Fields(p.Text); strings.Join(words, " ") != p.Text {
			return &ParamError{"text", "must be words with one space between them"}
		}
		return nil
	}
	info.actions = func(s Spec, _ []string) []Action {
		return []Action{{Target: s.When.Worker, Text: cmp.Or(s.Params.Text, defaultError)}}
	}
	info.words = func(a Action) []string { return strings.Fields(a.Text) }
	caught := info.parse
	info.parse = func(r *stepReader) Action {
		a := caught(r)
		var words []string
		for len(r.words) > 1 {
			words = append(words, r.word("text"))
		}
		if a.Text = strings.Join(words, " "); a.Text == "" {
			r.fail("the line ends where the text of the error should be")
		}
		return a
	}
	return info
}

// defaultError is what a busy Redis says.
const defaultError = "BUSY Redis is busy running a script."

// messageKind is a kind that catches the one message which is sent at its
// point. Whose message it is follows from the point, so it takes no target.
func messageKind(kind Kind, doc string) KindInfo {
	return KindInfo{
		Kind:     kind,
		Doc:      doc,
		Params:   []string{"for"},
		Point:    MessagePoint,
		Effect:   Catches,
		validate: func(Spec, []string, []string) error { return nil },
		actions: func(s Spec, _ []string) []Action {
			return []Action{{Target: s.When.Worker}}
		},
		words: func(Action) []string { return nil },
		parse: func(r *stepReader) Action {
			if r.step.When == nil {
				r.fail("a %s is tied to a message, not to a moment", kind)
				return Action{}
			}
			info, _ := kindInfo(kind)
			if err := checkMessagePoint(info, r.step.When.Point); err != nil {
				r.fail("%w", err)
			}
			return Action{Target: r.step.When.Worker}
		},
	}
}

// checkMessagePoint returns an error unless a message that the kind can catch
// begins its way at the point.
func checkMessagePoint(info KindInfo, point string) error {
	operation, event, _ := strings.Cut(point, ".")
	switch {
	case operation != "" && event == "sent", operation != "" && event == "replied" && info.Point == MessagePoint:
		return nil
	case info.Point == RequestPoint:
		return fmt.Errorf("at %q no request begins its way: a %s needs a point such as acquire.sent", point, info.Kind)
	}
	return fmt.Errorf("at %q no message begins its way: a %s needs a point such as acquire.sent or acquire.replied",
		point, info.Kind)
}
