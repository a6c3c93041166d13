package history_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"lockquake/history"
)

// recorded is a history of two sections without the resource's record, which Load accepts.
const recorded = `{"schema":1,"workload":"counter","fence":"off","workers":["w1","w2"],"initial":{"x":"0"},"duration":90,"end":90}
{"seq":1,"at":10,"type":"acquire-called","worker":"w1","section":1,"key":"k"}
{"seq":2,"at":20,"type":"acquired","worker":"w1","section":1,"key":"k"}
{"seq":3,"at":30,"type":"invoke","worker":"w1","section":1,"request":1,"op":"read","key":"x"}
{"seq":4,"at":40,"type":"ok","worker":"w1","section":1,"request":1,"value":"0"}
{"seq":5,"at":50,"type":"invoke","worker":"w1","section":1,"request":2,"op":"write","key":"x","value":"1"}
{"seq":6,"at":60,"type":"ok","worker":"w1","section":1,"request":2}
{"seq":7,"at":70,"type":"release-called","worker":"w1","section":1}
{"seq":8,"at":80,"type":"released","worker":"w1","section":1}
{"seq":9,"at":90,"type":"acquire-called","worker":"w2","section":1,"key":"k"}
`

// witnessed is the same with the resource's record: a write of 1 over 0, and a read of 1.
const witnessed = `{"schema":1,"workload":"counter","fence":"off","workers":["w1"],"initial":{"x":"0"},"duration":90,"end":90}
{"seq":1,"at":10,"type":"acquire-called","worker":"w1","section":1,"key":"k"}
{"seq":2,"at":20,"type":"acquired","worker":"w1","section":1}
{"seq":3,"at":30,"type":"invoke","worker":"w1","section":1,"request":1,"op":"write","key":"x","value":"1"}
{"seq":4,"at":40,"type":"applied","request":1,"value":"1","prior":"0","accepted":true}
{"seq":5,"at":50,"type":"invoke","worker":"w1","section":1,"request":2,"op":"read","key":"x"}
{"seq":6,"at":60,"type":"applied","request":2,"value":"1","prior":"1","accepted":true}
{"seq":7,"at":70,"type":"invoke","worker":"w1","section":1,"request":3,"op":"write","key":"x","value":"2"}
{"seq":8,"at":80,"type":"applied","request":3,"value":"2","prior":"1","accepted":true}
`

var names = history.Names{Workloads: []string{"counter", "register"}, Fences: []string{"off", "writes"}}

