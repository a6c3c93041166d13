package prose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rules maps patterns of banned words to better ones.
type rules map[*regexp.Regexp]string

func banned() rules {
	return rules{
		word(`befall(s|en|ing)?|befell`):          "hit, happen to",
		word(`wish(es|ed)?`):                      "request, command, setting",
		word(`deeds?`):                            "operation, action",
		word(`who(so)?ever`):                      "the worker that, anyone who",
		word(`dear to make`):                      "costly",
		word(`the oftener`):                       "the more often",
		word(`(comes|came|come) to (its|an) end`): "ends, ended",
		word(`so many`):                           "the number, or a number",
		word(`that they may`):                     "name what is expected",
		word(`stands`):                            "is, survives, follows",
		word(`lost the thread`):                   "is out of sync",
		word(`as ever`):                           "as before",
		word(`to that end`):                       "for that",
		word(`a good part`):                       "many, most",
		comment(`is what|is who|are what`):        "returns, holds, decides: say what it does",
		comment(`says whether|is told`):           "reports whether, is called",
		word(`anew`):                              "again",
		word(`of no use`):                         "unusable, has no effect",
		word(`at hand`):                           "current, present",
		word(`without a word`):                    "abruptly, silently",
		word(`speaks? of`):                        "names, records",
		word(`sees? to it`):                       "makes sure",
		word(`(in|of) (its|his|their) turn`):      "too, in order",
		word(`turns? everybody away`):             "refuses everybody",
		word(`time-outs?`):                        "timeout",
		word(`fence tokens?`):                     "fencing token",
		word(`in one go`):                         "together, at once",
		word(`carr(y|ies|ied) out`):               "run, execute",
		word(`all the same`):                      "anyway, even so",
		word(`taken for`):                         "counts as",
		word(`count(s|ed)? (it |them )?up`):       "increments",
	}
}

// comment returns the pattern of a comment that begins with a name and one of these verbs.
func comment(verbs string) *regexp.Regexp {
	return regexp.MustCompile(`^//\s+(?:- )?(?:An? )?\[?\w+\]? (` + verbs + `)\b`)
}

func word(pattern string) *regexp.Regexp {
	// The words of a phrase may be on two lines of a comment.
	pattern = strings.ReplaceAll(pattern, " ", `[\s/#>*]+`)
	return regexp.MustCompile(`(?i)\b(` + pattern + `)\b`)
}

// TestBannedWords is about comments, strings, Markdown and scenario files. Names in the code are not looked
// at.
func TestBannedWords(t *testing.T) {
	r, root := banned(), filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if entry.Name() == ".git" || entry.Name() == "testdata" || name == filepath.Join("internal", "prose") {
				return filepath.SkipDir
			}
			return nil
		}
		for _, found := range r.read(t, path) {
			t.Errorf("%s:%s", name, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the banned words of a file, as line: word (better words).
func (r rules) read(t *testing.T, path string) []string {
	t.Helper()
	switch filepath.Ext(path) {
	case ".md", ".yaml":
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return r.find(string(text), 1)
	case ".go":
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, group := range file.Comments {
			list = append(list, r.find(textOf(group), files.Position(group.Pos()).Line)...)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				list = append(list, r.find(s.Value, files.Position(s.Pos()).Line)...)
			}
			return true
		})
		return list
	}
	return nil
}

func textOf(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		lines = append(lines, c.Text)
	}
	return strings.Join(lines, "\n")
}

// find returns the banned words in a text that begins in a line. "Stands for" and "stands still"
// are allowed.
func (r rules) find(text string, line int) []string {
	var list []string
	for pattern, better := range r {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			if strings.EqualFold(text[at[0]:at[1]], "stands") && fine(text[at[1]:]) {
				continue
			}
			n := line + strings.Count(text[:at[0]], "\n")
			list = append(list, fmt.Sprintf("%d: %q; better: %s", n, text[at[0]:at[1]], better))
		}
	}
	return list
}

func TestFindBannedWords(t *testing.T) {
	for text, want := range map[string]int{
		"The worker stands there.":                                  1,
		"A name stands for a worker, and a clock stands\n// still.": 0,
		"It runs so\n// many times.":                                1,
		"Whoever wishes, deeds.":                                    3,
		"indeed, wishbone, standstill":                              0,
	} {
		if got := banned().find(text, 1); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

func TestRulesOfCommentsAreAboutTheirBeginnings(t *testing.T) {
	for text, want := range map[string]int{
		"// reason is what woke a task.":                   1,
		"// expired is told that a key is gone.":           1,
		"// effect is a change. It is what a reader sees.": 0,
		"// A time-out is\n// begun anew.":                 2,
	} {
		if got := banned().find(text, 1); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// fine reports whether the words after "stands" make it an allowed one.
func fine(after string) bool {
	after = strings.TrimLeft(after, " \t\n/#>*")
	return strings.HasPrefix(after, "for") || strings.HasPrefix(after, "still")
}

// TestTheMapOfALargePackageNamesAllItsFiles is about packages with more than eight files besides doc.go. A file counts
// as named if its name without .go is a word of doc.go, with or without hyphens, or if a pattern such as renewal*.go
// matches it.
func TestTheMapOfALargePackageNamesAllItsFiles(t *testing.T) {
	const large = 8
	root := filepath.Join("..", "..")
	packages := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && (name == ".git" || name == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(name) == ".go" && name != "doc.go" && !strings.HasSuffix(name, "_test.go"):
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for dir, files := range packages {
		if len(files) <= large {
			continue
		}
		found++
		text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, file := range files {
			if !names(string(text), file) {
				t.Errorf("%s does not name %s", filepath.Join(dir, "doc.go"), file)
			}
		}
	}
	if found == 0 {
		t.Error("no package has more than eight files")
	}
}

var filePatterns = regexp.MustCompile(`[\w*]+\*[\w*]*\.go\b`)

// names reports whether a map of a package names a file.
func names(text, file string) bool {
	for _, pattern := range filePatterns.FindAllString(text, -1) {
		if matched, err := filepath.Match(pattern, file); err == nil && matched {
			return true
		}
	}
	base := strings.TrimSuffix(file, ".go")
	return regexp.MustCompile(`(?i)\b` + base + `\b`).MatchString(strings.ReplaceAll(text, "-", ""))
}

func TestAMapNamesAFileByItsNameOrAPattern(t *testing.T) {
	for _, tt := range []struct {
		text, file string
		want       bool
	}{
		{"take.go takes the key", "take.go", true},
		{"a file for each fault: clock-rate", "clockrate.go", true},
		{"the ways of renewal (renewal*.go)", "renewaltask.go", true},
		{"the ways of renewal (renewal.go)", "renewaltask.go", false},
		{"a retake of the key", "take.go", false},
	} {
		if got := names(tt.text, tt.file); got != tt.want {
			t.Errorf("%q names %s: %t, want %t", tt.text, tt.file, got, tt.want)
		}
	}
}
