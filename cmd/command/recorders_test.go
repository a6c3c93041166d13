package command

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockquake/history"
	"lockquake/internal/schematest"
)

// The recorders of docs/recorders record locks in other languages, which check judges.
func TestCheckJudgesWhatTheRecordersRecord(t *testing.T) {
	line := schematest.Compile(t, history.JSONSchema())
	for _, language := range []struct{ program, debian, example string }{
		{"python3", "python3", "example.py"},
		{"node", "nodejs", "example.mjs"},
	} {
		for lock, want := range map[string]struct {
			code int
			text string
		}{
			"broken": {exitViolation, "lost-update   invalid"},
			"right":  {exitOK, "lost-update   valid"},
		} {
			t.Run(language.example+" "+lock, func(t *testing.T) {
				if _, err := exec.LookPath(language.program); err != nil && os.Getenv("CI") == "" {
					t.Skipf("%v; make deps installs it (package %s)", err, language.debian)
				}
				file := filepath.Join(t.TempDir(), "history.jsonl")
				example := exec.CommandContext(t.Context(), language.program, language.example, lock, file)
				example.Dir, example.Env = "../../docs/recorders", append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
				if out, err := example.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				recorded, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for text := range strings.Lines(string(recorded)) {
					value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
					if err == nil {
						err = line.Validate(value)
					}
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
				}
				var out bytes.Buffer
				if code := newProgram(nil).execute(t.Context(), []string{"check", file}, &out, io.Discard); code != want.code || !strings.Contains(out.String(), want.text) {
					t.Errorf("exit code %d, want %d with %q:\n%s", code, want.code, want.text, out.String())
				}
			})
		}
	}
}

func TestTheHistoryOfThePageIsValid(t *testing.T) {
	page, err := os.ReadFile("../../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```json\n")
	text, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/history.md shows no history")
	}
	file := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, failed bytes.Buffer
	if code := newProgram(nil).execute(t.Context(), []string{"check", file}, &out, &failed); code != exitOK {
		t.Errorf("exit code %d: %s%s", code, out.String(), failed.String())
	}
}

// formatSchema holds the fields and the types of the schema of histories.
type formatSchema struct {
	Defs map[string]struct {
		Properties map[string]struct {
			OneOf []struct {
				Const string `json:"const"`
			} `json:"oneOf"`
		} `json:"properties"`
		Required []string `json:"required"`
		AllOf    []struct {
			If struct {
				Properties struct {
					Type struct {
						Const string `json:"const"`
					} `json:"type"`
				} `json:"properties"`
			} `json:"if"`
			Then struct {
				Required []string `json:"required"`
			} `json:"then"`
		} `json:"allOf"`
	} `json:"$defs"`
}

// quoted returns the words of a cell of a table that are code.
func quoted(cell string) []string {
	var list []string
	for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		list = append(list, found[1])
	}
	return list
}

// The tables of the page have every type of event, the fields that the schema requires, and no field
// that it does not have.
func TestThePageOfTheFormatHasTheFieldsOfTheSchema(t *testing.T) {
	page, err := os.ReadFile("../../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	var schema formatSchema
	if err := json.Unmarshal(history.JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## The header\n")
	header, events, _ := strings.Cut(rest, "\n## The events\n")
	fields := func(where string, shown, required []string, of string) {
		for _, field := range shown {
			if _, known := schema.Defs[of].Properties[field]; !known {
				t.Errorf("%s: the schema has no field %s", where, field)
			}
		}
		for _, field := range required {
			if !slices.Contains(shown, field) {
				t.Errorf("%s: the field %s is missing", where, field)
			}
		}
	}
	var shown []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \|`).FindAllStringSubmatch(header, -1) {
		shown = append(shown, quoted(row[1])...)
	}
	fields("the header", shown, schema.Defs["meta"].Required, "meta")

	required := map[string][]string{}
	for _, rule := range schema.Defs["event"].AllOf {
		required[rule.If.Properties.Type.Const] = rule.Then.Required
	}
	described := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \| \w+ \| (.*?) \| (.*) \|$`).FindAllStringSubmatch(events, -1) {
		for _, what := range quoted(row[1]) {
			described[what] = true
			fields(what, quoted(row[2]), required[what], "event")
			if what != string(history.Released) {
				continue
			}
			for _, class := range schema.Defs["event"].Properties["class"].OneOf {
				if class.Const != "" && !slices.Contains(quoted(row[3]), class.Const) {
					t.Errorf("%s: the class %s is missing", what, class.Const)
				}
			}
		}
	}
	for _, what := range schema.Defs["event"].Properties["type"].OneOf {
		if !described[what.Const] {
			t.Errorf("docs/history.md does not describe events of type %s", what.Const)
		}
	}
}

func TestSchemaPrintsTheSchemaOfHistories(t *testing.T) {
	var out, failed bytes.Buffer
	if code := newProgram(nil).execute(t.Context(), []string{"schema", "history"}, &out, io.Discard); code != exitOK || !bytes.Equal(out.Bytes(), history.JSONSchema()) {
		t.Errorf("exit code %d, and not the schema:\n%.300s", code, out.String())
	}
	if code := newProgram(nil).execute(t.Context(), []string{"schema", "histroy"}, io.Discard, &failed); code != exitUsage || !strings.Contains(failed.String(), `did you mean "history"`) {
		t.Errorf("exit code %d: %s", code, failed.String())
	}
}
