package strictyaml_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/strictyaml"
)

// colour has a notation of its own: red, or {mix: [red, blue]}.
type colour string

type paint struct {
	Coat   colour        `yaml:"coat"`
	Drying time.Duration `yaml:"drying"`
	Rain   struct {
		Chance float64 `yaml:"chance"`
		Worst  colour  `yaml:"worst"`
	} `yaml:"rain"`
}

type house struct {
	Name    string                    `yaml:"name"`
	Built   bool                      `yaml:"built"`
	Floors  int                       `yaml:"floors"`
	Small   int8                      `yaml:"small"`
	Doors   uint16                    `yaml:"doors"`
	Height  float64                   `yaml:"height"`
	Wait    time.Duration             `yaml:"wait"`
	Rooms   []string                  `yaml:"rooms"`
	Owners  map[string]int            `yaml:"owners"`
	Garden  *paint                    `yaml:"garden"`
	Walls   paint                     `yaml:"walls"`
	Later   strictyaml.Patch[paint]   `yaml:"later"`
	Laters  []strictyaml.Patch[paint] `yaml:"laters"`
	Secret  string                    `yaml:"-"`
	Untaged string
}

func decoder() strictyaml.Decoder {
	hooks := strictyaml.Hooks{}
	strictyaml.AddHook(hooks, func(n *strictyaml.Node, into *colour) error {
		mix := n.Field("mix")
		switch {
		case mix != nil:
			var parts []string
			err := mix.Decode(&parts)
			*into = colour(strings.Join(parts, "+"))
			return err
		case n.IsMap() || n.IsList():
			return n.Wants("a colour")
		}
		*into = colour(n.Text())
		return nil
	})
	return strictyaml.Decoder{Hooks: hooks}
}

const goodHouse = `# where we live
name: "5"
built: true
floors: -3
small: 127
doors: 65535
height: 2.5
wait: 1m30s
rooms: [kitchen, &b bath, *b]
owners:
  ann: 1
  "007": 2
garden: &paint
  coat: {mix: [red, blue]}
  drying: -1h
walls: *paint
later:
  rain: {chance: 1}
`

func TestDecodeSetsOnlyWhatTheFileHas(t *testing.T) {
	h := house{Name: "before", Secret: "kept", Untaged: "kept"}
	h.Walls.Rain.Chance = 0.5
	if _, err := decoder().Decode("house.yaml", []byte(goodHouse), &h); err != nil {
		t.Fatal(err)
	}
	later := paint{Coat: "as it was"}
	h.Later.Apply(&later)
	h.Later = strictyaml.Patch[paint]{}

	garden := paint{Coat: "red+blue", Drying: -time.Hour}
	walls := garden
	walls.Rain.Chance = 0.5
	want := house{
		Name: "5", Built: true, Floors: -3, Small: 127, Doors: 65535, Height: 2.5, Wait: 90 * time.Second,
		Rooms: []string{"kitchen", "bath", "bath"}, Owners: map[string]int{"ann": 1, "007": 2},
		Garden: &garden, Walls: walls, Secret: "kept", Untaged: "kept",
	}
	if diff := cmp.Diff(want, h, cmp.AllowUnexported(strictyaml.Patch[paint]{})); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	wantLater := paint{Coat: "as it was"}
	wantLater.Rain.Chance = 1
	if diff := cmp.Diff(wantLater, later); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

func TestAPatchAppliesTheFieldsOfTheFileOnly(t *testing.T) {
	var h house
	text := "later: {coat: red, rain: {worst: {mix: [a]}}}\nlaters: [{}, {drying: 0s}]\n"
	if _, err := decoder().Decode("f", []byte(text), &h); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"coat": true, "rain.worst": true, "rain": false, "rain.chance": false, "drying": false,
	} {
		if got := h.Later.Has(path); got != want {
			t.Errorf("Has(%q) = %v, want %v", path, got, want)
		}
	}
	p := paint{Coat: "old", Drying: time.Hour}
	p.Rain.Chance = 0.1
	h.Laters[0].Apply(&p)
	if p.Drying != time.Hour {
		t.Errorf("an empty patch changed drying to %v", p.Drying)
	}
	h.Laters[1].Apply(&p)
	h.Later.Apply(&p)
	want := paint{Coat: "red"}
	want.Rain.Chance, want.Rain.Worst = 0.1, "a"
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
}

