package history

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// Log collects the events of a run that is too large for a [History], by the lock that they are
// about. An event takes about 25 bytes instead of the about 400 of an [Event]: it has only the fields that
// are set, a name is a number, and times and numbers are differences to those of the previous event.
//
// The zero value is an empty log in memory; see [Log.Spill] for one that is larger. A log is not safe for
// concurrent use.
type Log struct {
	count int64
	parts []*part // in the order of their first events
	of    map[string]*part
	words map[string]uint64 // the numbers of the names
	names []string
	other []Event
	room  []byte // for one event

	bytes int64 // of all blocks in memory
	spill spill
}

// spill is where a log keeps the blocks for which it has no room.
type spill struct {
	file  Storage // nil: none
	above int64   // as many bytes stay in memory
	size  int64   // of the file
	err   error   // the first error of the file
}

// Storage stores the part of a log that is not in memory, such as a temporary file.
type Storage interface {
	io.WriterAt
	io.ReaderAt
}

// part has the events of one lock.
type part struct {
	blocks [][]byte // they do not move when the part grows
	stored []extent // the blocks in the file, which come before the last of blocks and after the others
	events int
	last   marks
}

// marks are the numbers of the event before, as of which those of the next one are stored.
type marks struct {
	seq, at, request, token int64
	owner                   string
}

// extent is the place of a block in a file.
type extent struct {
	at   int64
	size int
}

// The sizes of a part's blocks in bytes: each is twice as large as the one before, within these bounds.
const (
	leastBlock = 256
	mostBlock  = 4096
)

// Spill makes the log write further blocks to a file as soon as it has the given number of bytes in
// memory. The file must be empty. An error of the file is the error of Lock.
func (l *Log) Spill(file Storage, above int64) { l.spill = spill{file: file, above: above} }

// Spilled returns the number of bytes in the file.
func (l *Log) Spilled() int64 { return l.spill.size }

// Err returns the first error of the file that [Log.Spill] set. The log has lost events then.
func (l *Log) Err() error { return l.spill.err }

// Record numbers an event and appends a copy. Lock is the lock that it is about, "" for none.
func (l *Log) Record(lock string, e *Event) {
	l.count++
	e.Seq = l.count
	if lock == "" {
		l.other = append(l.other, *e)
		return
	}
	p := l.of[lock]
	if p == nil {
		if l.of == nil {
			l.of, l.words = map[string]*part{}, map[string]uint64{}
		}
		p = &part{}
		l.of[lock] = p
		l.parts = append(l.parts, p)
	}
	l.room = l.append(l.room[:0], e, &p.last)
	l.store(p, l.room)
}

// store appends the bytes of an event to the last block of a part.
func (l *Log) store(p *part, event []byte) {
	p.events++
	n := len(p.blocks)
	if n == 0 || cap(p.blocks[n-1])-len(p.blocks[n-1]) < len(event) {
		n = l.extend(p, len(event))
	}
	p.blocks[n-1] = append(p.blocks[n-1], event...)
}

// extend adds a block to a part, with room for an event of that size. It returns the number of blocks.
func (l *Log) extend(p *part, event int) int {
	n := len(p.blocks)
	size := leastBlock
	if n > 0 {
		size = min(2*cap(p.blocks[n-1]), mostBlock)
	}
	size = max(size, event)
	if n == 0 || l.spill.file == nil || len(p.stored) == 0 && l.bytes < l.spill.above {
		p.blocks = append(p.blocks, make([]byte, 0, size))
		l.bytes += int64(size)
		return n + 1
	}
	last := p.blocks[n-1]
	if _, err := l.spill.file.WriteAt(last, l.spill.size); err != nil {
		l.spill.err = cmp.Or(l.spill.err, err)
	}
	p.stored = append(p.stored, extent{l.spill.size, len(last)})
	l.spill.size += int64(len(last))
	if cap(last) < event { // else the block keeps its size, so that the bytes in memory stay within the bound
		l.bytes += int64(event - cap(last))
		last = make([]byte, 0, event)
	}
	p.blocks[n-1] = last[:0]
	return n
}

