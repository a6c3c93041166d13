package faults

import (
	"fmt"
	"slices"
	"time"
)

// Crash ends a process abruptly, and starts it again when the fault ends. A worker restarts with
// empty memory. A server restarts with the data that it had saved, or with what Data names.
type Crash struct {
	OnNode
	// Data selects what is left of a server's data; the default follows from its persistence.
	Data Data "yaml:\"data\" without:\"by the server's `persistence`\" doc:\"what a server still knows after this crash; kept: everything; lost: nothing; written: the process was killed, its machine keeps running, and all that its persistence has written is there; unless given, the power went, and what its persistence has synchronised is there\""
}

// Data names what is left of a server's data after a crash.
type Data string

// The values of Data.
const (
	DataByPersistence Data = ""     // what its persistence has saved
	DataKept          Data = "kept" // everything
	DataLost          Data = "lost" // nothing
	// DataWritten: the process was killed, but its machine runs on. Everything that the server
	// had written to a file is left, synchronised or not. That is all data, unless its
	// persistence is none.
	DataWritten Data = "written"
)

// Noun implements Word.
func (Data) Noun() string { return "data" }

// Words implements Word.
func (Data) Words() []string { return asStrings(DataKept, DataLost, DataWritten) }

// Info implements Fault.
func (*Crash) Info() Info {
	return kind[Crash](Info{
		Kind: "crash", Kills: true,
		Doc: "ends the process of a worker abruptly, or cuts the power of a server (data: written only kills its process), and starts it again after the time given",
	})
}

func (*Crash) places() []Place {
	lock := OnNode{lockServers}
	return []Place{
		{Name: "crash", Letter: "c", Default: true, Order: 40, Fault: &Crash{}, Doc: "the worker's process ends, and is started again later"},
		{Name: "server-crash", Letter: "s", Default: true, Order: 50, Fault: &Crash{lock, DataLost}, For: briefly, Doc: "the lock's server crashes, and is back at once without its data"},
		{Name: "server-restart", Letter: "r", Order: 60, Fault: &Crash{lock, DataKept}, For: briefly, Doc: "the lock's server restarts, with its data"},
	}
}

func (f *Crash) needs() []Need { return []Need{{What: NeedsProcess, Name: f.Target}} }

func (f *Crash) check(s Spec, workers, nodes []string) error {
	if f.Data != DataByPersistence {
		switch err := checkParam("data", f.Data); {
		case err != nil:
			return err
		case !slices.Contains(nodes, f.Target):
			return &ParamError{"data", "a worker keeps no data"}
		case f.Target == "resource":
			return &ParamError{"data", "the fence policy of the resource decides what it keeps"}
		}
	}
	return f.OnNode.check(s, workers, nodes)
}

func (f *Crash) words() []string {
	if f.Data == DataByPersistence {
		return f.OnNode.words()
	}
	return append(f.OnNode.words(), "data", string(f.Data))
}

func (f *Crash) read(r *reader) {
	f.OnNode.read(r)
	if r.next("data") {
		f.Data = Data(r.word("data"))
		r.known(f.Data)
	}
}

func (*Crash) supported(servers any) bool {
	_, can := servers.(interface {
		Crash(nodes []string, data Data, d time.Duration)
	})
	return can
}

// Apply implements Fault.
func (f *Crash) Apply(on any, d time.Duration) error {
	type crasher interface {
		Crash(target string, data Data, d time.Duration) error
	}
	return ask(on, f, func(t crasher) error { return t.Crash(f.Target, f.Data, d) })
}

// Begins implements Fault. A worker's crash has no sentence here: the last event of the worker has one.
func (*Crash) Begins(s Scene) string {
	if s.Worker || s.Down {
		return ""
	}
	return "crashes"
}

// Ends implements Fault. The lock's servers have no sentence here: each has an event for its restart.
func (f *Crash) Ends(s Scene) (text string, turning bool) {
	if !s.Down || !s.Worker && f.Target != "resource" {
		return "", false
	}
	return "starts again", false
}

// EndsLease implements LeaseEnder.
func (*Crash) EndsLease(worker string) string { return fmt.Sprintf("forgets the lease of %s", worker) }
