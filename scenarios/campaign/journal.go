package campaign

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
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

// CreateJournal begins a journal for runs of the scenario, and replaces an earlier one. It returns
// a [*JournalError], and keeps the file, if the file is not a journal or if a running campaign
// writes to it.
func CreateJournal(path string, s *scenarios.Scenario) (*Journal, error) {
	return openJournal(path, s, func(j *Journal) error {
		head := make([]byte, len(journalBeginning()))
		n, err := j.file.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !journalBegins(head[:n]) {
			return j.wrong(0, "the file is there, but it is not a journal of lockquake")
		}
		return nil
	})
}

// OpenJournal opens a journal of runs of the scenario, or begins one if there is none. It cuts off
// an incomplete last record, which a killed program leaves. It returns a [*JournalError] for a
// journal that is damaged elsewhere, or that belongs to another scenario or version of lockquake.
func OpenJournal(path string, s *scenarios.Scenario) (*Journal, error) {
	return openJournal(path, s, (*Journal).load)
}

func openJournal(path string, s *scenarios.Scenario, look func(*Journal) error) (*Journal, error) {
	file, err := journalFile(path)
	if err != nil {
		return nil, journalFault(err)
	}
	j := &Journal{path: path, file: file, writes: true, runs: map[string]map[uint64]journalPlace{}}
	if err = look(j); err == nil {
		err = file.Truncate(j.end)
	}
	if err != nil {
		return nil, errors.Join(journalFault(err), file.Close())
	}
	header := journalHeaderOf(s)
	if j.lines == 0 {
		j.header = header
		err = j.write(journalRecord{Journal: &header})
	} else {
		err = j.fits(header)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// journalFile opens a file that no other campaign writes.
func journalFile(path string) (*os.File, error) {
	for {
		if err := journalCouldBe(path); err != nil {
			return nil, err
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := journalLock(file); err != nil {
			return nil, errors.Join(&JournalError{path, 0, "a campaign that is under way writes it"}, file.Close())
		}
		mine, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		// Its last owner may have removed it before the lock was taken.
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// journalCouldBe returns a [*JournalError] if there is something other than a regular file, such as a directory or a device.
func journalCouldBe(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &JournalError{path, 0, "it is not a file that could be a journal"}
	}
	return nil
}

// journalFault adds the journal to an error, unless the error names it already.
func journalFault(err error) error {
	if _, ok := errors.AsType[*JournalError](err); ok {
		return err
	}
	return fmt.Errorf("journal: %w", err)
}

// ReadJournal reads a journal, which may be compressed by gzip, and does not change it. It returns
// a [*JournalError] if the journal is damaged.
func ReadJournal(path string) (*Journal, error) {
	if err := journalCouldBe(path); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{path: path, file: file, runs: map[string]map[uint64]journalPlace{}}
	if err = j.decompress(); err == nil {
		err = j.load()
	}
	if err == nil && j.lines == 0 {
		err = j.wrong(0, "the file is empty, or cut off in its first line")
	}
	if err != nil {
		return nil, errors.Join(journalFault(err), j.file.Close())
	}
	return j, nil
}

// decompress replaces a compressed journal by a plain temporary copy, since runs are read from
// their positions in the file. A system that cannot remove an open file keeps the copy in its
// directory for temporary files.
func (j *Journal) decompress() error {
	const magic = "\x1f\x8b"
	head := make([]byte, len(magic))
	if _, err := j.file.ReadAt(head, 0); err != nil || string(head) != magic {
		return nil //nolint:nilerr // what is too short is not compressed
	}
	packed := j.file
	z, err := gzip.NewReader(packed)
	if err != nil {
		return j.wrong(0, "it is compressed and cannot be read: %v", err)
	}
	plain, err := os.CreateTemp("", "lockquake-*.runs")
	if err != nil {
		return err
	}
	_ = os.Remove(plain.Name())
	j.file = plain
	if _, err := io.Copy(plain, z); err != nil {
		return errors.Join(j.wrong(0, "it is compressed and cannot be read: %v", err), packed.Close())
	}
	return packed.Close()
}

// load indexes the position of each run.
func (j *Journal) load() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return j.wrong(0, "it is not a file that could be a journal")
	}
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, 0, info.Size()), 1<<16)
	for {
		line, err := journalNext(r)
		if len(line) == 0 && errors.Is(err, io.EOF) {
			j.forgetSummed()
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return j.wrong(j.lines+1, "%v", err)
		}
		record, sound := journalContent(line)
		if !sound {
			if _, err := r.Peek(1); errors.Is(err, io.EOF) && (j.lines > 0 || journalBegins(line)) {
				j.forgetSummed()
				return nil // the program was killed while it wrote this line
			}
			if j.lines == 0 {
				return j.wrong(1, "this is not a journal of lockquake, or its beginning is damaged")
			}
			return j.wrong(j.lines+1, "the record is damaged")
		}
		if err := j.indexRecord(record, len(line)); err != nil {
			return err
		}
	}
}

// indexRecord reads one record of length bytes, and indexes it if it is a run.
func (j *Journal) indexRecord(content []byte, length int) error {
	at := j.lines + 1
	record, err := journalParse(content)
	if err != nil {
		return j.wrong(at, "%v", err)
	}
	switch {
	case (record.Journal != nil) != (j.lines == 0):
		return j.wrong(at, "a journal begins in its first line, and only there")
	case record.Journal != nil:
		j.header = *record.Journal
	case record.Asked != nil:
		j.asked = *record.Asked
	case record.Sums != nil:
		j.sums = record.Sums
	default:
		place := journalPlace{j, j.end, length, at}
		if err := j.index(record.Run.Label, record.Run.Seed, place); err != nil {
			return err
		}
	}
	j.lines, j.end = at, j.end+int64(length)
	return nil
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

// Import adds the runs of another journal that this one does not have. It returns a [*JournalError]
// if a run differs between the two, if the other journal has another scenario or version, or if both
// have sums of the same runs.
func (j *Journal) Import(from *Journal) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.total()
	defer func() { j.imported += j.total() - before }()
	if err := from.fits(j.header); err != nil {
		return err
	}
	if err := j.importSums(from); err != nil {
		return err
	}
	for run, place := range from.all() {
		if j.sums.has(run.Label, run.Seed) {
			continue
		}
		_, known := j.runs[run.Label][run.Seed]
		if !known && j.file != nil {
			line, err := place.read()
			if err == nil {
				err = j.put(run.Label, run.Seed, line)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := j.index(run.Label, run.Seed, place); err != nil {
			return err
		}
	}
	return nil
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
