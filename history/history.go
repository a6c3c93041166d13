package history

import (
	"fmt"
	"time"
)

// Type is the type of an event, as written to a history file.
type Type string

// Events of workers, recorded around a strategy.
const (
	// AcquireCalled: the worker asked its strategy for the section.
	AcquireCalled Type = "acquire-called"
	// Acquired: the strategy let the worker in; Token is its fencing token, 0 for none.
	Acquired Type = "acquired"
	// Told: the holder learned that its grant is lost; Err says how.
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
	// Info: the worker did not learn whether the operation of Request took effect.
	Info Type = "info"
	// Crashed: the worker's process ended abruptly.
	Crashed Type = "crashed"
)

// Events of lock servers.
const (
	// Granted: the server gave Key to Owner until Until, on behalf of Worker.
	Granted Type = "granted"
	// Refused: the server declined Worker's request for Key because Owner has it.
	Refused Type = "refused"
	// Renewed: the server moved the end of Owner's grant of Key to Until.
	Renewed Type = "renewed"
	// NotRenewed: the server declined to renew Owner's grant for Worker because it had been freed
	// before.
	NotRenewed Type = "not-renewed"
	// Freed: Owner's grant of Key ended by a command of Worker.
	Freed Type = "freed"
	// Expired: Owner's grant of Key ended by the server's clock.
	Expired Type = "expired"
	// Evicted: Owner's grant of Key ended without a command: by eviction, a reaper, or a restart
	// without data.
	Evicted Type = "evicted"
	// LeftQueue: Owner, who waited in the queue of Key on behalf of Worker, is no longer in it because
	// its lease or its session ended.
	LeftQueue Type = "left-queue"
	// Promoted: the replica on Node became the primary.
	Promoted Type = "promoted"
	// Restarted: the server on Node had crashed and answers again.
	Restarted Type = "restarted"
)

// Events of the resource, and others.
const (
	// Applied: Request reached the resource, and Accepted tells whether the resource accepted it.
	// Value is the value that a read returned or a write left, Prior is the value before it, and
	// Mark is the highest token that the resource has seen, including this one.
	Applied Type = "applied"
	// Final: the value of item Key when the run was over.
	Final Type = "final"
	// FaultBegin and FaultEnd: the fault of plan step Fault began and ended at Target. Request is
	// the message that it affected, if it is a fault of a single message. Until of a heal is when
	// the last message arrives that the fault delayed, if that is later.
	FaultBegin Type = "fault"
	FaultEnd   Type = "heal"
)

// types lists the types of events.
func types() []string {
	return texts(
		AcquireCalled, Acquired, Told, ReleaseCalled, Released, Invoke, OK, Fail, Info, Crashed, Granted, Refused, Renewed, NotRenewed,
		Freed, Expired, Evicted, LeftQueue, Promoted, Restarted, Applied, Final, FaultBegin, FaultEnd,
	)
}

