package campaign

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"lockquake/scenarios"
)

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
