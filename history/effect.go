package history

// Effect is the change that a fault makes to its target while it lasts. Some faults, such as a
// crash or a partition, make none of these changes and have no effect.
type Effect string

// The effects.
const (
	EffectStops   Effect = "stops"   // the target, or one of its tasks, is stopped
	EffectSkews   Effect = "skews"   // its clock runs at a wrong rate
	EffectSteps   Effect = "steps"   // its clock jumps
	EffectCatches Effect = "catches" // one message is delayed, lost or duplicated
	EffectFails   Effect = "fails"   // one request is answered with an error
	EffectCancels Effect = "cancels" // the context of one section ends
)

// effects lists the effects.
func effects() []string {
	return texts(EffectStops, EffectSkews, EffectSteps, EffectCatches, EffectFails, EffectCancels)
}

// effectOf returns the effect of a kind of fault. Read uses it for files that were written before
// events had effects.
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
