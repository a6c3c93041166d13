package locks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A lock starts no goroutine and owns no channel: everything that could run
// beside it comes from Env, so that one task runs at a time.
func TestLocksTakeConcurrencyFromEnvOnly(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families() {
		own, err := filepath.Glob("../" + family.Name + "/*.go")
		if err != nil || len(own) == 0 {
			t.Fatalf("the family %s has %d files: %v", family.Name, len(own), err)
		}
		files = append(files, own...)
	}
	seen := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		seen++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
				t.Errorf("%s: a %T", set.Position(n.Pos()), n)
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no file was looked at")
	}
}