// Other returns the events of no lock, in order. The slice belongs to the log.
func (l *Log) Other() []Event { return l.other }

// Len returns the number of all events.
func (l *Log) Len() int64 { return l.count }

// Locks returns the number of locks that have events.
func (l *Log) Locks() int { return len(l.parts) }

// Lock returns the events of one of the locks, counted from 0 in the order of their first events. It
// reuses the memory of events. It returns the error of the file of [Log.Spill].
func (l *Log) Lock(i int, events []Event) ([]Event, error) {
	p := l.parts[i]
	events = append(events[:0], make([]Event, p.events)...)
	var last marks
	n := 0
	read := func(block []byte) {
		r := reader{log: l, text: string(block)} // the strings of the events are parts of it
		for len(r.text) > 0 {
			r.event(&events[n], &last)
			n++
		}
	}
	inMemory := len(p.blocks) - 1 // the stored blocks come before the last one
	for _, block := range p.blocks[:inMemory] {
		read(block)
	}
	for _, x := range p.stored {
		if cap(l.room) < x.size {
			l.room = make([]byte, x.size)
		}
		block := l.room[:x.size]
		if _, err := l.spill.file.ReadAt(block, x.at); err != nil || l.spill.err != nil {
			return nil, fmt.Errorf("events of a large run in a file: %w", cmp.Or(l.spill.err, err))
		}
		read(block)
	}
	for _, block := range p.blocks[inMemory:] {
		read(block)
	}
	return events, nil
}

// present has a bit for each field of an event, in the order in which append stores them. Fields that are often set
// come first, since a small number takes fewer bytes.
type present uint32

const (
	hasWorker present = 1 << iota
	hasKey
	hasSection
	hasRequest
	hasNode
	hasOwner
	hasSent
	hasUntil
	hasOp
	hasValue
	hasPrior
	hasAccepted
	hasToken
	hasMark
	sameOwner
	hasClass
	hasErr
	hasMode
	hasUnit
	hasAgain
	hasLate
	hasWith
	hasIf
	hasOthers
)

// fields returns the bits of the fields that are set.
func fields(e *Event, last *marks) present {
	var has present
	set := func(bit present, is bool) {
		if is {
			has |= bit
		}
	}
	set(hasWorker, e.Worker != "")
	set(hasKey, e.Key != "")
	set(hasSection, e.Section != 0)
	set(hasRequest, e.Request != 0)
	set(hasNode, e.Node != "")
	set(hasOwner, e.Owner != "" && e.Owner != last.owner)
	set(sameOwner, e.Owner != "" && e.Owner == last.owner)
	set(hasSent, e.Sent != 0)
	set(hasUntil, e.Until != 0)
	set(hasOp, e.Op != "")
	set(hasValue, e.Value != "")
	set(hasPrior, e.Prior != "")
	set(hasAccepted, e.Accepted)
	set(hasToken, e.Token != 0)
	set(hasMark, e.Mark != 0)
	set(hasClass, e.Class != "")
	set(hasErr, e.Err != "")
	set(hasMode, e.Mode != "")
	set(hasUnit, e.Unit != "")
	set(hasAgain, e.Again)
	set(hasLate, e.Late)
	set(hasWith, e.With != "")
	set(hasIf, e.If != nil)
	set(hasOthers, e.Others != "")
	return has
}

