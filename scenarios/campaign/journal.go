package campaign

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"sync"

	"lockquake/scenarios"
)

// Journal stores each run of a campaign when it ends, so that no finished run is lost when the
// program is stopped or killed. It is a text file with one record per line, to which records are
// appended. A record has the figures of a run that are summed up, and no history. If the campaign has
// more than a million runs, a record with their sums replaces the runs of each finished block of
// seeds; journalsums.go has that.
//
// Each record is written by one system call, without fsync: the journal survives a crash of the
// program, but a power cut may lose the last records. A file that replaces the journal is synced.
type Journal struct {
	path   string
	file   *os.File // nil: the journal combines others and has no file
	writes bool
	header journalHeader

	mu    sync.Mutex
	asked journalAsked // of the campaign that began last
	runs  map[string]map[uint64]journalPlace
	count int   // of the single runs
	sums  *sums // of other runs; nil if there are none
	lines int
	end   int64 // of the last complete record

	imported int    // runs that are in another journal too
	source   string // the path of the journal that the sums were imported from; "" if they were not

	order []string // of a combined journal: the labels of the scenario
}

// journalPlace is the position of the record of a run.
type journalPlace struct {
	in     *Journal
	offset int64
	length int
	line   int
}

// JournalError reports a journal that cannot be used, because it is damaged or belongs to other
// runs. Its text is a single line.
type JournalError struct {
	Path string
	Line int // 0: all of it
	Text string
}

func (e *JournalError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text)
}

func (j *Journal) wrong(line int, format string, args ...any) error {
	return &JournalError{j.path, line, fmt.Sprintf(format, args...)}
}

// index stores the position of a run. A run may occur twice if both records are equal.
func (j *Journal) index(label string, seed uint64, place journalPlace) error {
	seeds := j.runs[label]
	if seeds == nil {
		seeds = map[uint64]journalPlace{}
		j.runs[label] = seeds
	}
	earlier, found := seeds[seed]
	if !found {
		seeds[seed] = place
		j.count++
		return nil
	}
	one, err := earlier.read()
	if err != nil {
		return err
	}
	two, err := place.read()
	if err != nil {
		return err
	}
	if !bytes.Equal(one, two) {
		return place.in.wrong(place.line, "seed %d of %.60q is not the same run as in %s, line %d", seed, label, earlier.in.path, earlier.line)
	}
	return nil
}

// read returns the record.
func (p journalPlace) read() ([]byte, error) {
	line := make([]byte, p.length)
	if _, err := p.in.file.ReadAt(line, p.offset); err != nil {
		return nil, p.in.wrong(p.line, "read it again: %v", err)
	}
	return line, nil
}

// fits returns an error if the journal has other runs than those of the header.
func (j *Journal) fits(want journalHeader) error {
	if text := j.header.differs(want); text != "" {
		return j.wrong(1, "%s", text)
	}
	return nil
}

// Runs returns the number of runs in the journal.
func (j *Journal) Runs() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.total()
}

func (j *Journal) total() int {
	if j.sums != nil {
		return j.count + j.sums.runs()
	}
	return j.count
}

// Close closes the journal. It removes the file if it has no runs of its own: all are imported from other journals.
func (j *Journal) Close() error {
	if j.writes && j.Runs() == j.imported {
		return j.Remove()
	}
	return j.file.Close()
}

// Remove closes the journal and removes its file.
func (j *Journal) Remove() error {
	// Remove the file before the lock is released, where the system allows it.
	err := os.Remove(j.path)
	closeErr := j.file.Close()
	if err != nil {
		err = os.Remove(j.path)
	}
	return errors.Join(err, closeErr)
}

// all iterates over the runs: by strategy, in the requested order, and then by seed.
func (j *Journal) all() iter.Seq2[journalRun, journalPlace] {
	labels := slices.Sorted(maps.Keys(j.runs))
	slices.SortStableFunc(labels, func(a, b string) int {
		return cmp.Compare(uint(slices.Index(j.asked.Strategies, a)), uint(slices.Index(j.asked.Strategies, b)))
	})
	return func(yield func(journalRun, journalPlace) bool) {
		for _, label := range labels {
			for _, seed := range slices.Sorted(maps.Keys(j.runs[label])) {
				if !yield(journalRun{label, seed}, j.runs[label][seed]) {
					return
				}
			}
		}
	}
}

// WriteTo writes the journal with its runs in order, so that two journals of the same runs are the
// same file.
func (j *Journal) WriteTo(w io.Writer) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var written int64
	out := bufio.NewWriter(w)
	put := func(line []byte) error {
		n, err := out.Write(line)
		written += int64(n)
		return err
	}
	head, err := j.head()
	if err != nil {
		return written, err
	}
	if err := put(head); err != nil {
		return written, err
	}
	for _, place := range j.all() {
		line, err := place.read()
		if err != nil {
			return written, err
		}
		if err := put(line); err != nil {
			return written, err
		}
	}
	return written, out.Flush()
}

// head returns the records before the single runs.
func (j *Journal) head() ([]byte, error) {
	var head []byte
	records := []journalRecord{{Journal: &j.header}, {Asked: &j.asked}}
	if j.sums != nil {
		records = append(records, journalRecord{Sums: j.sums})
	}
	for _, record := range records {
		line, err := journalLine(record)
		if err != nil {
			return nil, err
		}
		head = append(head, line...)
	}
	return head, nil
}

// ask records which runs a campaign has.
func (j *Journal) ask(s *scenarios.Scenario, asked journalAsked) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.fits(journalHeaderOf(s)); err != nil {
		return err
	}
	if j.asked.same(asked) {
		return nil
	}
	j.asked = asked
	return j.write(journalRecord{Asked: &asked})
}

// has reports whether a run is in the journal; a nil journal has none.
func (j *Journal) has(label string, seed uint64) bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, found := j.runs[label][seed]
	return found
}

// keep writes a run in the form that line returns.
func (j *Journal) keep(label string, seed uint64, line []byte) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.put(label, seed, line)
}

// put adds the record of a run that the journal does not have.
func (j *Journal) put(label string, seed uint64, line []byte) error {
	place := journalPlace{j, j.end, len(line), j.lines + 1}
	if err := j.add(line); err != nil {
		return err
	}
	return j.index(label, seed, place)
}

// write adds a record of another sort than a run.
func (j *Journal) write(record journalRecord) error {
	if j.file == nil {
		return nil
	}
	line, err := journalLine(record)
	if err != nil {
		return err
	}
	return j.add(line)
}

// add appends a line. It overwrites an incomplete line at the end.
func (j *Journal) add(line []byte) error {
	if _, err := j.file.WriteAt(line, j.end); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.lines, j.end = j.lines+1, j.end+int64(len(line))
	return nil
}
