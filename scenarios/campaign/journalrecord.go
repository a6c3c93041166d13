package campaign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// A line of a journal is a CRC-32C in 8 hexadecimal digits, a blank, and the JSON
// object that the checksum covers. The object is the header of the journal, a
// campaign that was begun, one run, or the sums of runs. Sums replace the sums of
// earlier lines, and the runs that they include.

// journalFormat is the version of the format.
const journalFormat = 2

// journalRecord is the content of a line: one of these is set.
type journalRecord struct {
	Journal *journalHeader `json:"journal,omitempty"`
	Asked   *journalAsked  `json:"asked,omitempty"`
	Run     *journalRun    `json:"run,omitempty"`
	Sums    *sums          `json:"sums,omitempty"`
}

// journalHeader identifies the scenario of the runs, and contains it, so that the runs can be
// judged.
type journalHeader struct {
	Format    int      `json:"format"`
	Version   string   `json:"version"`         // of lockquake
	Build     string   `json:"build,omitempty"` // the commit that it was built from, if that is known
	Scenario  string   `json:"scenario"`
	Path      string   `json:"path"`
	Hash      string   `json:"hash"`
	Overrides []string `json:"overrides,omitempty"` // path=value
	Text      string   `json:"text"`                // of the file, before the overrides
}

// journalAsked describes a campaign: all its seeds, including those of other shards.
type journalAsked struct {
	Strategies []string          `json:"strategies"` // labels
	Seeds      results.SeedRange `json:"seeds"`
	Until      float64           `json:"until,omitempty"`
}

// journalRun identifies a run.
type journalRun struct {
	Label string `json:"label"`
	Seed  uint64 `json:"seed"`
}

// storedRun is a run with its summary.
type storedRun struct {
	journalRun
	summary
}

func journalHeaderOf(s *scenarios.Scenario) journalHeader {
	return journalHeader{journalFormat, results.Version, build(), s.Name, s.Path, s.Hash, s.OverrideTexts(), string(s.Original())}
}

// build returns the commit of the program's source, and whether it was modified; "" if that is
// unknown, as in a test. Two states of one unreleased version may run the same seed differently.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var commit, changed string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			changed = map[string]string{"true": ", changed"}[s.Value]
		}
	}
	return commit + changed
}

// differs returns why the runs of two journals cannot be combined, "" if they can.
func (h journalHeader) differs(want journalHeader) string {
	set := func(overrides []string) string {
		if len(overrides) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%.200q", strings.Join(overrides, ", "))
	}
	switch {
	case h.Version != want.Version:
		return fmt.Sprintf("its runs are of lockquake %.30q, and not of %q", h.Version, want.Version)
	case h.Build != "" && want.Build != "" && h.Build != want.Build:
		return fmt.Sprintf("its runs are of a lockquake built from %.60q, and not from %q", h.Build, want.Build)
	case h.Scenario != want.Scenario:
		return fmt.Sprintf("its runs are of the scenario %.60q, and not of %q", h.Scenario, want.Scenario)
	case !slices.Equal(h.Overrides, want.Overrides):
		return fmt.Sprintf("its runs have set %s, and not %s", set(h.Overrides), set(want.Overrides))
	case h.Hash != want.Hash:
		return fmt.Sprintf("its runs are of another state of the scenario: hash %.20q, and not %q", h.Hash, want.Hash)
	}
	return ""
}

func (a journalAsked) same(b journalAsked) bool {
	return slices.Equal(a.Strategies, b.Strategies) && a.Seeds == b.Seeds && a.Until == b.Until
}

// Scenario reads the scenario of the runs. Own is as in [scenarios.Parse]. The file of an empirical
// distribution has to be where it was.
func (j *Journal) Scenario(own ...lock.Entry) (*scenarios.Scenario, error) {
	return j.ScenarioWithFiles(nil, own...)
}

// ScenarioWithFiles is Scenario with the files of empirical distributions, as in
// [scenarios.ParseWithFiles].
func (j *Journal) ScenarioWithFiles(files map[string][]byte, own ...lock.Entry) (*scenarios.Scenario, error) {
	var overrides []results.Override
	for _, text := range j.header.Overrides {
		o, err := scenarios.ParseOverride(text)
		if err != nil {
			return nil, j.wrong(1, "its scenario: %v", err)
		}
		overrides = append(overrides, o)
	}
	s, err := scenarios.ParseWithFiles(j.header.Path, []byte(j.header.Text), files, own...)
	if err == nil {
		s, err = s.With(overrides)
	}
	if err != nil {
		return nil, j.wrong(1, "its scenario: %v", err)
	}
	return s, j.fits(journalHeaderOf(s))
}

// journalChecksum returns the checksum of the content of a line.
func journalChecksum(content []byte) uint32 {
	return crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))
}

// journalLine returns a record in the form of the file.
func journalLine(record any) ([]byte, error) {
	content, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return fmt.Appendf(nil, "%08x %s\n", journalChecksum(content), content), nil
}

// line returns the record of a run; nil without a journal.
func (j *Journal) line(label string, seed uint64, s *summary) ([]byte, error) {
	if j == nil {
		return nil, nil
	}
	return journalLine(map[string]storedRun{"run": {journalRun{label, seed}, *s}})
}

