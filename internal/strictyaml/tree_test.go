package strictyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const treeFile = `# of a test
name: bread # a comment
oven: {heat: 180, times: [40m, 5m]}
same: &a {x: 1}
again: *a
list:
  - plain
  - {name: map}
`

func TestSetChangesOneValue(t *testing.T) {
	tests := []struct{ path, value, want string }{
		{"name", "cake", "name: cake"},
		{"oven.heat", "200", "oven: {heat: 200, times: [40m, 5m]}"},
		{"oven.times[1]", "7m", "oven: {heat: 180, times: [40m, 7m]}"},
		{"oven.times", "[1m]", "oven: {heat: 180, times: [1m]}"},
		{"oven.fan", "true", "oven: {heat: 180, times: [40m, 5m], fan: true}"},
		{"oven.fan.speed", "3", "oven: {heat: 180, times: [40m, 5m], fan: {speed: 3}}"},
		{"new.a.b", "{c: d}", "new:\n  a:\n    b: {c: d}"},
		{"list[1].name", "other", "- {name: other}"},
		{"list[0]", "{name: x}", "- {name: x}"},
		{"again.x", "2", "same: {x: 1}\nagain: {x: 2}"},
		{"same.x", "2", "same: {x: 2}\nagain: {x: 1}"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			tree, err := Open("f", []byte(treeFile))
			if err != nil {
				t.Fatal(err)
			}
			if err := tree.Set(tt.path, tt.value); err != nil {
				t.Fatal(err)
			}
			text, err := tree.Bytes()
			if err != nil || !strings.Contains(string(text), tt.want) {
				t.Errorf("%v\n%s", err, text)
			}
			if !strings.HasPrefix(string(text), "# of a test\n") {
				t.Errorf("the comment is gone:\n%s", text)
			}
			again, err := Open("f", text)
			if err != nil {
				t.Fatal(err)
			}
			if twice, _ := again.Bytes(); cmp.Diff(text, twice) != "" {
				t.Errorf("written again it differs:\n%s", cmp.Diff(text, twice))
			}
		})
	}
}

func TestSetRefusesPathsThatDoNotExist(t *testing.T) {
	tests := []struct{ path, value, want string }{
		{"", "x", "a path is keys"},
		{"oven..heat", "x", "a path is keys"},
		{".name", "x", "a path is keys"},
		{"name.first", "x", `name is "bread", with nothing inside that could be set; set name itself`},
		{"list.name", "x", "list is a list: go on with an index, as in list[0]"},
		{"list[2]", "x", "list has no item 2: it has 2, the first is list[0]"},
		{"list[-1]", "x", "list has no item -1"},
		{"list[0", "x", "list is a list"},
		{"list[0]x", "x", "list is a list"},
		{"more[0].name", "x", "there is no list more"},
		{"name", "", "it has no value"},
		{"name", " ", "it has no value"},
		{"name", "{a", `"{a" cannot be a value: not YAML`},
		{"name", "a: b: c", `"a: b: c" cannot be a value: not YAML`},
		{"name", "&a [*a]", "is inside what it repeats"},
	}
	for _, tt := range tests {
		t.Run(tt.path+"="+tt.value, func(t *testing.T) {
			tree, err := Open("f", []byte(treeFile))
			if err != nil {
				t.Fatal(err)
			}
			err = tree.Set(tt.path, tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestGetReturnsNilWithoutAValue(t *testing.T) {
	tree, err := Open("f", []byte(treeFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := tree.Get("again.x"); n == nil || n.Text() != "1" {
		t.Errorf("again.x is %v", n)
	}
	for _, path := range []string{"nothing", "list[2]", "name.first"} {
		if n := tree.Get(path); n != nil {
			t.Errorf("%s is %q", path, n.Text())
		}
	}
}
