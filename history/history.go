package history

import "time"

// Type says what an event is. The string is what is written to a history file.
type Type string

// The worker's voice, written by the recorder around a strategy.
const (
	// AcquireCalled: the worker asked its strategy for the section.
	AcquireCalled Type = "acquire-called"
	// Acquired: the strategy let the worker in; Token is its fence, 0 for none.
	Acquired Type = "acquired"
	// Told: the holder learned that its grant is lost; Err says by what.
	Told Type = "told"
	// ReleaseCalled: the body of the section was left; Err is the body's error.
	ReleaseCalled Type = "release-called"
	// Released: the strategy returned; Class and Err are its answer. A section
	// that was never acquired ends with it too.
	Released Type = "released"
	// Invoke: a read or write was sent to the resource by the worker.
	Invoke Type = "invoke"
	// OK: the operation of Request took effect; Value is what a read returned.
	OK Type = "ok"
	// Fail: the operation of Request had no effect: the resource refused it.
	Fail Type = "fail"
	// Info: nobody told the worker whether the operation of Request took effect.
	Info Type = "info"
	// Crashed: the worker's process ended without a word.
	Crashed Type = "crashed"
)

// The lock server's voice.
const (
	// Granted: the server gave Key to Owner until Until, on behalf of Worker.
	Granted Type = "granted"
	// Refused: the server declined Worker's request for Key, since Owner has it.
	Refused Type = "refused"
	// Renewed: the server moved the end of Owner's grant of Key to Until.
	Renewed Type = "renewed"
	// NotRenewed: the server declined to renew Owner's grant for Worker, since it
	// had been freed before.
	NotRenewed Type = "not-renewed"
	// Freed: Owner's grant of Key ended by a command of Worker.
	Freed Type = "freed"
	// Expired: Owner's grant of Key ended by the server's clock.
	Expired Type = "expired"
	// Evicted: Owner's grant of Key ended without a command: eviction, a reaper,
	// a restart without data.
	Evicted Type = "evicted"
	// Promoted: the replica on Node became the primary.
	Promoted Type = "promoted"
	// Restarted: the server on Node, which had crashed, answers again.
	Restarted Type = "restarted"
)

// The resource's voice, and what belongs to none of the three.
const (
	// Applied: Request reached the resource, which accepted or refused it
	// (Accepted). Value is what a read saw or a write left; Prior is the value
	// before it; Mark is the highest token that the resource had seen after it.
	Applied Type = "applied"
	// Final: the value of item Key when the run was over.
	Final Type = "final"
	// FaultBegin and FaultEnd: the fault of plan step Fault took hold of Target,
	// and let go. Request is the message that it caught, if it is a fault of one.
	FaultBegin Type = "fault"
	FaultEnd   Type = "heal"
)

// Class is the kind of answer that a call of a strategy gave.
type Class string

// The classes of an answer. ClassOther is an error that fits none of them.
const (
	ClassOK          Class = ""
	ClassNotObtained Class = "not-obtained"
	ClassLost        Class = "lost"
	ClassUnknown     Class = "unknown"
	ClassCancelled   Class = "cancelled"
	ClassRefused     Class = "refused" // the resource refused the token
	ClassOther       Class = "other"
)

