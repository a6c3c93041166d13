package faults

import "slices"

// The points that a kind of fault may be tied to, for KindInfo.Point.
const (
	// AnyPoint: a moment or any point.
	AnyPoint = "any"
	// MessagePoint: only a point at which a message begins its way, named
	// <operation>.sent for a request and <operation>.replied for a reply.
	MessagePoint = "message"
	// RequestPoint: only <operation>.sent.
	RequestPoint = "request"
)

// Effect names the change that a fault makes to its target while it lasts, as the
// events of a history name it. A fault that makes none of these changes has none.
type Effect string

// The effects.
const (
	Stops   Effect = "stops"   // the target, or one of its tasks, stands still
	Skews   Effect = "skews"   // its clock goes at a rate of its own
	Steps   Effect = "steps"   // its clock is moved at once
	Catches Effect = "catches" // one message is late, lost or there twice
	Fails   Effect = "fails"   // one request is answered with an error
	Cancels Effect = "cancels" // the context of one section ends
)

// KindInfo is what the catalogue says of a kind of fault.
type KindInfo struct {
	Kind Kind
	// Doc is one line for a list.
	Doc string
	// Params are the parameters that it takes, by their names in a scenario
	// file.
	Params []string
	// Point is AnyPoint, MessagePoint or RequestPoint.
	Point string
	// Server: it can take hold of a server too, or of nothing else if there is
	// no worker that it could take hold of.
	Server, OnlyServer bool
	// Instant: it takes no time.
	Instant bool
	// Effect is for the checks, which tell faults apart by it.
	Effect Effect

	// check says what is wrong with the parameters that few kinds have; nil if
	// this one has none of them.
	check func(p Params) error
	// validate says what is wrong with the names of workers and servers.
	validate func(s Spec, workers, nodes []string) error
	// actions are what one fault does, an action for each target, without the
	// kind and the length.
	actions func(s Spec, workers []string) []Action
	// words is the text between the kind and the length in the text of a
	// step, and parse reads it.
	words func(a Action) []string
	parse func(r *stepReader) Action
}

// Kinds is the catalogue.
func Kinds() []KindInfo {
	return []KindInfo{
		pauseKind(), stallKind(), suspendKind(), crashKind(), clockStepKind(), clockRateKind(),
		overrunKind(), cancelKind(),
		holdKind(), dropKind(), duplicateKind(), reorderKind(), errorKind(),
		partitionKind(), resetKind(), latencyKind(), lossKind(),
		overloadKind(), failoverKind(), deleteKind(), evictKind(), staleKind(), answerErrorsKind(),
	}
}

// kindInfo finds a kind in the catalogue.
func kindInfo(kind Kind) (KindInfo, bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k KindInfo) bool { return k.Kind == kind })
	if i < 0 {
		return KindInfo{}, false
	}
	return kinds[i], true
}

// does returns the kind with its effect.
func (info KindInfo) does(effect Effect) KindInfo {
	info.Effect = effect
	return info
}

// each returns the workers that a name stands for: all of EachWorker, or the
// name alone.
func each(name string, workers []string) []string {
	if name == EachWorker {
		return workers
	}
	return []string{name}
}
