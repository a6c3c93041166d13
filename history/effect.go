package history

// Effect names the change that a fault makes to its target while it lasts. A fault
// that makes none of these changes, such as a crash or a partition, has none.
type Effect string

// The effects.
const (
	EffectStops   Effect = "stops"   // the target, or one of its tasks, stands still
	EffectSkews   Effect = "skews"   // its clock goes at a rate of its own
	EffectSteps   Effect = "steps"   // its clock is moved at once
	EffectCatches Effect = "catches" // one message is late, lost or there twice
	EffectFails   Effect = "fails"   // one request is answered with an error
	EffectCancels Effect = "cancels" // the context of one section ends
)

// effectOf returns the effect of a kind of fault, for files that name the kind
// alone: those written before events had effects.
func effectOf(kind string) Effect {
	switch kind {
	case "pause", "stall", "suspend":
		return EffectStops
	case "clock-rate":
		return EffectSkews
	case "clock-step":
		return EffectSteps
	case "hold", "drop", "duplicate", "reorder":
		return EffectCatches
	case "error":
		return EffectFails
	case "cancel":
		return EffectCancels
	}
	return ""
}
