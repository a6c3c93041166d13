package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockquake/history"
	"lockquake/internal/schematest"
)

type object = map[string]any

// declarations has what the source says of the types: the comment of each field of a struct, as
// Struct.Field, and the values of each type of constants with their comments.
type declarations struct {
	fields map[string]string
	values map[string][]object
}

func declared(t *testing.T) declarations {
	t.Helper()
	d := declarations{map[string]string{}, map[string][]object{}}
	for _, name := range []string{"history.go", "effect.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, field := range f.Names {
							d.fields[n.Name.Name+"."+field.Name] = oneLine(f.Comment.Text())
						}
					}
				}
			case *ast.GenDecl:
				group := ""
				for _, spec := range n.Specs {
					v, ok := spec.(*ast.ValueSpec)
					if !ok || n.Tok != token.CONST || v.Type == nil {
						continue
					}
					value, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					about := oneLine(v.Doc.Text() + v.Comment.Text())
					if _, after, found := strings.Cut(about, ": "); found && strings.HasPrefix(about, v.Names[0].Name) {
						about = after
					}
					if about == "" {
						about = group
					}
					group = about // of FaultBegin and FaultEnd
					name := v.Type.(*ast.Ident).Name
					one := object{"const": value}
					if about != "" {
						one["description"] = about
					}
					d.values[name] = append(d.values[name], one)
				}
			}
			return true
		})
	}
	return d
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// needs lists the fields without which an event of a type says nothing.
var needs = map[history.Type][]string{
	history.AcquireCalled: {"worker", "section", "key"},
	history.Acquired:      {"worker", "section"},
	history.Told:          {"worker", "section"},
	history.ReleaseCalled: {"worker", "section"},
	history.Released:      {"worker", "section"},
	history.Invoke:        {"worker", "section", "request", "op", "key"},
	history.OK:            {"worker", "request"},
	history.Fail:          {"worker", "request"},
	history.Info:          {"worker", "request"},
	history.Crashed:       {"worker"},
	history.Granted:       {"key"},
	history.Refused:       {"key"},
	history.Renewed:       {"key"},
	history.NotRenewed:    {"key"},
	history.Freed:         {"key"},
	history.Expired:       {"key"},
	history.Evicted:       {"key"},
	history.LeftQueue:     {"key"},
	history.Promoted:      {"node"},
	history.Restarted:     {"node"},
	history.Applied:       {"request"},
	history.Final:         {"key"},
	history.FaultBegin:    {"fault", "kind", "target"},
	history.FaultEnd:      {"fault", "kind", "target"},
}

// words lists the values of fields whose type is a string.
var words = map[string][]string{
	"Event.Op": {"read", "write"}, "Event.Mode": {"", "shared", "exclusive"}, "Event.With": {"", "session", "transaction"},
	"Condition.By": {"version", "value"}, "Meta.Commit": {"", "after-release"},
}