// A database that fails over to a replica loses the writes that have not reached it.
func TestAFailoverMayBringBackAnEarlierValue(t *testing.T) {
	for _, tt := range []struct {
		name, event, prior string
		refused            bool
	}{
		{"after a failover", `"type":"promoted","node":"lock"`, "0", false},
		{"after a restart", `"type":"restarted","node":"lock"`, "0", false},
		{"after a failover, a value that it never had", `"type":"promoted","node":"lock"`, "9", true},
		{"without one", `"type":"told","worker":"w1","section":1`, "0", true},
	} {
		lost := strings.Replace(witnessed, `"prior":"1","accepted":true}
{"seq":7,"at":70,"type":"invoke"`, `"prior":"1","accepted":true}
{"seq":7,"at":70,`+tt.event+`}
{"seq":8,"at":70,"type":"invoke"`, 1)
		lost = strings.Replace(lost, `{"seq":8,"at":80,"type":"applied","request":3,"value":"2","prior":"1"`, `{"seq":9,"at":80,"type":"applied","request":3,"value":"2","prior":"`+tt.prior+`"`, 1)
		if _, _, err := history.Load([]byte(lost), names); (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestLoadRefusesWhatNoRecorderMayWrite(t *testing.T) {
	tests := []struct {
		name, file, old, changed string
		line                     int
		column                   string // the text at the column; "": the line's first
		want                     string
	}{
		{"unknown workload", recorded, `"counter"`, `"conter"`, 1, `"conter"`, `unknown workload "conter"`},
		{"no workload", recorded, `"workload":"counter",`, ``, 1, "", `unknown workload ""`},
		{"unknown fence", recorded, `"off"`, `"of"`, 1, `"of"`, `unknown fence "of"`},
		{"unknown reason to stop", recorded, `"end":90`, `"end":90,"stopped":"idel"`, 1, `"idel"`, `unknown stopped "idel"`},
		{"negative ttl", recorded, `"end":90`, `"ttl":-5,"end":90`, 1, `-5`, "ttl is -5, and must not be negative"},
		{"negative duration", recorded, `"duration":90`, `"duration":-7`, 1, `-7`, "duration is -7, and must not be negative"},
		{"negative number of a part", recorded, `"end":90`, `"end":90,"part":{"lock":"k","locks":2,"workers":-2}`, 1, `{"lock"`, "a number of part is -2, and must not be negative"},
		{"negative time", recorded, `"at":10`, `"at":-5`, 2, `-5`, "at is -5, and must not be negative"},
		{"end before the events", recorded, `"end":90`, `"end":50`, 7, `60`, "at is 60, after the end of the run: end of the header is 50"},
		{"a run of lockquake without its end", recorded, `"end":90`, `"end":90,"checksum":"00"`, 11, "", "the file ends before the run does: its last event is not a final value"},
		{"unknown class", recorded, `"seq":8,"at":80,"type":"released"`, `"seq":8,"at":80,"type":"released","class":"lots"`, 9, `"lots"`, `unknown class "lots"`},
		{"unknown mode", recorded, `"section":1,"key":"k"}`, `"section":1,"key":"k","mode":"shraed"}`, 2, `"shraed"`, `unknown mode "shraed"`},
		{"a worker that the header does not name", recorded, `"w1","w2"`, `"w1","w3"`, 10, `"w2"`, `unknown worker "w2"`},
		{"sections from 7", recorded, `"worker":"w2","section":1`, `"worker":"w2","section":7`, 10, `7`, "section 7 of w2, whose next section is 1"},
		{"a section is left out", recorded, `"worker":"w2","section":1`, `"worker":"w1","section":3`, 10, `3`, "section 3 of w1, whose next section is 2"},
		{"entered with another key", recorded, `"acquired","worker":"w1","section":1,"key":"k"`, `"acquired","worker":"w1","section":1,"key":"j"`, 3, `"j"`, `acquired of section 1 of w1 has the key "j", and it was called with "k"`},
		{"no first value", recorded, `"initial":{"x":"0"},`, ``, 5, `"0"`, `request 1 read "0", which no write wrote to item x before; if the item began with it, the header needs it in initial`},
		{"a read without a value", recorded, `,"value":"0"}`, `}`, 5, `1}`, `request 1 read item x, and its ok has no value; the item began with "0"`},
		{"a write over another value", witnessed, `"value":"2","prior":"1"`, `"value":"2","prior":"9"`, 9, `"9"`, `request 3 was applied over "9", and item x had "1"`},
		{"a first write over another value", witnessed, `"value":"1","prior":"0"`, `"value":"1","prior":"9"`, 5, `"9"`, `request 1 was applied over "9", and item x had "0"`},
		{"a read of what the item never had", witnessed, `"value":"1","prior":"1"`, `"value":"9","prior":"1"`, 7, `"9"`, `request 2 read "9", and item x never had that value`},
		{"a read over what the item never had", witnessed, `"value":"1","prior":"1"`, `"value":"1","prior":"9"`, 7, `"9"`, `request 2 found "9", and item x never had that value`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := history.Load([]byte(tt.file), names); err != nil {
				t.Fatal(err)
			}
			file := strings.Replace(tt.file, tt.old, tt.changed, 1)
			if file == tt.file {
				t.Fatalf("the history has no %s", tt.old)
			}
			_, _, err := history.Load([]byte(file), names)
			at, ok := errors.AsType[*history.LineError](err)
			if !ok || at.Err.Error() != tt.want || at.Line != tt.line {
				t.Fatalf("got %v, want line %d: %s", err, tt.line, tt.want)
			}
			if text := strings.Split(file, "\n")[tt.line-1]; !strings.HasPrefix(text[at.Column-1:], tt.column) {
				t.Errorf("column %d is at %s, want %s", at.Column, text[at.Column-1:], tt.column)
			}
		})
	}
}

// A history of one lock has only some sections of a worker, and a replica may answer a read with an old value.
func TestLoadAcceptsWhatARecorderMayWrite(t *testing.T) {
	for _, tt := range []struct{ name, file, old, changed string }{
		{"sections of other locks are missing", recorded, `"end":90`, `"end":90,"part":{"lock":"k","locks":2,"workers":2}`},
		{"sections of other locks are missing between", strings.ReplaceAll(recorded, `"section":1`, `"section":3`), `"end":90`, `"end":90,"part":{"lock":"k","locks":2,"workers":2}`},
		{"an old value", witnessed, `"value":"1","prior":"1"`, `"value":"0","prior":"1"`},
		{"no prior value", witnessed, `"value":"2","prior":"1"`, `"value":"2"`},
		{"a second section", recorded, `"worker":"w2","section":1`, `"worker":"w1","section":2`},
		{"an event at time 0", recorded, `"at":10`, `"at":0`},
		{"a run of lockquake with its end", recorded + `{"seq":10,"at":90,"type":"final","key":"x","value":"1"}` + "\n", `"end":90`, `"end":90,"checksum":"00"`},
		{"no end", recorded, `,"end":90`, ``},
		{"no first value, which the work finds empty", strings.Replace(recorded, `,"value":"0"}`, `}`, 1), `"initial":{"x":"0"},`, ``},
		{"a value that was never written", recorded, `"request":1,"value":"0"`, `"request":1,"value":"7"`}, // linearizable judges it
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := strings.Replace(tt.file, tt.old, tt.changed, 1)
			if file == tt.file {
				t.Fatalf("the history has no %s", tt.old)
			}
			if _, _, err := history.Load([]byte(file), names); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnErrorOfTheFormatIsInTheWordsOfTheFormat(t *testing.T) {
	const header = `{"schema":1,"workload":"counter","fence":"off","workers":["w1"]}` + "\n"
	for _, tt := range []struct{ name, file, at, want string }{
		{"a fraction", header + `{"seq":1,"at":1.5,"type":"crashed","worker":"w1"}` + "\n", "1.5", "at is number 1.5, and has to be a whole number"},
		{"a negative seed", `{"schema":1,"seed":-1}` + "\n", "-1", "seed is number -1, and has to be a whole number that is not negative"},
		{"a list of workers", `{"schema":1,"workers":"w1"}` + "\n", `"w1"`, "workers is string, and has to be a list"},
		{"an unknown field", header + `{"seq":1,"at":1,"type":"crashed","wroker":"w1"}` + "\n", `"wroker"`, `unknown field "wroker"`},
		{"an unknown field within another", header + `{"seq":1,"at":1,"if":{"seq":1}}` + "\n", `"seq":1}}`, `unknown field "seq"`},
		{"an empty file", "", "", "the file is empty"},
		{"a list", header + "[1]\n", "[1]", "the line is array, and has to be an object"},
		{"nothing", "\n", "\n", "the first line is not a header: unexpected end of JSON input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := history.Load([]byte(tt.file), names)
			at, ok := errors.AsType[*history.LineError](err)
			if !ok || at.Err.Error() != tt.want {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			line := strings.SplitAfter(tt.file, "\n")[at.Line-1]
			if !strings.HasPrefix(line[at.Column-1:], tt.at) {
				t.Errorf("column %d is at %s, want %s", at.Column, line[at.Column-1:], tt.at)
			}
		})
	}
}

func TestARunOfLockquakeHasEvents(t *testing.T) {
	_, _, err := history.Load([]byte(`{"schema":1,"workload":"counter","checksum":"00"}`+"\n"), names)
	if at, ok := errors.AsType[*history.LineError](err); !ok || at.Line != 2 || !strings.Contains(at.Err.Error(), "the file ends before the run does") {
		t.Errorf("got %v, want that line 2 is missing", err)
	}
}

func TestAnErrorOfALineThatIsCutIsAtItsEnd(t *testing.T) {
	const line = `{"seq":1,"at":0,"ty`
	_, err := history.Read(strings.NewReader(`{"schema":1}` + "\n" + line))
	if at, ok := errors.AsType[*history.LineError](err); !ok || at.Line != 2 || at.Column != len(line)+1 {
		t.Errorf("got %v at %+v, want column %d of line 2", err, at, len(line)+1)
	}
}

// A file is not at its end because it cannot be read any more.
func TestAnErrorOfTheReaderIsAnErrorOfTheHistory(t *testing.T) {
	broken := errors.New("input/output error")
	for _, text := range []string{"", `{"schema":1}` + "\n"} {
		if _, err := history.Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("after %q: got %v, want %v", text, err, broken)
		}
	}
}

func TestAnUnknownFieldComesWithTheKnownOnes(t *testing.T) {
	_, err := history.Read(strings.NewReader(`{"schema":1}` + "\n" + `{"seq":1,"if":{"byy":"value"}}` + "\n"))
	unknown, ok := errors.AsType[*history.UnknownWordError](err)
	if !ok || unknown.Word != "byy" || strings.Join(unknown.Known, " ") != "by version value" {
		t.Errorf("got %v with %+v, want the fields of a condition", err, unknown)
	}
}

func TestLoadRefusesEachNegativeNumberOfTheHeader(t *testing.T) {
	tried := 0
	for f := range reflect.TypeFor[history.Meta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if kind := f.Type.Kind(); kind != reflect.Int && kind != reflect.Int64 || name == "schema" {
			continue
		}
		tried++
		file := strings.NewReplacer(`"duration":90,`, "", `"end":90`, `"`+name+`":-3`).Replace(recorded)
		_, _, err := history.Load([]byte(file), names)
		if at, ok := errors.AsType[*history.LineError](err); !ok || at.Err.Error() != name+" is -3, and must not be negative" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tried < 10 {
		t.Errorf("the header has only %d numbers", tried)
	}
}
