package checker

import (
	"testing"

	"lockquake/history"
)

// Two sections charge one card: the first has lost its lock, and its charge comes after that of the
// second. No token protects an item outside, and an idempotency key does.
func TestATokenDoesNotProtectAnItemOutside(t *testing.T) {
	both := func(idempotent bool, second func(*scriptedHistory) *scriptedHistory) *scriptedHistory {
		card := history.Outside("order-1", idempotent)
		s := story("charge", "reads-writes").fenced().callFor("a", "order-1").grant("a").enter("a", 33).ended("a", history.Expired).
			callFor("b", "order-1").grant("b").enter("b", 34).on("b", card).write("b", "b").release("b").on("a", card)
		return second(s).leave("a").answered("a", history.ClassLost, "lost")
	}
	charged := both(false, func(s *scriptedHistory) *scriptedHistory { return s.write("a", "a") })
	refused := both(true, func(s *scriptedHistory) *scriptedHistory { return s.refuse("a", "write", "a") })
	ignored := both(true, func(s *scriptedHistory) *scriptedHistory { return s.write("a", "a") })
	judge(t, "once", []verdictCase{
		{"charged twice", charged, Invalid, "twice: order-1 took effect 2 times", 1},
		{"the second is refused", refused, Valid, "", 0},
	})
	judge(t, "fencing", []verdictCase{
		{"charged twice", charged, Valid, "", 0},
		{"the second is refused", refused, Valid, "", 0},
	})
	judge(t, "linearizable", []verdictCase{
		{"charged twice", charged, Valid, "", 0},
		{"the second is refused", refused, Valid, "", 0},
		{"a charge may be read", both(true, func(s *scriptedHistory) *scriptedHistory { return s.read("a", "b") }), Valid, "", 0},
		{"the service does not heed its key", ignored, Invalid, "item outside/keyed/order-1 is not linearizable", 1},
	})
	// The service outside knows no tokens, so it refuses its key and not the holder.
	repeated := story("charge", "reads-writes").fenced().callFor("a", "order-1").grant("a").enter("a", 33).on("a", history.Outside("order-1", true)).
		write("a", "a").refuse("a", "write", "a").release("a")
	judge(t, "fencing", []verdictCase{{"a refused repetition", repeated, Valid, "", 0}})
	// The work has heard of the refusal, and may go on.
	again := story("charge", "off").callFor("a", "order-1").grant("a").enter("a", 0).on("a", history.Outside("order-1", true)).
		write("a", "a").refuse("a", "write", "a").release("a")
	judge(t, "errors", []verdictCase{{"a refused repetition", again, Valid, "", 0}})
	judge(t, "once", []verdictCase{{"a refused repetition", again, Valid, "", 0}})
}