// schemaOf makes the schema of a struct. Fields that are left out when they are zero are optional.
func (d declarations) schemaOf(s reflect.Type) object {
	properties, required := object{}, []string{}
	for f := range s.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
		p := d.typeOf(f.Type)
		if list := words[s.Name()+"."+f.Name]; list != nil {
			p["enum"] = list
		}
		if about := d.fields[s.Name()+"."+f.Name]; about != "" {
			p["description"] = about
		}
		properties[name] = p
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func (d declarations) typeOf(f reflect.Type) object {
	if values := d.values[f.Name()]; values != nil && f.PkgPath() != "" {
		return object{"type": "string", "oneOf": values}
	}
	switch f.Kind() {
	case reflect.Pointer:
		return object{"$ref": "#/$defs/" + strings.ToLower(f.Elem().Name())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": object{"type": "string"}}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.typeOf(f.Elem())}
	default:
		panic(fmt.Sprintf("no schema for %v", f))
	}
}

func madeSchema(t *testing.T) []byte {
	t.Helper()
	d := declared(t)
	event, meta := d.schemaOf(reflect.TypeFor[history.Event]()), d.schemaOf(reflect.TypeFor[history.Meta]())
	var rules []object
	for _, value := range d.values["Type"] {
		what := value["const"].(string)
		list := needs[history.Type(what)]
		if list == nil {
			t.Errorf("needs has no entry for %s", what)
		}
		rules = append(rules, object{
			"if":   object{"properties": object{"type": object{"const": what}}},
			"then": object{"required": list},
		})
	}
	event["allOf"] = rules
	properties := func(of object, name string) object { return of["properties"].(object)[name].(object) }
	properties(event, "seq")["minimum"] = 1
	properties(event, "at")["minimum"] = 0
	properties(meta, "schema")["const"] = history.Schema
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     fmt.Sprintf("urn:lockquake:history:%d", history.Schema),
		"title":   fmt.Sprintf("A line of a lockquake history, version %d", history.Schema),
		"description": "A history is a file of JSON lines. The first line is a meta, which has the version as \"schema\". Each other line is an event. " +
			"Times are in nanoseconds. A field that is left out is zero, empty or false.",
		"if": object{"required": []string{"schema"}}, "then": object{"$ref": "#/$defs/meta"}, "else": object{"$ref": "#/$defs/event"},
		"$defs": object{"meta": meta, "event": event, "condition": d.schemaOf(reflect.TypeFor[history.Condition]()), "part": d.schemaOf(reflect.TypeFor[history.Part]())},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGoldenSchemaIsMadeFromTheTypes(t *testing.T) {
	made := madeSchema(t)
	if *update {
		if err := os.WriteFile("schema.json", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(history.JSONSchema()), string(made)); diff != "" {
		t.Errorf("schema.json is not what the types say any more; make update writes it again. A change that old readers refuse needs a new Schema (-file +types):\n%s", diff)
	}
}

func validate(t *testing.T, s *jsonschema.Schema, line string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestTheSchemaAcceptsWhatWriteWrites(t *testing.T) {
	compiled := schematest.Compile(t, history.JSONSchema())
	var out bytes.Buffer
	for _, h := range []*history.History{sample(), {}} {
		if err := history.Write(&out, h); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		if err := validate(t, compiled, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTheSchemaRefusesWrongLines(t *testing.T) {
	compiled := schematest.Compile(t, history.JSONSchema())
	const meta = `{"schema":1,"version":"","scenario":"","strategy":"","label":"","seed":0,"workload":"","fence":"","fenced":false,"workers":[],"duration":0,"end":0}`
	const called = `{"seq":1,"at":0,"type":"acquire-called","worker":"worker-1","section":1,"key":"a"}`
	for _, right := range []string{meta, called} {
		if err := validate(t, compiled, right); err != nil {
			t.Fatalf("%s: %v", right, err)
		}
	}
	for _, wrong := range []struct{ name, line, old, new string }{
		{"another version", meta, `"schema":1`, `"schema":2`},
		{"a meta without workers", meta, `"workers":[],`, ``},
		{"an unknown field of the meta", meta, `"schema":1`, `"schema":1,"colour":"red"`},
		{"a duration as text", meta, `"duration":0`, `"duration":"0s"`},
		{"an unknown type", called, "acquire-called", "acquire-cold"},
		{"a section without a worker", called, `"worker":"worker-1",`, ``},
		{"a section without a key", called, `,"key":"a"`, ``},
		{"an event before the run", called, `"at":0`, `"at":-1`},
		{"number 0", called, `"seq":1`, `"seq":0`},
		{"an unknown field of an event", called, `"at":0`, `"at":0,"colour":"red"`},
		{"an operation that is none", called, `"type":"acquire-called"`, `"type":"invoke","request":1,"op":"update"`},
		{"an unknown class", called, `"type":"acquire-called"`, `"type":"released","class":"perhaps"`},
		{"an unknown effect", called, `"type":"acquire-called"`, `"type":"fault","fault":1,"kind":"pause","target":"worker-1","effect":"hurts"`},
		{"an event without a type", called, `"type":"acquire-called",`, ``},
	} {
		line := strings.Replace(wrong.line, wrong.old, wrong.new, 1)
		if line == wrong.line {
			t.Fatalf("%s changes nothing", wrong.name)
		}
		if validate(t, compiled, line) == nil {
			t.Errorf("%s is accepted: %s", wrong.name, line)
		}
	}
}
