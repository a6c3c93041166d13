package api

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("update", false, "record the answers of the real API server again")

// recorded is the file with the answers of a real kube-apiserver 1.37.2, which takes too long to build for every
// run of the tests. Each line is an answer; an empty line ends a sequence.
const recorded = "testdata/answers-1.37.2.txt.gz"

// sequencesRecorded lists the sequences whose answers are recorded: the rules, and random ones.
func sequencesRecorded() []sequence {
	const byChance = 300
	var all []sequence
	for _, rule := range rules() {
		all = append(all, rule.requests)
	}
	for n := range byChance {
		all = append(all, newGenerator(n+1, 0).sequence())
	}
	return all
}

// answersOf runs the recorded sequences. Side returns the side that executes a sequence.
func answersOf(t *testing.T, of func(sequence) side) []string {
	t.Helper()
	var lines []string
	for _, s := range sequencesRecorded() {
		answers, err := s.run(of(s))
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range answers {
			lines = append(lines, strings.ReplaceAll(answer, "\n", " "))
		}
		lines = append(lines, "")
	}
	return lines
}

// record compares the recorded answers with those of a real API server; -update records them again.
func (r *real) record(t *testing.T) {
	got := answersOf(t, func(s sequence) side {
		r.empty(s)
		return r.do
	})
	if *rewrite {
		var file bytes.Buffer
		w, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, strings.Join(got, "\n")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recorded, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compareWithRecorded(t, got)
}

// compareWithRecorded fails the test at the first answer that is not the recorded one.
func compareWithRecorded(t *testing.T, got []string) {
	t.Helper()
	file, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, but %d are recorded", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("line %d\ngot       %s\nrecorded  %s", i+1, got[i], want[i])
		}
	}
}

// It runs where no real API server is, as in CI.
func TestTheStoreAnswersAsARealServerHas(t *testing.T) {
	compareWithRecorded(t, answersOf(t, func(sequence) side { return simulated() }))
}
