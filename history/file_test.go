package history_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lockquake/history"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// record numbers events and gives them times a millisecond apart.
func record(events ...history.Event) []history.Event {
	var r history.Recorder
	for i, e := range events {
		if e.At == 0 {
			e.At = time.Duration(i) * time.Millisecond
		}
		r.Record(e)
	}
	return r.Events()
}

func sample() *history.History {
	return &history.History{
		Meta: history.Meta{
			Schema: 1, Version: "v0.1.0", Scenario: "kleppmann", Strategy: "redis", Label: "redis", Seed: 7,
			Workload: "counter", Fence: "off", Workers: []string{"worker-1"},
			Initial: map[string]string{"resource-1": "0"}, TTL: 10 * time.Second,
			Duration: time.Minute, End: 2 * time.Minute, Checksum: "00ff00ff00ff00ff",
		},
		Events: record(
			history.Event{Type: history.AcquireCalled, Worker: "worker-1", Section: 1, Key: "resource-1"},
			history.Event{Type: history.Granted, Worker: "worker-1", Key: "resource-1", Node: "lock", Owner: "<a>", Until: 10 * time.Second},
			history.Event{Type: history.Acquired, Worker: "worker-1", Section: 1, Token: 33},
			history.Event{Type: history.Invoke, Worker: "worker-1", Section: 1, Request: 1, Op: "write", Key: "resource-1", Value: "1", Token: 33},
			history.Event{Type: history.FaultBegin, Fault: 1, Kind: "pause", Effect: history.EffectStops, Target: "worker-1", Point: "lease-checked", Until: time.Second},
			history.Event{Type: history.Applied, Worker: "worker-1", Request: 1, Op: "write", Key: "resource-1", Value: "1", Prior: "0", Token: 33, Mark: 33, Accepted: true},
			history.Event{Type: history.OK, Worker: "worker-1", Section: 1, Request: 1},
			history.Event{Type: history.ReleaseCalled, Worker: "worker-1", Section: 1},
			history.Event{Type: history.Released, Worker: "worker-1", Section: 1, Class: history.ClassLost, Err: "lock lost"},
			history.Event{Type: history.Final, Key: "resource-1", Value: "1"},
		),
	}
}

func TestGoldenHistoryReadsBackAsItWasWritten(t *testing.T) {
	want := sample()
	var got bytes.Buffer
	if err := history.Write(&got, want); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sample.jsonl")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(stored), got.String()); diff != "" {
		t.Errorf("written history differs from the golden file (-want +got):\n%s", diff)
	}
	read, err := history.Read(bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("read history differs from the written one (-want +got):\n%s", diff)
	}
}

func TestWriteSetsTheSchema(t *testing.T) {
	h := sample()
	h.Meta.Schema = 0
	var out bytes.Buffer
	if err := history.Write(&out, h); err != nil {
		t.Fatal(err)
	}
	if got, err := history.Read(&out); err != nil || got.Meta.Schema != history.Schema {
		t.Errorf("schema %d, error %v", got.Meta.Schema, err)
	}
	if h.Meta.Schema != 0 {
		t.Error("Write changed the history that it was given")
	}
}

// brokenFile fails every write.
type brokenFile struct{}

func (brokenFile) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteReturnsTheWritersErrorAndRefusesLongLines(t *testing.T) {
	if err := history.Write(brokenFile{}, sample()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want the writer's error", err)
	}
	h := sample()
	h.Events[3].Value = strings.Repeat("x", 1<<20)
	err := history.Write(&bytes.Buffer{}, h)
	if err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("got %v, want a refusal of line 5", err)
	}
}

func TestReadRefusesFilesThatAreNotAHistory(t *testing.T) {
	const meta = `{"schema":1,"version":"","scenario":"","strategy":"","label":"","seed":0,"workload":"","fence":"","fenced":false,"workers":null,"duration":0,"end":0}` + "\n"
	tests := []struct {
		name, file, want string
	}{
		{"nothing", "", "empty"},
		{"not JSON", "hello\n", "line 1: the first line is not a header: invalid character 'h'"},
		{"an event first", `{"seq":1,"at":0,"type":"crashed"}` + "\n", "line 1: the first line is not a header: it has no schema"},
		{"another schema", `{"schema":2,"new":true}` + "\n", "line 1: schema 2, not 1"},
		{"unknown field of the meta", `{"schema":1,"color":"red"}` + "\n", `line 1: unknown field "color"`},
		{"unknown field of an event", meta + `{"seq":1,"at":0,"type":"crashed","color":"red"}` + "\n", `line 2: unknown field "color"`},
		{"wrong type", meta + `{"seq":"1","at":0,"type":"crashed"}` + "\n", "line 2: seq is string, and has to be a whole number"},
		{"last line cut", meta + `{"seq":1,"at":0,"type":"crashed"}` + "\n" + `{"seq":2,"at":0,"ty`, "line 3: the file ends within the line"},
		{"last line without its end", meta + `{"seq":1,"at":0,"type":"crashed"}`, "line 2: the file ends within the line"},
		{"empty line", meta + "\n", "line 2: it is empty"},
		{"two values in a line", meta + `{"seq":1,"at":0,"type":"crashed"}{"seq":2}` + "\n", "line 2: something follows"},
		{"starts at 2", meta + `{"seq":2,"at":0,"type":"crashed"}` + "\n", "line 2: sequence number 2, not 1"},
		{"repeats a number", meta + strings.Repeat(`{"seq":1,"at":0,"type":"crashed"}`+"\n", 2), "line 3: sequence number 1, not 2"},
		{"back in time", meta + `{"seq":1,"at":5,"type":"crashed"}` + "\n" + `{"seq":2,"at":4,"type":"crashed"}` + "\n", "line 3: event 2 is earlier"},
		{"line without end", meta + strings.Repeat(" ", 1<<20) + "\n", "line 2: longer than 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := history.Read(strings.NewReader(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, tt.want)
			}
			if h != nil {
				t.Error("a history came with the error")
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	var good bytes.Buffer
	if err := history.Write(&good, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add(good.Bytes()[:good.Len()/2])
	f.Add([]byte("null\nnull\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := history.Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := history.Write(&out, h); err != nil {
			return // escapes can make a line too long
		}
		again, err := history.Read(&out)
		if err != nil {
			t.Fatalf("what was read and written cannot be read again: %v", err)
		}
		if diff := cmp.Diff(h, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("changed on the way (-first +second):\n%s", diff)
		}
		// Whatever the file contains, this does not panic.
		_, _, _ = history.Load(file, names)
	})
}