func TestAnErrorNamesItsPosition(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'h'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 10))
	}
	tests := []struct {
		name, text, want string
	}{
		{"empty", "", `f:1:1: the file is empty`},
		{"only a comment", "# nothing\n", `f:1:1: the file is empty`},
		{"only a marker", "---\n", `f:2:1: the file is empty`},
		{"null", "~", `f:1:1: the file is empty`},
		{"a list", "- name", `f:1:1: the file must be a map, not a list`},
		{"a word", "name", `f:1:1: the file must be a map, not "name"`},
		{"two documents", "name: a\n---\nname: b\n", `f:2:1: a second document begins here; a file holds one`},
		{"broken second document", "name: a\n...\nfoo\n", `f:3:1: a second document begins here; a file holds one`},
		{"not UTF-8", "name: \xff\n", `f:1:7: byte 0xff is not UTF-8 text`},
		{"NUL", "name: a\nname: b\x00\n", `f:2:8: control character U+0000 is not allowed`},
		{"escape", "name: é\x1b[31m\n", `f:1:8: control character U+001B is not allowed`},
		{"too large", strings.Repeat("#", strictyaml.MaxSize+1), `f:1:1: the file is larger than 4194304 bytes`},
		{"too deep", "rooms: " + deep, `f:1:40: lists and maps are nested more than 32 deep`},
		{"too many by aliases", bomb, `f:6:14: the file holds more than 400000 values, aliases followed`},

		{"indentation", "name: x\nwalls:\n   coat: red\n  drying: 3s\n", `f:4:3: not YAML: did not find expected key; is this line indented like those around it?`},
		{"open list", "name: x\nrooms: [a, b\nbuilt: true\n", `f:2:8: not YAML: did not find expected ',' or ']'`},
		{"colon in a value", "name: a: b\n", `f:1:8: not YAML: mapping values are not allowed in this context`},
		{"no colon", "name: a\nbuilt\nfloors: 1\n", `f:2:1: not YAML: could not find expected ':'`},
		{"tab", "walls:\n\tcoat: red\n", `f:2:1: a tab indents this line, and YAML takes spaces only`},
		{"tab after spaces", "walls:\n \tcoat: red\n", `f:2:2: a tab indents this line, and YAML takes spaces only`},
		{"open quotation", "name: \"x\nbuilt: true\n", `f:1:7: not YAML: found unexpected end of stream`},
		{"unknown escape", "name: \"\\q\"\n", `f:1:8: not YAML: found unknown escape character`},
		{"one bracket more", "name: a\nrooms: [a]]\n", `f:2:11: not YAML: did not find expected key`},
		{"unknown anchor", "name: a\nwalls: *paint\n", `f:2:8: not YAML: unknown anchor 'paint' referenced`},
		{"tag handle", "name: a\nfloors: !x!y 1\n", `f:2:9: not YAML: found undefined tag handle`},

		{"unknown key", "name: a\nflors: 1\n", `f:2:1: unknown key "flors"; did you mean "floors"?`},
		{"unknown key, nothing near", "walls: {colouring: red}\n", `f:1:9: unknown key "colouring"; known are coat, drying, rain`},
		{"a field without a tag", "Untaged: a\n", `f:1:1: unknown key "Untaged"; known are name, built, floors, small, doors, height, wait, rooms, owners, garden, walls, later, ...`},
		{"a field that is not of the file", "Secret: a\n", `f:1:1: unknown key "Secret"; known are name, built, floors, small, doors, height, wait, rooms, owners, garden, walls, later, ...`},
		{"no key", "\"\": a\n", `f:1:1: unknown key ""; known are name, built, floors, small, doors, height, wait, rooms, owners, garden, walls, later, ...`},
		{"duplicate key", "name: a\nbuilt: true\n\"name\": b\n", `f:3:1: the key "name" is here twice, first in line 1`},
		{"duplicate key below", "owners: {a: 1, a: 1}\n", `f:1:16: the key "a" is here twice, first in line 1`},
		{"key of numbers", "owners: {1: 1}\n", `f:1:10: the key "1" must be text; put it in quotes`},
		{"key of a list", "owners: {[a]: 1}\n", `f:1:10: a key must be text`},
		{"key of an alias", "name: &a x\n*a : 1\n", `f:2:1: a key must be text`},
		{"merge key", "garden: &p {coat: red}\nwalls:\n  <<: *p\n", `f:3:3: merge keys are not allowed; write the keys out`},
		{"alias to itself", "rooms: &r [a, *r]\n", `f:1:15: the alias *r is inside what it repeats`},
		{"alias to what is around it", "walls: &w\n  rain: {x: *w}\n", `f:2:13: the alias *w is inside what it repeats`},
		{"tag", "name: !!binary aGk=\n", `f:1:7: the tag "!!binary" is not allowed`},

		{"text for a number", "floors: many\n", `f:1:9: floors must be a whole number, not "many"`},
		{"fraction for a whole number", "floors: 1.5\n", `f:1:9: floors must be a whole number, not the number 1.5`},
		{"octal", "floors: 010\n", `f:1:9: floors must be a whole number, not the number 010`},
		{"too large a number", "floors: 9223372036854775808\n", `f:1:9: floors must be between -9223372036854775808 and 9223372036854775807`},
		{"beyond int8", "small: 128\n", `f:1:8: small must be between -128 and 127`},
		{"beyond uint16", "doors: 65536\n", `f:1:8: doors must be between 0 and 65535`},
		{"below uint16", "doors: -1\n", `f:1:8: doors must be between 0 and 65535`},
		{"infinity", "height: .inf\n", `f:1:9: height must be a number, not the number .inf`},
		{"number for text", "name: 5\n", `f:1:7: name must be text, not the number 5; put it in quotes`},
		{"list for text", "rooms: [a, [b]]\n", `f:1:12: rooms[1] must be text, not a list`},
		{"word for a boolean", "built: yes\n", `f:1:8: built must be true or false, not "yes"`},
		{"no unit", "wait: 5\n", `f:1:7: wait needs a unit: write 5ms or 5s`},
		{"no unit, zero", "wait: 0\n", `f:1:7: wait needs a unit: write 0ms or 0s`},
		{"bad unit", "walls: {drying: 5 hours}\n", `f:1:17: walls.drying must be a duration like 150ms or 1m30s, not "5 hours"; the units are ns, us, ms, s, m and h, without a space`},
		{"a duration with a broken number", "wait: 1.5.5s\n", `f:1:7: wait must be a duration like 150ms or 1m30s, not "1.5.5s"; the units are ns, us, ms, s, m and h, without a space`},
		{"too long a duration", "wait: 9999999h\n", `f:1:7: wait is too long: a duration is at most 87600h0m0s, not "9999999h"`},
		{"map for a list", "rooms: {a: b}\n", `f:1:8: rooms must be a list, not a map`},
		{"list for a map", "owners: [a]\n", `f:1:9: owners must be a map, not a list`},
		{"text for a struct", "walls: red\n", `f:1:8: walls must be a map, not "red"`},
		{"no value", "name: a\nwalls:\n", `f:2:7: walls has no value`},
		{"no value for a patch", "later:\n", `f:1:7: later has no value`},
		{"error in a patch", "laters: [{}, {rain: {chance: x}}]\n", `f:1:30: laters[1].rain.chance must be a number, not "x"`},
		{"text for a patch", "later: red\n", `f:1:8: later must be a map, not "red"`},
		{"error of a hook", "walls: {coat: [red]}\n", `f:1:15: walls.coat must be a colour, not a list`},
		{"error inside a hook", "walls: {coat: {mix: [a, 5]}}\n", `f:1:25: walls.coat.mix[1] must be text, not the number 5; put it in quotes`},
		{"a long word", "built: " + strings.Repeat("é", 60), `f:1:8: built must be true or false, not "` + strings.Repeat("é", 40) + `..."`},
		{"a word of two lines", "built: |\n  a\n  b\n", `f:1:8: built must be true or false, not "a\nb\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h house
			_, err := decoder().Decode("f", []byte(tt.text), &h)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if _, ok := errors.AsType[*strictyaml.Error](err); !ok {
				t.Errorf("a %T, not an *Error", err)
			}
		})
	}
}

func TestAnErrorIsOneLine(t *testing.T) {
	e := &strictyaml.Error{File: "a\nb", Line: 1, Column: 2, Text: "c\r\u2028d é\x1b"}
	if got, want := e.Error(), `a\nb:1:2: c\r\u2028d é\x1b`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPositionsFindValuesAndKeys(t *testing.T) {
	var h house
	text := goodHouse + "laters:\n- {coat: blue}\n- drying: 1s\n  coat: red\n"
	text = strings.Replace(text, "  ann: 1\n", "  ann: 1\n  ann.bob: 3\n", 1)
	positions, err := decoder().Decode("f", []byte(text), &h)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path       string
		has        bool
		value, key string // as line:column
	}{
		{"", true, "2:1", "2:1"},
		{"name", true, "2:7", "2:1"},
		{"rooms[1]", true, "9:18", "9:18"},
		{"rooms[2]", true, "9:18", "9:18"}, // an alias is where its value is
		{"owners.ann", true, "11:8", "11:3"},
		{"owners.ann.bob", true, "12:12", "12:3"},
		{"walls.drying", true, "16:11", "16:3"},
		{"laters[1].coat", true, "23:9", "23:3"},
		{"laters[1].rain", false, "22:3", "22:3"},
		{"laters[7].coat", false, "21:1", "20:1"},
		{"laters[x]", false, "21:1", "20:1"},
		{"owners.zoe", false, "11:3", "10:1"},
		{"nothing.at.all", false, "2:1", "2:1"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			line, column := positions.Of(tt.path)
			if got := fmt.Sprintf("%d:%d", line, column); got != tt.value || positions.Has(tt.path) != tt.has {
				t.Errorf("value at %s, there: %v; want %s, %v", got, positions.Has(tt.path), tt.value, tt.has)
			}
			if got, want := positions.Errorf(tt.path, "%d", 5).Error(), "f:"+tt.value+": 5"; got != want {
				t.Errorf("error of the value is %q, want %q", got, want)
			}
			if got, want := positions.KeyErrorf(tt.path, "x").Error(), "f:"+tt.key+": x"; got != want {
				t.Errorf("error of the key is %q, want %q", got, want)
			}
		})
	}
}

func TestUnknownProposesTheNearestName(t *testing.T) {
	known := []string{"redis", "redis-fenced", "none"}
	tests := []struct {
		word  string
		known []string
		want  string
	}{
		{"Reddis", known, `unknown lock "Reddis"; did you mean "redis"?`},
		{"redis_fenced", known, `unknown lock "redis_fenced"; did you mean "redis-fenced"?`},
		{"erdis", known, `unknown lock "erdis"; did you mean "redis"?`},
		{"postgres", known, `unknown lock "postgres"; known are redis, redis-fenced, none`},
		{"redis-pg", []string{"none", "redis-pg-session", "redis-pg-in-transaction"}, `unknown lock "redis-pg"; known are redis-pg-session, redis-pg-in-transaction`},
		{"", known, `unknown lock ""; known are redis, redis-fenced, none`},
		{"x", nil, `unknown lock "x"`},
	}
	for _, tt := range tests {
		if got := strictyaml.Unknown("lock", tt.word, tt.known); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		goodHouse, "", "a: &a [*a]", "x: {y: [1, {z: 2}]}", "%YAML 1.2\n---\nname: |+\n  a\n\n", "? a\n: b",
		"name: \"\\u0000\\x1b\\n\"", "rooms:\n- a\n-\n  - b\n", "<<: {name: a}", "!!map {name: a}", "later: {rain: {}}",
		"owners: {? a : 1, ? : 2}", "wait: 1h\nname: 'a''b' # c\n", "- - - -\n", "\ufeffname: a", "name: a\r\nbuilt: x\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var h house
		positions, err := decoder().Decode("f", data, &h)
		if err == nil {
			if line, column := positions.Of("laters[0].rain.chance"); line < 1 || column < 1 {
				t.Errorf("position %d:%d", line, column)
			}
			return
		}
		e, ok := errors.AsType[*strictyaml.Error](err)
		if !ok {
			t.Fatalf("a %T, not an *Error: %v", err, err)
		}
		if e.File != "f" || e.Line < 1 || e.Column < 1 || e.Text == "" {
			t.Errorf("no position or no text: %+v", e)
		}
		if strings.ContainsAny(err.Error(), "\n\r\u0085\u2028\u2029\x1b") {
			t.Errorf("more than one line: %q", err)
		}
	})
}

// open is a struct that takes more keys than it has fields.
type open struct {
	Size int               `yaml:"size"`
	More map[string]string `yaml:",inline"`
}

func openDecoder() strictyaml.Decoder {
	return strictyaml.Decoder{Keys: map[reflect.Type][]string{reflect.TypeFor[map[string]string](): {"roof", "door"}}}
}

// A patch with keys that have no field sets these alone, and leaves maps alone that others
// share.
func TestOpenKeys(t *testing.T) {
	var file struct {
		Plain open                   `yaml:"plain"`
		Later strictyaml.Patch[open] `yaml:"later"`
	}
	if _, err := openDecoder().Decode("f", []byte("plain: {size: 2, roof: flat}\nlater: {door: red}\n"), &file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(open{2, map[string]string{"roof": "flat"}}, file.Plain); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	shared := map[string]string{"roof": "steep", "door": "blue"}
	patched := open{1, shared}
	file.Later.Apply(&patched)
	if diff := cmp.Diff(open{1, map[string]string{"roof": "steep", "door": "red"}}, patched); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
	if shared["door"] != "blue" || !file.Later.Has("door") || file.Later.Has("roof") {
		t.Errorf("the shared map is %v; the patch has door %v, roof %v", shared, file.Later.Has("door"), file.Later.Has("roof"))
	}
}

func TestOpenKeysAreKnown(t *testing.T) {
	for text, want := range map[string]string{
		"size: 1\nrof: flat\n":       `f:2:1: unknown key "rof"; did you mean "roof"?`,
		"size: 1\nroof: [a, b]\n":    `f:2:7: roof must be text, not a list`,
		"size: 1\nroof: {flat: 1}\n": `f:2:7: roof must be text, not a map`,
	} {
		_, err := openDecoder().Decode("f", []byte(text), new(open))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