// Event is one line of a history. Which fields count depends on Type; the
// others are zero and stay out of a file.
type Event struct {
	Seq      int64         `json:"seq"`                // position in the history, from 1, without gaps
	At       time.Duration `json:"at"`                 // true time since the run began, in nanoseconds
	Type     Type          `json:"type"`               //
	Worker   string        `json:"worker,omitempty"`   // who did it, or on whose behalf
	Section  int           `json:"section,omitempty"`  // which of the worker's sections, from 1
	Unit     string        `json:"unit,omitempty"`     // the piece of work that a section was asked for, if it is to be done once
	Request  int64         `json:"request,omitempty"`  // the operation or the command of a lock server that this belongs to, unique in a run
	Op       string        `json:"op,omitempty"`       // "read" or "write"
	Key      string        `json:"key,omitempty"`      // the lock's key, or the resource's item
	Value    string        `json:"value,omitempty"`    //
	Prior    string        `json:"prior,omitempty"`    //
	Token    int64         `json:"token,omitempty"`    // fence token, 0 for none
	Mark     int64         `json:"mark,omitempty"`     // highest token that the resource knows
	Accepted bool          `json:"accepted,omitempty"` //
	Node     string        `json:"node,omitempty"`     // the server that speaks
	Owner    string        `json:"owner,omitempty"`    // the value in the lock's record that says whose it is
	Until    time.Duration `json:"until,omitempty"`    // end of a grant (as At), or of a fault, if it is known now
	Sent     time.Duration `json:"sent,omitempty"`     // when the request was sent that was granted or refused (as At)
	Again    bool          `json:"again,omitempty"`    // it was the second copy of the request that did this
	Late     bool          `json:"late,omitempty"`     // the lease that was renewed or freed was over, and nobody had taken the lock since
	Class    Class         `json:"class,omitempty"`    //
	Err      string        `json:"err,omitempty"`      //
	Mode     string        `json:"mode,omitempty"`     // "shared" for a grant that others may have at the same time
	Fault    int           `json:"fault,omitempty"`    // step of the plan, from 1
	Kind     string        `json:"kind,omitempty"`     // kind of fault
	Effect   Effect        `json:"effect,omitempty"`   // what the fault does to its target, where it begins
	Target   string        `json:"target,omitempty"`   // what the fault took hold of
	Point    string        `json:"point,omitempty"`    // the point at which it fell, if it was tied to one
	Hit      string        `json:"hit,omitempty"`      // the keys that the fault deleted or evicted, with a comma between them
}

// Stop says why a run ended though some of its sections had not.
type Stop string

// The reasons.
const (
	StopNone Stop = ""     // every section ended, or nobody knows the reason
	StopIdle Stop = "idle" // nothing could happen any more
	StopCalm Stop = "calm" // for a long time no section was let in or ended
)

// Meta says which run a history is of.
type Meta struct {
	Schema   int               `json:"schema"`             // version of this format, 1
	Version  string            `json:"version"`            // of the program that wrote it
	Scenario string            `json:"scenario"`           //
	Strategy string            `json:"strategy"`           //
	Label    string            `json:"label"`              // how the scenario calls this use of the strategy
	Seed     uint64            `json:"seed"`               //
	Workload string            `json:"workload"`           // counter, register, ...
	Fence    string            `json:"fence"`              // the resource's policy: off, writes, reads-writes, ...
	Fenced   bool              `json:"fenced"`             // the strategy hands out tokens that promise to rise with every grant
	Tells    bool              `json:"tells,omitempty"`    // the strategy promises to tell its holder of a loss while it works
	MaxHold  time.Duration     `json:"max_hold,omitempty"` // bound on how long one grant is kept alive, 0 for none
	Unread   string            `json:"unread,omitempty"`   // why the holders of its locks cannot be read off their server; "" if they can
	Nodes    int               `json:"nodes,omitempty"`    // independent lock servers, 0 for one
	Quorum   int               `json:"quorum,omitempty"`   // how many of them make a grant, 0 for one
	Workers  []string          `json:"workers"`            // in the order of their numbers
	Initial  map[string]string `json:"initial,omitempty"`  // items that did not begin empty
	TTL      time.Duration     `json:"ttl,omitempty"`      // lease time of the lock, 0 for none
	Answer   time.Duration     `json:"answer,omitempty"`   // how long a client waits for an answer of a lock server, 0 if nobody knows
	Commit   string            `json:"commit,omitempty"`   // "after-release" if work writes when its section has returned; "": while it is inside
	Duration time.Duration     `json:"duration"`           // when the last sections and faults began
	End      time.Duration     `json:"end"`                // when the run was over
	Stopped  Stop              `json:"stopped,omitempty"`  // why, if a section was still open
	Checksum string            `json:"checksum,omitempty"` // of the run's trace
}

// History is the record of one run.
type History struct {
	Meta   Meta
	Events []Event
}

// Recorder collects the events of one run. It is not safe for concurrent use:
// a run has one thread.
type Recorder struct {
	events []Event
}

// Record appends an event and numbers it.
func (r *Recorder) Record(e Event) {
	e.Seq = int64(len(r.events)) + 1
	r.events = append(r.events, e)
}

// Events returns what was recorded so far. The slice is the recorder's own
// and valid until Reset.
func (r *Recorder) Events() []Event { return r.events }

// Reset forgets all events and keeps their room.
func (r *Recorder) Reset() { r.events = r.events[:0] }