// journalChecksumLength is the number of bytes before the content of a line.
const journalChecksumLength = len("00000000 ")

// journalContent returns the content of a line, if its checksum is right.
func journalContent(line []byte) (content []byte, sound bool) {
	content, whole := bytes.CutSuffix(line, []byte("\n"))
	if !whole || len(content) < journalChecksumLength || content[journalChecksumLength-1] != ' ' {
		return nil, false
	}
	sum, err := strconv.ParseUint(string(content[:journalChecksumLength-1]), 16, 32)
	content = content[journalChecksumLength:]
	return content, err == nil && uint32(sum) == journalChecksum(content)
}

// journalBeginning is the begin of the content of the first line, in any version of the format.
func journalBeginning() string { return `........ {"journal":{"format":` }

// journalBegins reports whether a file with this begin may be a journal. An empty file may be one.
func journalBegins(head []byte) bool {
	for i, c := range []byte(journalBeginning()) {
		if i < len(head) && c != head[i] && (c != '.' || !strings.ContainsRune("0123456789abcdef", rune(head[i]))) {
			return false
		}
	}
	return true
}

// journalLongest is longer than any record: a scenario has at most a megabyte, and the sums of a
// strategy at most a tenth of one.
const journalLongest = 256 << 20

var errJournalLong = errors.New("the line is longer than any record")

// journalNext reads a line with its line break, which may be missing at the end of the file.
func journalNext(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > journalLongest:
			return nil, errJournalLong
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return line, io.EOF
		default:
			return line, err
		}
	}
}

// journalParse reads the content of a line; of a run it reads only the strategy and the seed.
func journalParse(content []byte) (journalRecord, error) {
	var record journalRecord
	if err := json.Unmarshal(content, &record); err != nil {
		return journalRecord{}, fmt.Errorf("the record cannot be read: %w", err)
	}
	parts := 0
	if h := record.Journal; h != nil {
		parts++
		if h.Format != journalFormat {
			return journalRecord{}, fmt.Errorf("the journal has format %d, and this version reads format %d", h.Format, journalFormat)
		}
	}
	if a := record.Asked; a != nil {
		parts++
		if a.Seeds.First > a.Seeds.Last || len(a.Strategies) == 0 {
			return journalRecord{}, errors.New("the record is of a campaign without runs")
		}
	}
	if record.Run != nil {
		parts++
	}
	if record.Sums != nil {
		parts++
		if text := record.Sums.fault(); text != "" {
			return journalRecord{}, errors.New(text)
		}
	}
	if parts != 1 {
		return journalRecord{}, errors.New("the record is neither a beginning nor a campaign nor a run nor sums")
	}
	return record, nil
}

// summary reads the summary of a run of the scenario; nil if the journal does not have the run.
func (j *Journal) summary(s *scenarios.Scenario, label string, seed uint64) (*summary, error) {
	j.mu.Lock()
	place, found := j.runs[label][seed]
	j.mu.Unlock()
	if !found {
		return nil, nil //nolint:nilnil // nil: the journal does not have the run
	}
	line, err := place.read()
	if err != nil {
		return nil, err
	}
	content, sound := journalContent(line)
	if !sound {
		return nil, place.in.wrong(place.line, "the record has changed since it was first read")
	}
	var record struct {
		Run storedRun `json:"run"`
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return nil, place.in.wrong(place.line, "the run cannot be read: %v", err)
	}
	run := &record.Run.summary
	wrong := len(run.Results) != len(s.Checks)
	for _, f := range run.Faults {
		wrong = wrong || f.Spec < 0 || f.Spec >= len(s.Faults) || s.Faults[f.Spec].Kind() != f.Kind
	}
	if wrong {
		return nil, place.in.wrong(place.line, "the run is not of the scenario %s", s.Name)
	}
	return run, nil
}

// outcomes has the results of the checks on a run. Its text has a word for each check: the first
// letter of its verdict, a dash if the check did not apply, and the number of violations, such as
// "v u i12 v-".
type outcomes []outcomeOf

// MarshalText writes a word for each check.
func (o outcomes) MarshalText() ([]byte, error) {
	var text []byte
	for i, r := range o {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, r.verdict[0])
		if !r.applies {
			text = append(text, '-')
		}
		if r.count > 0 {
			text = strconv.AppendInt(text, int64(r.count), 10)
		}
	}
	return text, nil
}

// UnmarshalText reads what MarshalText writes.
func (o *outcomes) UnmarshalText(text []byte) error {
	*o = nil
	for word := range strings.FieldsSeq(string(text)) {
		var r outcomeOf
		for _, v := range []checker.Verdict{checker.Valid, checker.Invalid, checker.Unknown} {
			if word[0] == v[0] {
				r.verdict = v
			}
		}
		number, dash := strings.CutPrefix(word[1:], "-")
		r.applies = !dash
		var err error
		if number != "" {
			r.count, err = strconv.Atoi(number)
		}
		if r.verdict == "" || err != nil || r.count < 0 {
			return fmt.Errorf("%.20q is not a verdict of a check", word)
		}
		*o = append(*o, r)
	}
	return nil
}
