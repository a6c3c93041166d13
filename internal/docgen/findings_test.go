package docgen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
)

// The tests of each finding exist in examples, the first one names the check, and go.mod has the version.
func TestEachFindingHasItsTests(t *testing.T) {
	const folder = "../../examples"
	texts := map[string]string{} // of the functions
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				texts[f.Name.Name] = string(text[f.Pos()-1 : f.End()-1])
			}
		}
	}
	modules, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings() {
		if (f.without == "") == (f.remedy == "") {
			t.Errorf("%s needs a test without the condition, or one with a remedy", f.shown)
		}
		contrast := f.without + f.remedy
		for _, name := range []string{f.shown, contrast} {
			if texts[name] == "" {
				t.Errorf("examples has no %s", name)
			}
		}
		if f.check != "" && (!strings.Contains(texts[f.shown], "locktest.Violates(") || !strings.Contains(texts[f.shown], `"`+f.check+`"`)) {
			t.Errorf("%s does not expect that %s is violated", f.shown, f.check)
		}
		if f.check != "" && (!strings.Contains(texts[contrast], "locktest.Holds(") || !strings.Contains(texts[contrast], `"`+f.check+`"`)) {
			t.Errorf("%s does not expect that %s holds", contrast, f.check)
		}
		if f.check != "" && !slices.Contains(checker.Names(), f.check) {
			t.Errorf("no check is called %s", f.check)
		}
		if version := f.library; strings.Contains(version, " v") && !strings.Contains(string(modules), "\t"+version+"\n") {
			t.Errorf("go.mod of examples has another version than %s", f.library)
		}
	}
}
