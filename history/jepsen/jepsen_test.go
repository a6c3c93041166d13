package jepsen_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lockquake/history"
	"lockquake/history/jepsen"
)

// The same five operations in both forms.
const (
	textLog = `2031-03-01 08:00:00,001 INFO [main] jepsen.core - Running the test
INFO  jepsen.util - 0	:invoke	:write	1
INFO  jepsen.util - 12	:invoke	:read	nil
INFO  jepsen.util - :nemesis	:info	:start	"cut off [:n1] from [:n2]"
INFO  jepsen.util - 0	:ok	:write	1
INFO  jepsen.util - 12	:ok	:read	1
INFO  jepsen.util - 0	:invoke	:cas	[1 2]
2031-03-01 08:00:02,117 INFO [jepsen worker 12] jepsen.util: 12	:invoke	:cas	[2 3]
INFO  jepsen.util - 0	:info	:cas	[1 2]	:timed-out
INFO  jepsen.util - 12	:fail	:cas	[2 3]	#<Exception: no quorum>
INFO  jepsen.util - 12	:invoke	:read	nil
`
	edn = `; the same
{:index 0, :time 10, :process 0, :type :invoke, :f :write, :value 1}
{:index 1, :time 11, :process 12, :type :invoke, :f :read, :value nil}
{:index 2, :time 12, :process :nemesis, :type :info, :f :start, :value #{"n1"}}
{:index 3, :time 13, :process 0, :type :ok, :f :write, :value 1}
{:index 4, :time 14, :process 12, :type :ok, :f :read, :value 1}
{:index 5, :time 15, :process 0, :type :invoke, :f :cas, :value [1 2]}
{:index 6, :time 16, :process 12, :type :invoke, :f :cas, :value [2 3]}
{:index 7, :time 17, :process 0, :type :info, :f :cas, :value [1 2], :error :timed-out}
{:index 8, :time 18, :process 12, :type :fail, :f :cas, :value [2 3], :error {:cause "no quorum", :at 1.5e3}}
{:index 9, :time 19, :process 12, :type :invoke, :f :read}
`
)

// plain is an operation with its values as text.
type plain struct {
	Process      int64
	Function     string
	Input        string
	Output       string
	Outcome      history.Outcome
	Call, Return int64
	Begin, End   int // lines
}

func plainly(operations []jepsen.Operation) []plain {
	var list []plain
	for _, o := range operations {
		list = append(list, plain{o.Process, o.Function, o.Input.String(), o.Output.String(), o.Outcome, o.Call, o.Return, o.Begin.Line, o.End.Line})
	}
	return list
}