// append appends an event of a lock. The fields of faults are not among its fields.
func (l *Log) append(b []byte, e *Event, last *marks) []byte {
	has := fields(e, last)
	b = binary.AppendUvarint(b, uint64(has))
	b = binary.AppendUvarint(b, uint64(e.Seq-last.seq))
	b = binary.AppendUvarint(b, uint64(int64(e.At)-last.at))
	b = l.name(b, string(e.Type))
	last.seq, last.at = e.Seq, int64(e.At)
	number := func(bit present, n int64) {
		if has&bit != 0 {
			b = binary.AppendVarint(b, n)
		}
	}
	name := func(bit present, s string) {
		if has&bit != 0 {
			b = l.name(b, s)
		}
	}
	text := func(bit present, s string) {
		if has&bit != 0 {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	name(hasWorker, e.Worker)
	name(hasKey, e.Key)
	number(hasSection, int64(e.Section))
	number(hasRequest, e.Request-last.request)
	name(hasNode, e.Node)
	text(hasOwner, e.Owner)
	number(hasSent, int64(e.At-e.Sent))
	number(hasUntil, int64(e.Until-e.At))
	name(hasOp, e.Op)
	text(hasValue, e.Value)
	text(hasPrior, e.Prior)
	number(hasToken, e.Token-last.token)
	number(hasMark, e.Mark-e.Token)
	name(hasClass, string(e.Class))
	text(hasErr, e.Err)
	name(hasMode, e.Mode)
	text(hasUnit, e.Unit)
	name(hasWith, e.With)
	if c := e.If; c != nil {
		name(hasIf, c.By)
		number(hasIf, c.Version)
		text(hasIf, c.Value)
	}
	text(hasOthers, e.Others)
	last.keep(e)
	return b
}

// keep notes the numbers of an event for the next one.
func (m *marks) keep(e *Event) {
	if e.Request != 0 {
		m.request = e.Request
	}
	if e.Token != 0 {
		m.token = e.Token
	}
	if e.Owner != "" {
		m.owner = e.Owner
	}
}

// name appends the number of a name.
func (l *Log) name(b []byte, s string) []byte {
	n, ok := l.words[s]
	if !ok {
		n = uint64(len(l.names))
		l.words[s] = n
		l.names = append(l.names, s)
	}
	return binary.AppendUvarint(b, n)
}

// reader reads the bytes of events.
type reader struct {
	log  *Log
	text string
}

// unsigned reads a number that binary.AppendUvarint wrote.
func (r *reader) unsigned() uint64 {
	var n uint64
	for shift := 0; ; shift += 7 {
		c := r.text[0]
		r.text = r.text[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
}

// event reads the next event.
func (r *reader) event(e *Event, last *marks) {
	has := present(r.unsigned())
	number := func(bit present) int64 {
		if has&bit == 0 {
			return 0
		}
		n := r.unsigned()
		return int64(n>>1) ^ -int64(n&1)
	}
	name := func(bit present) string {
		if has&bit == 0 {
			return ""
		}
		return r.log.names[r.unsigned()]
	}
	text := func(bit present) string {
		if has&bit == 0 {
			return ""
		}
		n := r.unsigned()
		s := r.text[:n]
		r.text = r.text[n:]
		return s
	}
	last.seq += int64(r.unsigned())
	last.at += int64(r.unsigned())
	e.Seq, e.At = last.seq, time.Duration(last.at)
	e.Type = Type(r.log.names[r.unsigned()])
	e.Worker, e.Key = name(hasWorker), name(hasKey)
	e.Section = int(number(hasSection))
	if has&hasRequest != 0 {
		e.Request = last.request + number(hasRequest)
	}
	e.Node, e.Owner = name(hasNode), text(hasOwner)
	if has&sameOwner != 0 {
		e.Owner = last.owner
	}
	if has&hasSent != 0 {
		e.Sent = e.At - time.Duration(number(hasSent))
	}
	if has&hasUntil != 0 {
		e.Until = e.At + time.Duration(number(hasUntil))
	}
	e.Op, e.Value, e.Prior = name(hasOp), text(hasValue), text(hasPrior)
	if has&hasToken != 0 {
		e.Token = last.token + number(hasToken)
	}
	if has&hasMark != 0 {
		e.Mark = e.Token + number(hasMark)
	}
	e.Class, e.Err, e.Mode, e.Unit, e.With = Class(name(hasClass)), text(hasErr), name(hasMode), text(hasUnit), name(hasWith)
	if has&hasIf != 0 {
		e.If = &Condition{By: name(hasIf), Version: number(hasIf), Value: text(hasIf)}
	}
	e.Others = text(hasOthers)
	e.Accepted, e.Again, e.Late = has&hasAccepted != 0, has&hasAgain != 0, has&hasLate != 0
	last.keep(e)
}
