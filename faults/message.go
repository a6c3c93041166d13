package faults

import (
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

// messageKind is a kind that catches the one message which is sent at its
// point. Whose message it is follows from the point, so it takes no target.
func messageKind(kind Kind, doc string) KindInfo {
	return KindInfo{
		Kind:     kind,
		Doc:      doc,
		Params:   []string{"for"},
		Point:    MessagePoint,
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
			if err := checkMessagePoint(kind, r.step.When.Point); err != nil {
				r.fail("%w", err)
			}
			return Action{Target: r.step.When.Worker}
		},
	}
}

// checkMessagePoint returns an error unless a message begins its way at the
// point.
func checkMessagePoint(kind Kind, point string) error {
	operation, event, _ := strings.Cut(point, ".")
	if operation == "" || event != "sent" && event != "replied" {
		return fmt.Errorf("at %q no message begins its way: a %s needs a point such as acquire.sent or acquire.replied",
			point, kind)
	}
	return nil
}
