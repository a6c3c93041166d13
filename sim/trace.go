package sim

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Traced is a payload that adds text to the trace, and so to the checksum.
type Traced interface {
	// AppendTrace appends the payload in a readable form without line breaks.
	AppendTrace(b []byte) []byte
}

// kind is the kind of a line in the trace.
type kind byte

const (
	kindPoint kind = iota
	kindSent
	kindArrived
	kindApplied
	kindReplied
	kindTaken
	kindHeld
	kindLost
	kindReset
	kindClosed
	kindTask
	kindPause
	kindResume
	kindCrash
	kindCut
	kindHeal
	kindClock
	kindRecord
	// New kinds go to the end: a checksum covers their numbers.
	kindRestart
	kindImpair
	kindResent
	kindDuplicate
	kindFailed
	kindService
	kindExit
)

func (k kind) String() string {
	return [...]string{
		"point", "sent", "arrived", "applied", "replied", "taken", "held", "lost", "reset", "closed",
		"task", "pause", "resume", "crash", "cut", "heal", "clock", "record",
		"restart", "impair", "resent", "copied", "failed", "service", "exit",
	}[k]
}

// trace computes a checksum of everything that happens, and writes it down if there is a writer.
type trace struct {
	digest *xxhash.Digest
	rolled uint64 // hash of the times of all events, including those without a line
	buffer []byte
	out    io.Writer
	line   []byte
}

func newTrace(out io.Writer) trace {
	return trace{digest: xxhash.New(), buffer: make([]byte, 0, 8192), out: out}
}

// tick adds the time of an event.
func (t *trace) tick(at int64) {
	t.rolled = bits.RotateLeft64(t.rolled^uint64(at), 23) * 0x9E3779B97F4A7C15
}

// begin starts an entry; its payload may be appended to the buffer before end.
func (t *trace) begin(at int64, k kind, actor, what string, number int64) {
	t.buffer = appendEntry(t.buffer, at, k, actor, what, number)
	if t.out != nil {
		t.beginLine(at, k, actor, what, number)
	}
}

// An entry has the time, its kind and the lengths of its two texts, the texts, and a number.
const entryTail = 8

// appendEntry appends an entry without its payload.
func appendEntry(b []byte, at int64, k kind, actor, what string, number int64) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	b = append(b, byte(k), byte(len(actor)), byte(len(what)))
	b = append(b, actor...)
	b = append(b, what...)
	return binary.LittleEndian.AppendUint64(b, uint64(number))
}

// beginLine starts the line of an entry.
func (t *trace) beginLine(at int64, k kind, actor, what string, number int64) {
	t.line = appendSeconds(t.line[:0], at)
	t.line = fmt.Appendf(t.line, " %-8s %s %s", k, actor, what)
	if number != 0 {
		t.line = strconv.AppendInt(append(t.line, ' '), number, 10)
	}
}

// payload adds the payload of a request or reply.
func (t *trace) payload(p any) {
	if traced, ok := p.(Traced); ok {
		from := len(t.buffer)
		t.buffer = traced.AppendTrace(t.buffer)
		if t.out != nil {
			t.line = append(append(t.line, ' '), t.buffer[from:]...)
		}
	}
}

// beginStamped is begin for an entry whose text is known.
func (t *trace) beginStamped(s *stamp, at, number int64) {
	from := len(t.buffer)
	t.buffer = append(t.buffer, s.entry...)
	b := t.buffer[from:]
	binary.LittleEndian.PutUint64(b, uint64(at))
	binary.LittleEndian.PutUint64(b[len(b)-entryTail:], uint64(number))
	if t.out != nil {
		t.beginLine(at, s.kind, s.actor, s.what, number)
	}
}

// mostBuffered is about how many bytes are hashed at once.
const mostBuffered = 4096

func (t *trace) end() {
	if len(t.buffer) > mostBuffered {
		t.flush()
	}
	if t.out != nil {
		// An error of the writer does not change the run. The caller has to ask its writer for
		// errors.
		_, _ = t.out.Write(append(t.line, '\n'))
	}
}

func (t *trace) flush() {
	_, _ = t.digest.Write(t.buffer) // it never fails
	t.buffer = t.buffer[:0]
}

func (t *trace) sum() string {
	t.flush()
	return fmt.Sprintf("%016x", t.digest.Sum64()^bits.RotateLeft64(t.rolled, 32))
}

// appendSeconds writes true time as seconds with nine decimals.
func appendSeconds(b []byte, at int64) []byte {
	return fmt.Appendf(b, "%d.%09d", at/1e9, at%1e9)
}

// note adds an entry without a payload.
func (w *World) note(k kind, actor, what string, number int64) {
	w.trace.begin(w.now, k, actor, what, number)
	w.trace.end()
}

// Note adds an event of the run's history to the trace.
func (w *World) Note(actor, what string, payload Traced) {
	w.trace.begin(w.now, kindRecord, actor, what, 0)
	if payload != nil {
		w.trace.payload(payload)
	}
	w.trace.end()
}
