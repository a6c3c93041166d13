package faults

import (
	"fmt"
	"strings"
)

// OnMessage is a fault of the one message that is sent at its point. It has no target,
// because the point determines the sender.
type OnMessage struct{}

func (*OnMessage) names() []*string                     { return nil }
func (*OnMessage) words() []string                      { return nil }
func (*OnMessage) check(Spec, []string, []string) error { return nil }

// Ends implements Fault.
func (*OnMessage) Ends(Scene) (text string, turning bool) { return "", false }

func (*OnMessage) describe(info *Info) { info.Point, info.Hits = MessagePoint, HitsMessage }

func (*OnMessage) read(r *reader) {
	if r.step.When == nil {
		r.fail("a %s is tied to a message, not to a moment", r.info.Kind)
		return
	}
	if err := r.info.checkPoint(r.step.When.Point); err != nil {
		r.fail("%w", err)
	}
}

// OnRequest is a fault of the one request that is sent at its point.
type OnRequest struct{ OnMessage }

func (*OnRequest) describe(info *Info) { info.Point, info.Hits = RequestPoint, HitsMessage }

// checkPoint returns an error if the kind catches messages and no such message is sent
// at the point.
func (info Info) checkPoint(point string) error {
	operation, event, _ := strings.Cut(point, ".")
	switch {
	case info.Point == AnyPoint:
		return nil
	case operation != "" && event == "sent", operation != "" && event == "replied" && info.Point == MessagePoint:
		return nil
	case info.Point == RequestPoint:
		return fmt.Errorf("no request is sent at %q: a %s needs a point such as acquire.sent", point, info.Kind)
	}
	return fmt.Errorf("no message is sent at %q: a %s needs a point such as acquire.sent or acquire.replied",
		point, info.Kind)
}