func TestBothFormsParseToTheSameOperations(t *testing.T) {
	want := []plain{
		{0, "write", "1", "1", history.OutcomeOK, 1, 3, 2, 5},
		{12, "read", "nil", "1", history.OutcomeOK, 2, 4, 3, 6},
		{0, "cas", "[1 2]", "nil", history.OutcomeInfo, 5, 0, 7, 9},
		{12, "cas", "[2 3]", "nil", history.OutcomeFail, 6, 8, 8, 10},
		{12, "read", "nil", "nil", history.OutcomeInfo, 9, 0, 11, 0},
	}
	tests := []struct {
		name, file string
		form       jepsen.Form
	}{
		{"log", textLog, jepsen.Log},
		{"log with the line ends of Windows", strings.ReplaceAll(textLog, "\n", "\r\n"), jepsen.Log},
		{"log with blanks for tabs", strings.ReplaceAll(textLog, "\t", "   "), jepsen.Log},
		{"log with tabs in part", strings.ReplaceAll(textLog, "\t:read\t", " :read  "), jepsen.Log},
		{"log with one blank for each tab", strings.ReplaceAll(textLog, "\t", " "), jepsen.Log},
		{"log that begins with a bracket", "[main] INFO jepsen.core - Running\n" + textLog, jepsen.Log},
		{"maps", edn, jepsen.EDN},
		{"a vector", "[" + edn + "]", jepsen.EDN},
		{"a list of records", "(" + strings.ReplaceAll(edn, "{:index", "#jepsen.history.Op{:index") + ")", jepsen.EDN},
		{"maps in one line", strings.ReplaceAll(strings.TrimPrefix(edn, "; the same"), "\n", ",,"), jepsen.EDN},
		{"maps with one left out", "#_{:a 1}" + edn, jepsen.EDN},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			operations, form, err := jepsen.Parse([]byte(tt.file))
			if err != nil || form != tt.form {
				t.Fatalf("form %q, error %v", form, err)
			}
			var options cmp.Options
			if strings.Count(tt.file, "\n") != strings.Count(textLog, "\n") {
				options = append(options, cmpopts.IgnoreFields(plain{}, "Begin", "End"))
			}
			if diff := cmp.Diff(want, plainly(operations), options); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseNamesThePlaceOfAnError(t *testing.T) {
	line := func(process, kind, function, value string) string {
		return fmt.Sprintf("INFO  jepsen.util - %s\t:%s\t:%s\t%s\n", process, kind, function, value)
	}
	const invoke = "{:process 0 :type :invoke :f :read}\n"
	tests := []struct{ name, file, want string }{
		{"nothing", " \n", "1:1: the file is empty"},
		{"another log", "Hello\tthere\nworld\n", "1:1: there is no operation of a client in it"},
		{"a log of the nemesis alone", line(":nemesis", "info", "start", "nil"), "1:1: there is no operation"},
		{"cut within a line", line("0", "invoke", "read", "nil") + "INFO  jepsen.util - 0\t:ok\t:read\t1", "2:34: the file ends within the line"},
		{"cut after the function", line("0", "invoke", "read", "nil") + "INFO  jepsen.util - 0\t:ok\t:read\n", "2:32: the line ends before the operation's value"},
		{"no such type", line("0", "invok", "read", "nil"), "1:23: unknown type :invok; known are :invoke, :ok, :fail, :info"},
		{"a function that is no keyword", "a 0\t:invoke\tread\tnil\n", "1:13: a function is a keyword, not read"},
		{"a function that is nothing", "a 0\t:invoke\t\tnil\n", `1:13: "" is no value`},
		{"cut after the function, with blanks", "- 0 :invoke :read\n", "1:18: the line ends before the operation's value"},
		{"two values, with blanks", "- 0 :invoke :write 1 2\n", "1:22: something follows the value"},
		{"a function that is no keyword, with blanks", "- 0 :invoke read nil\n", "1:13: a function is a keyword, not read"},
		{"a log of other words", "took 5 :units of 7 :ok\n:nemesis :info 3 :ok :read 1\n", "1:1: there is no operation"},
		{"half a vector", line("0", "invoke", "cas", "[1 2"), "1:40: it ends within a vector that begins at 1:36"},
		{"two values", line("0", "invoke", "write", "1 2"), "1:40: something follows the value"},
		{"no value", line("0", "invoke", "write", ""), "1:38: it ends where a value should be"},

		{"busy", line("0", "invoke", "read", "nil") + line("0", "invoke", "write", "1"), "2:1: process 0 begins :write, and its :read of line 1 has not ended"},
		{"an end without a beginning", line("0", "ok", "read", "1"), "1:1: process 0 ends a :read that it never began"},
		{"the end of something else", line("0", "invoke", "read", "nil") + line("0", "ok", "write", "1"), "2:1: process 0 ends :write, and what it began in line 1 is :read"},
		{"back after an info", line("0", "invoke", "read", "nil") + line("0", "info", "read", "nil") + line("0", "invoke", "read", "nil"), "3:1: process 0 ended with the :info in line 2, and is back"},

		{"cut within a map", invoke + "{:process 0, :type :ok, :f ", "2:28: it ends within a map that begins at 2:1"},
		{"cut within a vector", "[" + invoke, "2:1: it ends within a vector that begins at 1:1"},
		{"cut within a string", invoke + `{:process 0 :type :ok :f :read :value "ab`, "2:42: it ends within a string that begins at 2:39"},
		{"something behind the vector", "[" + invoke + "] 1", "2:3: something follows the vector"},
		{"a number among the maps", invoke + "  17", "2:3: an operation is a map, not 17"},
		{"a vector among the maps", invoke + "[" + invoke + "]", "2:1: an operation is a map, not a vector"},
		{"no process", "{:type :ok :f :read}", "1:1: an operation without :process"},
		{"no type", "{:process 1 :f :read}", "1:1: an operation without :type"},
		{"no function", "{:process 1 :type :ok}", "1:1: an operation without :f"},
		{"a process of another kind", `{:process "a" :type :ok :f :read}`, `1:11: a process is a number or :nemesis, not "a"`},
		{"a negative process", `{:process -1 :type :ok :f :read}`, "1:11: a process is a number or :nemesis, not -1"},
		{"a type that is a word", `{:process 1 :type ok :f :read}`, "1:19: unknown type ok"},
		{"a function that is a string", `{:process 1 :type :invoke :f "read"}`, `1:30: :f is a keyword, not "read"`},
		{"a time in words", `{:process 1 :type :ok :f :read :time 1.5}`, "1:38: :time is an integer, not 1.5"},
		{"indices out of order", "{:index 4 :process 1 :type :invoke :f :read}\n{:index 4 :process 2 :type :invoke :f :read}", "2:9: index 4 after 4: the file is out of order"},
		{"a key twice", "{:process 1 :process 2}", "1:13: :process appears twice"},
		{"a key without value", "{:process 1 :type}", "1:1: a map with a key without a value"},
		{"an element twice", "{:process #{1 2 1}}", "1:17: 1 appears twice"},
		{"a bracket too many", invoke + "}", `2:1: "}" closes nothing`},
		{"the wrong bracket", "{:process [1)}", `1:13: ")" closes nothing`},
		{"too deep", "{:process " + strings.Repeat("[", 200), "1:110: values are nested more than 100 deep"},
		{"discards too deep", "{" + strings.Repeat("#_", 200), "values are nested more than 100 deep"},
		{"a discard of nothing", invoke + "#_", "2:3: it ends where a value should be"},
		{"a number too large", "{:process 9223372036854775808}", "1:11: 9223372036854775808 does not fit into 64 bits"},
		{"a number with letters", "{:process 12ab}", `1:11: "12ab" is not a number`},
		{"half a ratio", "{:process 1/}", `1:11: "1/" is not a number`},
		{"a ratio of nothing", "{:process 1/0}", `1:11: "1/0" is not a number`},
		{"a digit that is not octal", "{:process 08}", `1:11: "08" is not a number`},
		{"a digit beyond the radix", "{:process 2r2}", `1:11: "2r2" is not a number`},
		{"half an exponent", "{:process 1e}", `1:11: "1e" is not a number`},
		{"half an exponent of a decimal", "{:process 1eM}", `1:11: "1eM" is not a number`},
		{"a character of no name", `{:process \foo}`, "1:11: \"\\\\foo\" is no character"},
		{"half a surrogate", `{:process "\ud83d!"}`, "1:12: an unknown escape in a string"},
		{"metadata", "{:process 1 :type :invoke :f :read :value ^{:a 1} []}", `1:43: "^" is no value`},
		{"keys with a namespace", "#:x{:process 1 :type :invoke :f :read}", "1:1: an operation is a map, not a tagged value"},
		{"keys that are strings", `[{"process" 1 "type" "invoke" "f" "read"}]`, "1:2: an operation without :process"},
		{"an info of nobody", "{:process 1 :type :info :f :read}", "1:1: process 1 ends a :read that it never began"},
		{"an equal element", "{:process #{1.0 1.00}}", "1:17: 1.0 appears twice"},
		{"an equal key", "{[1] 2 (1) 3}", "1:8: (1) appears twice"},
		{"a hexadecimal", "{:process 0x1p4}", `1:11: "0x1p4" is not a number`},
		{"an unknown constant", "{:process ##Zero}", `1:11: "##Zero" is not a number`},
		{"an unknown escape", `{:process "\q"}`, "1:12: an unknown escape in a string"},
		{"half an escape", `{:process "\u12`, "1:12: an unknown escape in a string"},
		{"a tag of nothing", "{:process #(1)}", "1:11: # without a tag"},
		{"a control character", "{:process a\x00b}", "1:11: \"a\\x00b\" is no value"},
		{"no UTF-8", invoke + "{:process \"\xff\"}", "2:11: a string that is not UTF-8"},
		{"a binary file", "é\nab\x8a\x00\n7", "2:3: byte 0x8a is not UTF-8 text"},
		{"a binary file that begins as EDN", "{\xff", "1:2: byte 0xff is not UTF-8 text"},
		{"a log that is cut, with other bytes in a line that is skipped", "\xff\n" + line("0", "invoke", "read", "nil") + "7", "3:2: the file ends within the line"},
		{"a colon alone", "{: 1}", `1:2: ":" is no value`},
		{"columns count characters", `{"äöü" @}`, `1:8: "@" is no value`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			operations, _, err := jepsen.Parse([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, tt.want)
			}
			if _, ok := errors.AsType[*jepsen.Error](err); !ok {
				t.Errorf("%T is no *jepsen.Error", err)
			}
			if operations != nil {
				t.Error("operations came with the error")
			}
		})
	}
}

// Every EDN value is written back as it was.
func TestValuesAreWrittenBackAsTheyWere(t *testing.T) {
	for _, text := range []string{
		"nil", "true", "0", "-7", "1.5", "-2e-10", "1/3", "3M", "0.05M", "##Inf", `"a \"b\" \n"`, `\a`, `\newline`, `\(`, ":a/b", "foo.bar/baz", "+", "-x",
		"[]", "[1 [2 3] nil]", "(1 2)", "#{1 :a}", "{:a 1 :b {}}", `#inst "2031-03-01"`, "#jepsen.history.Op {:a 1}", "#:a {:b 1}",
	} {
		file := fmt.Sprintf("{:process 1 :type :invoke :f :write :value %s}", text)
		operations, _, err := jepsen.Parse([]byte(file))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := operations[0].Input.String(); got != text {
			t.Errorf("%s came back as %s", text, got)
		}
	}
}

// Values that are equal in Clojure have one identity, however they are spelt.
func TestEqualValuesHaveOneIdentity(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		equal bool
	}{
		{"5", "+5", true},
		{"5", "5N", true},
		{"5", "0x5", true},
		{"15", "017", true},
		{"5", "2r101", true},
		{"-0", "0", true},
		{"1.0", "1.00", true},
		{"1.0", "1e0", true},
		{"0.1", "1E-1", true},
		{"100.0", "1e2", true},
		{"0.0", "-0.0", true},
		{"1.", "1.0", true},
		{"1.0M", "1.00M", true},
		{"1M", "1.0M", true},
		{"150M", "1.5e2M", true},
		{"0.05M", "5e-2M", true},
		{"0M", "-0.00M", true},
		{"1e99M", "10e98M", true},
		{"2/4", "1/2", true},
		{"4/2", "2", true},
		{"-3/6", "-1/2", true},
		{`"\u0041"`, `"A"`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`\u0041`, `\A`, true},
		{`\newline`, `\o12`, true},
		{`\space`, `\u0020`, true},
		{"[1,,2]", "[1 2]", true},
		{"[1 #_2 3]", "[1 3]", true},
		{"[1 2]", "(1 2)", true},
		{"#{1 2}", "#{2 1}", true},
		{"{:a 1 :b 2}", "{:b 2, :a 1}", true},
		{"[#{1 2.0}]", "(#{2.00 1})", true},
		{"#a/b [1]", "#a/b (1)", true},

		{"1", "1.0", false},
		{"1.0", "1M", false},
		{"1.0", "1.0M", false},
		{"1", "1M", false},
		{"1/2", "0.5", false},
		{"0.1", "0.10000000000000001M", false},
		{":a", `"a"`, false},
		{"a", `"a"`, false},
		{`\a`, `"a"`, false},
		{":a", "a", false},
		{"nil", "false", false},
		{"[1 2]", "[2 1]", false},
		{"[1 2]", "#{1 2}", false},
		{"{1 2}", "#{1 2}", false},
		{"{1 2}", "{2 1}", false},
		{"#a [1]", "#b [1]", false},
		{`["1 2"]`, "[1 2]", false},
	} {
		values := make([]jepsen.Value, 2)
		for i, text := range []string{tt.a, tt.b} {
			operations, _, err := jepsen.Parse([]byte("{:process 1 :type :invoke :f :write :value " + text + "}"))
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			values[i] = operations[0].Input
		}
		if got := values[0].Equal(values[1]); got != tt.equal {
			t.Errorf("%s and %s are equal: %t", tt.a, tt.b, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(textLog))
	f.Add([]byte(edn))
	f.Add([]byte("[" + edn + "]"))
	f.Add([]byte(textLog[:len(textLog)/2]))
	f.Add([]byte(strings.ReplaceAll(textLog, "\t", "  ")))
	f.Add([]byte(`{:process 1 :type :invoke :f :cas :value [0 [1.50M -2/4]]}{:process 1 :type :ok :f :cas :value [0N (0x1f 1e-7)]}`))
	f.Add([]byte(`{:process 1 :type :invoke :f :read :value [#{\o12 "\ud83d\ude00"} nil]}`))
	f.Add([]byte(`#a #_ \( {"\u00e4" ##Inf #{1/2}} ;`))
	f.Fuzz(func(t *testing.T, file []byte) {
		operations, _, err := jepsen.Parse(file)
		if keyed, err := jepsen.Keyed(operations); keyed && err == nil {
			_, _ = jepsen.ByKey(operations) // whether it can is for the other tests
		}
		if err != nil {
			wrong, ok := errors.AsType[*jepsen.Error](err)
			if !ok || wrong.Line < 1 || wrong.Column < 1 || wrong.Line > strings.Count(string(file), "\n")+1 {
				t.Errorf("no place in the file: %#v", err)
			}
			return
		}
		for i, o := range operations {
			if o.Call < 1 || o.Return != 0 && o.Return <= o.Call || o.Begin.Line < 1 || o.Process < 0 || o.Open() != (o.Return == 0) {
				t.Errorf("operation %d makes no sense: %+v", i, o)
			}
			// String returns the value itself.
			printed, _, err := jepsen.Parse([]byte("{:process 1 :type :invoke :f :write :value " + o.Input.String() + "}"))
			if err != nil || !printed[0].Input.Equal(o.Input) {
				t.Errorf("%s is printed, which is %v: %v", o.Input, printed, err)
			}
		}
	})
}

func ExampleParse() {
	file := "INFO  jepsen.util - 3\t:invoke\t:cas\t[2 4]\nINFO  jepsen.util - 3\t:info\t:cas\t[2 4]\t:timed-out\n"
	operations, form, err := jepsen.Parse([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range operations {
		fmt.Printf("%s: process %d, %s %s: %s\n", form, o.Process, o.Function, o.Input, o.Outcome)
	}
	// Output: jepsen-log: process 3, cas [2 4]: info
}