func texts[T ~string](words ...T) []string {
	list := make([]string, 0, len(words))
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// Class classifies the answer of a strategy's call.
type Class string

// The classes of an answer. ClassOther is an error that fits none of them.
const (
	ClassOK          Class = ""
	ClassNotObtained Class = "not-obtained"
	ClassLost        Class = "lost"
	ClassUnknown     Class = "unknown"
	ClassCancelled   Class = "cancelled"
	ClassRefused     Class = "refused"  // the resource refused the token
	ClassConflict    Class = "conflict" // another write came first, and the section had no effect
	ClassOther       Class = "other"
)

// classes lists the classes of an answer with an error.
func classes() []string {
	return texts(ClassNotObtained, ClassLost, ClassUnknown, ClassCancelled, ClassRefused, ClassConflict, ClassOther)
}

// Event is one line of a history. Type decides which fields are used; the others are zero and are
// left out of a file.
type Event struct {
	Seq      int64         `json:"seq"`                // position in the history, from 1, without gaps
	At       time.Duration `json:"at"`                 // true time since the run began, in nanoseconds
	Type     Type          `json:"type"`               //
	Worker   string        `json:"worker,omitempty"`   // who did it, or on whose behalf
	Section  int           `json:"section,omitempty"`  // which of the worker's sections, from 1
	Unit     string        `json:"unit,omitempty"`     // the piece of work that a section was asked for, if it is to be done once
	Request  int64         `json:"request,omitempty"`  // the operation, or the command to a lock server, that this belongs to; unique in a run
	Op       string        `json:"op,omitempty"`       // "read" or "write"
	Key      string        `json:"key,omitempty"`      // the lock's key, or the resource's item
	Value    string        `json:"value,omitempty"`    //
	Prior    string        `json:"prior,omitempty"`    //
	Token    int64         `json:"token,omitempty"`    // fencing token, 0 for none
	If       *Condition    `json:"if,omitempty"`       // of a write's Invoke: what must hold of the item for it to take effect; null for none
	Mark     int64         `json:"mark,omitempty"`     // highest token that the resource knows
	Accepted bool          `json:"accepted,omitempty"` //
	Node     string        `json:"node,omitempty"`     // the server that recorded the event
	Owner    string        `json:"owner,omitempty"`    // the value in the lock's record that identifies the holder
	Until    time.Duration `json:"until,omitempty"`    // end of a grant or of a fault (as At), if already known
	Sent     time.Duration `json:"sent,omitempty"`     // when the granted or refused request was sent (as At); of a script that the server did not know, when its hash was sent
	Again    bool          `json:"again,omitempty"`    // a second copy of the request caused this; of an AcquireCalled: the section repeats the work of the worker's previous section
	With     string        `json:"with,omitempty"`     // of an Evicted or LeftQueue: what the grant or the place in the queue ended with, "session" or "transaction"; "" for neither
	Late     bool          `json:"late,omitempty"`     // the renewed or freed lease had expired, but nobody had taken the lock since
	Class    Class         `json:"class,omitempty"`    //
	Err      string        `json:"err,omitempty"`      //
	Mode     string        `json:"mode,omitempty"`     // "shared" for a grant that allows other shared ones; of an AcquireCalled: "shared" if the section shares the lock with others of that mode
	Others   string        `json:"others,omitempty"`   // of an AcquireCalled: the other keys that the same call of the strategy asks for, separated by commas
	Fault    int           `json:"fault,omitempty"`    // step of the plan, from 1
	Kind     string        `json:"kind,omitempty"`     // kind of fault
	Effect   Effect        `json:"effect,omitempty"`   // of a FaultBegin: what the fault does to its target
	Target   string        `json:"target,omitempty"`   // of a fault: the worker, node or link
	Point    string        `json:"point,omitempty"`    // the point that triggered the fault, if it was tied to one
	Hit      string        `json:"hit,omitempty"`      // keys that the fault deleted or evicted, separated by commas
}

// Condition must hold of an item for a conditional write to take effect. The resource refuses the
// write otherwise.
type Condition struct {
	By      string `json:"by"`                // "version" or "value"
	Version int64  `json:"version,omitempty"` // the number of writes that the item must have had, an initial value included
	Value   string `json:"value,omitempty"`   // the value that the item must have; it must exist
}

// Stop says why a run ended while sections were still open.
type Stop string

// The reasons.
const (
	StopNone Stop = ""     // every section ended, or the reason is unknown
	StopIdle Stop = "idle" // nothing could happen any more
	StopCalm Stop = "calm" // no section was let in or ended for a long time
)

// Meta describes the run of a history.
type Meta struct {
	Schema      int               `json:"schema"`                 // version of this format, 1
	Version     string            `json:"version"`                // of the program that wrote it
	Scenario    string            `json:"scenario"`               //
	Strategy    string            `json:"strategy"`               //
	Label       string            `json:"label"`                  // the scenario's name for this use of the strategy
	Seed        uint64            `json:"seed"`                   //
	Workload    string            `json:"workload"`               // counter, register, ...
	Fence       string            `json:"fence"`                  // the resource's policy: off, writes, reads-writes, ...
	Fenced      bool              `json:"fenced"`                 // the strategy promises tokens that rise with every grant
	Tells       bool              `json:"tells,omitempty"`        // the strategy promises to tell its holder of a loss while it works
	Doubts      bool              `json:"doubts,omitempty"`       // the strategy tells its holder of a loss as soon as it cannot reach the servers, which may still hold the lock
	MaxHold     time.Duration     `json:"max_hold,omitempty"`     // maximum time for which one grant is renewed, 0 for no limit
	Margin      time.Duration     `json:"margin,omitempty"`       // how long before the end of its lease a holder may give it up, 0 for not before
	LockFree    bool              `json:"lock_free,omitempty"`    // the strategy takes no lock, so no worker ever holds anything
	Keeps       bool              `json:"keeps,omitempty"`        // an owner keeps its grant from section to section
	Unread      string            `json:"unread,omitempty"`       // why the holders cannot be read from the server's records; "" if they can
	Nodes       int               `json:"nodes,omitempty"`        // independent lock servers, 0 for one
	Quorum      int               `json:"quorum,omitempty"`       // how many of them have to grant a lock, 0 for one
	Members     int               `json:"members,omitempty"`      // members of one replicated service that has the locks, 0 if there is none
	Leader      string            `json:"leader,omitempty"`       // the member that led them at first, "" if there is none or it is unknown
	Replica     bool              `json:"replica,omitempty"`      // the strategy waits for a replica of the server, or the work reads from it
	Workers     []string          `json:"workers"`                // in the order of their numbers
	Processes   int               `json:"processes,omitempty"`    // over which the workers are spread in turn, 0 if each has its own
	Initial     map[string]string `json:"initial,omitempty"`      // items that did not begin empty
	TTL         time.Duration     `json:"ttl,omitempty"`          // lease time of the lock, 0 for none
	Counted     time.Duration     `json:"counted,omitempty"`      // the lease that a holder counts on, if the servers may keep it for longer (TTL); 0 for the TTL
	Answer      time.Duration     `json:"answer,omitempty"`       // how long a client waits for an answer of a lock server, 0 if unknown
	NodeTimeout time.Duration     `json:"node_timeout,omitempty"` // how long a strategy waits for one of several independent servers, 0 for as long as the client
	Slowest     time.Duration     `json:"slowest,omitempty"`      // how long the slowest message of the run took without a fault, 0 if unknown
	Clocks      Clocks            `json:"clocks,omitempty"`       // how far wall clocks are ahead from the start, negative if behind, by worker or server (lock: all of its servers)
	Commit      string            `json:"commit,omitempty"`       // "after-release" if the work writes after its section has returned, "" if inside it
	Tries       int               `json:"tries,omitempty"`        // how often a unit of work may be begun, 0 for no limit
	Limit       int               `json:"limit,omitempty"`        // of a rate limit: how many requests a window may admit, 0 for none
	Window      time.Duration     `json:"window,omitempty"`       // the length of that window
	Permits     int               `json:"permits,omitempty"`      // how many sections of one lock may be at work at once, 0 for one
	Duration    time.Duration     `json:"duration"`               // when the last sections and faults began
	End         time.Duration     `json:"end"`                    // when the run was over
	Stopped     Stop              `json:"stopped,omitempty"`      // why it ended, if a section was still open
	Checksum    string            `json:"checksum,omitempty"`     // of the run's trace
	Part        *Part             `json:"part,omitempty"`         // of a history with only the events of one lock of a run; null for a whole run
}

// Clocks has how far wall clocks are ahead, negative if they are behind, by the names of workers and servers. "lock" stands for all
// servers of the lock.
type Clocks map[string]time.Duration

// Part says which part of a run a history has, and what the checks of one lock need to know of the whole run.
type Part struct {
	Lock      string        `json:"lock"`                // the lock whose events the history has, with the faults that concern it
	Locks     int           `json:"locks"`               // number of locks of the run
	Workers   int           `json:"workers"`             // number of workers that asked for a section in the run
	Longest   time.Duration `json:"longest,omitempty"`   // the longest work of a section of the run
	Messages  time.Duration `json:"messages,omitempty"`  // what the messages of a section of the run take, its own and those of the next acquire: the median
	Renewed   bool          `json:"renewed,omitempty"`   // a lease was renewed in the run
	Witnessed bool          `json:"witnessed,omitempty"` // the resource recorded in the run what took effect
}

func (p *Part) String() string {
	return fmt.Sprintf("events of lock %s only; the run has %d locks", p.Lock, p.Locks)
}

// History is the record of one run.
type History struct {
	Meta   Meta
	Events []Event
}

// Recorder collects the events of one run. It is not safe for concurrent use.
type Recorder struct {
	events []Event
}

// Record appends an event and numbers it.
func (r *Recorder) Record(e Event) {
	e.Seq = int64(len(r.events)) + 1
	r.events = append(r.events, e)
}

// Events returns the events recorded so far. The slice belongs to the recorder and is valid until
// Reset.
func (r *Recorder) Events() []Event { return r.events }

// Reset removes all events and keeps the memory for new ones.
func (r *Recorder) Reset() { r.events = r.events[:0] }
