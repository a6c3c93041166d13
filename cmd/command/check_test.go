package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// storedRun returns the history of a run as a report stores it.
func storedRun(t *testing.T, label string) string {
	t.Helper()
	s, err := scenarios.Load("kleppmann")
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: label, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := history.Write(&b, trial.History); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkText runs lockquake check on a file with this content.
func checkText(t *testing.T, content string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, failed bytes.Buffer
	code = newProgram(nil).execute(t.Context(), append([]string{"check", file}, args...), &out, &failed)
	said := strings.ReplaceAll(failed.String(), file, "FILE")
	return code, strings.ReplaceAll(out.String(), file, "FILE"), said
}

func TestCheckNamesTheLineOfABrokenHistory(t *testing.T) {
	whole := storedRun(t, "redis")
	lines := strings.SplitAfter(whole, "\n")
	lines = lines[:len(lines)-1] // nothing follows the last end
	replace := func(line int, old, text string) string {
		changed := append([]string{}, lines...)
		if changed[line-1] = strings.Replace(changed[line-1], old, text, 1); changed[line-1] == lines[line-1] {
			t.Fatalf("line %d has no %q", line, old)
		}
		return strings.Join(changed, "")
	}
	last := len(lines)
	tests := []struct{ name, content, want string }{
		{"cut within the first line", whole[:20], "FILE:1:21: the file ends within the line"},
		{"cut within the last line", whole[:len(whole)-5], fmt.Sprintf("FILE:%d:%d: the file ends within the line", last, len(lines[last-1])-4)},
		{"cut between two lines", strings.Join(lines[:last-1], ""), fmt.Sprintf("FILE:%d:1: the file ends before the run does", last)},
		{"cut behind the first line", lines[0], "FILE:2:1: the file ends before the run does"},
		{"a line is missing", strings.Join(append(append([]string{}, lines[:4]...), lines[5:]...), ""), "FILE:5:8: sequence number 5, not 4"},
		{"no JSON", replace(3, `"at":`, `"at"=`), "FILE:3:14: invalid character '='"},
		{"a wrong type", replace(3, `"seq":2`, `"seq":"2"`), "FILE:3:8: seq is string, and has to be a whole number"},
		{"a fraction", replace(2, `"at":`, `"at":1.5,"at":`), "FILE:2:15: at is number 1.5, and has to be a whole number"},
		{"an unknown field", replace(3, `"seq"`, `"seqq"`), `FILE:3:2: unknown field "seqq"; did you mean "seq"?`},
		{"another schema", replace(1, `"schema":1`, `"schema":7`), "FILE:1:11: schema 7, not 1"},
		{"no header", strings.Join(lines[1:], ""), "FILE:1:1: the first line is not a header: it has no schema"},
		{"an event that contradicts the others", replace(2, `"acquire-called"`, `"released"`), "FILE:2:1: history: event 1: "},
		{"an unknown event", replace(last, `"final"`, `"finale"`), fmt.Sprintf(`FILE:%d:%d: unknown type "finale"; did you mean "final"?`, last, strings.Index(lines[last-1], `"final"`)+1)},
		{"an unknown workload", replace(1, `"workload":"counter"`, `"workload":"conter"`), fmt.Sprintf(`FILE:1:%d: unknown workload "conter"; did you mean "counter"?`, strings.Index(lines[0], `"counter"`)+1)},
		{"an unknown fence", replace(1, `"fence":"off"`, `"fence":"of"`), fmt.Sprintf(`FILE:1:%d: unknown fence "of"; did you mean "off"?`, strings.Index(lines[0], `"off"`)+1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := checkText(t, tt.content)
			if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "lockquake: "+tt.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, printed %q, said %q; want one line %q", code, stdout, stderr, tt.want)
			}
		})
	}
}

func TestCheckGivesAStoredHistoryTheVerdictOfItsRun(t *testing.T) {
	for label, want := range map[string]int{"redis": exitViolation, "fenced": exitOK} {
		code, stdout, stderr := checkText(t, storedRun(t, label), "--check", "linearizable,lost-update,exclusion,fencing")
		if code != want || stderr != "" {
			t.Errorf("%s: exit code %d, want %d: %s%s", label, code, want, stdout, stderr)
		}
		if n := len(regexp.MustCompile(`(?m)^(linearizable|lost-update|exclusion|fencing) +(valid|invalid|-)`).FindAllString(stdout, -1)); n != 4 {
			t.Errorf("%s: %d checks are told of:\n%s", label, n, stdout)
		}
	}
}

func TestCheckSkipsAByteOrderMark(t *testing.T) {
	const edn = "{:type :invoke, :f :write, :value 1, :process 0}\r\n{:type :ok, :f :write, :value 1, :process 0}\r\n"
	for _, content := range []string{storedRun(t, "fenced"), edn} {
		code, stdout, stderr := checkText(t, content)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if marked, out, failed := checkText(t, "\ufeff"+content); marked != code || out != stdout {
			t.Errorf("exit code %d with the mark: %s%s", marked, out, failed)
		}
	}
}

// What a run records is nothing that check refuses, whatever the scenario.
func TestCheckAcceptsTheHistoriesOfTheBuiltinScenarios(t *testing.T) {
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		label := s.Strategies[0].Label
		trial, err := run.Once(s, run.Request{Label: label, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		histories := []*history.History{trial.History}
		for _, part := range trial.Parts {
			histories = append(histories, part.History)
		}
		for _, h := range histories {
			var b bytes.Buffer
			if err := history.Write(&b, h); err != nil {
				t.Fatal(err)
			}
			if len(h.Events) == 0 {
				continue // a large run keeps its parts only
			}
			if _, _, err := history.Load(b.Bytes(), headerNames()); err != nil {
				t.Errorf("%s, %s: %v", name, label, err)
			}
		}
	}
}

// The story of the run is about the same check.
func TestCheckShowsTheEvidenceOfTheMostSeriousCheck(t *testing.T) {
	var h history.History
	h.Meta = history.Meta{Workload: "counter", Fence: "off", Workers: []string{"a", "b", "c"}, Initial: map[string]string{"x": "0"}, End: 1}
	var r history.Recorder
	for _, w := range h.Meta.Workers {
		r.Record(history.Event{Type: history.AcquireCalled, Worker: w, Section: 1, Key: "x"})
		r.Record(history.Event{Type: history.Acquired, Worker: w, Section: 1})
	}
	for i, op := range []string{"read", "write"} { // all read 0, and then all write 1
		for n, w := range h.Meta.Workers {
			e := history.Event{Type: history.Invoke, Worker: w, Section: 1, Request: int64(10*i + n + 1), Op: op, Key: "x"}
			answer := history.Event{Type: history.OK, Worker: w, Request: e.Request, Value: "0"}
			if op == "write" {
				e.Value, answer.Value = "1", ""
			}
			r.Record(e)
			r.Record(answer)
		}
	}
	h.Events = r.Events()
	var file strings.Builder
	if err := history.Write(&file, &h); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := checkText(t, file.String())
	flat := strings.Join(strings.Fields(stdout), " ")
	const finding = "a's section 1 and b's section 1 both incremented the 0 of item x (first of 2)"
	for _, want := range []string{"linearizable invalid item x", "lost-update invalid " + finding, "lost-update: " + finding + " line who"} {
		if code != exitViolation || stderr != "" || !strings.Contains(flat, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
}

// Such a history proves nothing.
func TestAHistoryWithNothingToJudgeIsUnknown(t *testing.T) {
	const meta = `{"schema":1,"version":"","scenario":"","strategy":"","label":"","seed":0,"workload":"counter","fence":"","fenced":false,"workers":["a"],"duration":0,"end":0}` + "\n"
	refused := meta + `{"seq":1,"at":0,"type":"acquire-called","worker":"a","section":1,"key":"x"}
{"seq":2,"at":0,"type":"released","worker":"a","section":1,"class":"not-obtained","err":"taken"}
{"seq":3,"at":0,"type":"final","key":"x","value":"0"}
`
	held := meta + `{"seq":1,"at":0,"type":"acquire-called","worker":"a","section":1,"key":"x"}
{"seq":2,"at":0,"type":"acquired","worker":"a","section":1,"key":"x"}
{"seq":3,"at":0,"type":"release-called","worker":"a","section":1,"key":"x"}
{"seq":4,"at":0,"type":"released","worker":"a","section":1}
{"seq":5,"at":0,"type":"final","key":"x","value":"0"}
`
	for _, test := range []struct {
		name, history, checks string
		want                  int
		says                  string
	}{
		{"no event", meta, "fencing", exitUnknown, "it has nothing that a check could judge"},
		{"nobody was let in", refused, "progress,errors", exitUnknown, "no worker ever got the lock"},
		{"one of the checks has nothing to judge", held, "progress,exclusion", exitUnknown, "it has nothing that exclusion could judge"},
		{"somebody was let in", held, "progress,errors", exitOK, ": valid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, _ := checkText(t, test.history, "--check", test.checks)
			if code != test.want || !strings.Contains(stdout, test.says) {
				t.Errorf("exit code %d, want %d with %q: %s", code, test.want, test.says, stdout)
			}
		})
	}
}

// The worst key decides, and the output names it.
func TestCheckJudgesKeyByKey(t *testing.T) {
	operation := func(process int, function, in, out string) string {
		return fmt.Sprintf("{:process %d :type :invoke :f :%s :value %s}\n{:process %d :type :ok :f :%s :value %s}\n", process, function, in, process, function, out)
	}
	mutex := operation(0, "acquire", "[0 nil]", "[0 nil]") + operation(1, "acquire", "[1 nil]", "[1 nil]")
	set := operation(0, "add", "[0 7]", "[0 7]") + operation(1, "read", "[0 nil]", "[0 #{7}]")
	register := operation(0, "write", "[0 1]", "[0 1]") + operation(1, "read", "[0 nil]", "[0 1]") + operation(1, "read", "[1 nil]", "[1 nil]")
	for _, tt := range []struct {
		name, file, flags string
		code              int
		says              []string
	}{
		{"mutexes", mutex, "", exitOK, []string{"FILE: valid", "judged as a mutex", "keys 2"}},
		{"one mutex of two holders", mutex + operation(2, "acquire", "[1 nil]", "[1 nil]"), "", exitViolation, []string{"FILE: invalid", "key [1]: no order explains that process 2 did :acquire \\(lines 5 to 6\\)"}},
		{"sets", set, "", exitOK, []string{"judged as a set", "keys 1"}},
		{"a set that nobody read", set + operation(0, "add", "[1 7]", "[1 7]"), "", exitUnknown, []string{"key 1: nobody has read the set"}},
		{"registers", register, "", exitOK, []string{"judged as a register", "keys 2"}},
		{"two bad registers", register + operation(2, "read", "[1 nil]", "[1 7]") + operation(2, "read", "[0 nil]", "[0 8]"), "", exitViolation, []string{"(?m)^key 0  +invalid", "(?m)^key 1  +invalid", "key 0: no order"}},
		{"a key with nothing that succeeded", mutex + "{:process 2 :type :invoke :f :acquire :value [2 nil]}\n{:process 2 :type :fail :f :acquire :value [2 nil]}\n", "--format=json", exitOK, []string{`"verdict": "valid",\s+"model"`, `(?s)"key": "2",\s+"verdict": "unknown",\s+"operations": 1,\s+"text": "no operation ended with :ok`}},
		{"all keys with nothing that succeeded", "{:process 2 :type :invoke :f :acquire :value [2 nil]}\n{:process 3 :type :invoke :f :acquire :value [3 nil]}\n", "", exitUnknown, []string{"FILE: unknown", "no operation ended with :ok"}},
		{"adds that may be pairs", operation(0, "add", "[0 7]", "[0 7]"), "", exitUsage, []string{"FILE:1:1: \\[0 7\\] may be a key"}},
		{"they are", operation(0, "write", "[0 7]", "[0 7]"), "--keyed", exitOK, []string{"keys 1"}},
		{"they are not", set, "--keyed=false", exitViolation, []string{`holds 0, #\{7\}, which nobody had begun to add`}},
		{"neither yes nor no", set, "--keyed=maybe", exitUsage, []string{`--keyed is true or false, not "maybe"`}},
		{"as JSON", register, "--format=json", exitOK, []string{`(?s)"keys": .*"key": "0",\s+"verdict": "valid",\s+"operations": 2`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := checkText(t, tt.file, strings.Fields(tt.flags)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, words := range tt.says {
				if !regexp.MustCompile(words).MatchString(stdout + stderr) {
					t.Errorf("no %q in\n%s%s", words, stdout, stderr)
				}
			}
		})
	}
}

// The history of a run is refused if any one of its grants, or the end of one, is dropped or
// doubled. Only a grant that never ended can be missing unnoticed.
func TestCheckRefusesDroppedAndDoubledGrants(t *testing.T) {
	whole, err := history.Read(strings.NewReader(storedRun(t, "redis")))
	if err != nil {
		t.Fatal(err)
	}
	dropped, doubled, ended := 0, 0, map[string]int{}
	for _, e := range whole.Events {
		switch e.Type {
		case history.Freed, history.Expired, history.Evicted:
			ended[e.Owner]++
		default:
		}
	}
	for i, e := range whole.Events {
		isGrant := e.Type == history.Granted && ended[e.Owner] > 0
		isEnd := e.Type == history.Freed || e.Type == history.Expired
		for _, times := range []int{0, 2} {
			if !isGrant && (!isEnd || times == 0) {
				continue // no server answers to an end that is missing, unless it grants again
			}
			var r history.Recorder
			for k, other := range whole.Events {
				n := 1
				if k == i {
					n = times
				}
				for range n {
					r.Record(other)
				}
			}
			changed := history.History{Meta: whole.Meta, Events: r.Events()}
			var file strings.Builder
			if err := history.Write(&file, &changed); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := checkText(t, file.String())
			if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "lockquake: FILE:") {
				t.Errorf("%s of event %d, %d times: exit code %d, said %q", e.Type, e.Seq, times, code, stderr)
			}
			if times == 0 {
				dropped++
			} else {
				doubled++
			}
		}
	}
	if dropped == 0 || doubled <= dropped {
		t.Errorf("%d dropped and %d doubled", dropped, doubled)
	}
}
