package prose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	}
}

// strict are the words that are banned in the plain places only.
func strict() rules {
	r := rules{
		comment(`is what|is who|are what`):   "returns, holds, decides: say what it does",
		comment(`says whether|is told`):      "reports whether, is called",
		word(`anew`):                         "again",
		word(`of no use`):                    "unusable, has no effect",
		word(`at hand`):                      "current, present",
		word(`without a word`):               "abruptly, silently",
		word(`speaks? of`):                   "names, records",
		word(`sees? to it`):                  "makes sure",
		word(`(in|of) (its|his|their) turn`): "too, in order",
		word(`turns? everybody away`):        "refuses everybody",
		word(`time-outs?`):                   "timeout",
		word(`fence tokens?`):                "fencing token",
		word(`in one go`):                    "together, at once",
		word(`carr(y|ies|ied) out`):          "run, execute",
		word(`all the same`):                 "anyway, even so",
		word(`taken for`):                    "counts as",
		word(`count(s|ed)? (it |them )?up`):  "increments",
	}
	maps.Copy(r, banned())
	return r
}

// plain lists the folders and files that keep the strict rules. It grows until it has the whole tree.
func plain() []string {
	return []string{
		"checker", "checker/internal/evidence", "checker/internal/linear", "checker/internal/spread", "checker/stored",
		"history", "history/jepsen", "sim", "sim/holders", "sim/redis", "sim/redis/client", "sim/redis/keyspace",
		"sim/redis/lua", "sim/redis/resp", "sim/postgres/engine", "sim/postgres/sql", "sim/resource", "cmd/command", "faults", "internal/docgen", "internal/draw", "internal/rereport", "internal/servers", "internal/stall", "internal/stats",
		"internal/clientgo", "internal/strictyaml", "internal/toys", "internal/twoworlds",
		"lock/conditional", "lock/dynamodb", "lock/etcd", "lock/etcd/official", "lock/kubernetes", "lock/postgres", "lock/zookeeper", "lock/zookeeper/official",
		"sim/dynamodb", "sim/dynamodb/attribute", "sim/dynamodb/client", "sim/dynamodb/expression", "sim/dynamodb/family", "sim/dynamodb/table",
		"sim/etcd", "sim/etcd/client", "sim/etcd/family", "sim/etcd/store", "sim/etcd/wire",
		"sim/kubernetes", "sim/kubernetes/api", "sim/kubernetes/client", "sim/kubernetes/family",
		"sim/zookeeper", "sim/zookeeper/client", "sim/zookeeper/family", "sim/zookeeper/tree", "sim/zookeeper/wire",
		"sim/postgres", "sim/postgres/client", "sim/postgres/family", "sim/postgres/wire", "scenarios/matrix", "docs/matrix.md", "docs/advice.md", "docs/advise.md", "lock", "lock/env", "lock/redis", "sim/backend", "sim/redis/family", "docs/mylockquake",
		"reports", "reports/internal/sample", "reports/picture", "reports/story", "reports/tables", "reports/timeline", "reports/words",
		"scenarios", "scenarios/advise", "scenarios/campaign", "scenarios/internal/runtest", "scenarios/results", "scenarios/run", "scenarios/search", "scenarios/workload",
		"README.md", "docs/check.md", "docs/ci.md", "docs/glossary.md", "docs/model.md", "docs/README.md", "docs/sweep.md", "docs/tutorial.md", "docs/your-own-lock.md",
		"lock/locktest", "packaging", "docs/history.md", "docs/questions.md",
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
	everywhere, strictly, places, root := banned(), strict(), plain(), filepath.Join("..", "..")
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
		r := everywhere
		if place := filepath.ToSlash(name); slices.Contains(places, place) || slices.Contains(places, filepath.ToSlash(filepath.Dir(name))) {
			r = strictly
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

func TestStrictRulesAreAboutTheBeginningsOfComments(t *testing.T) {
	for text, want := range map[string]int{
		"// reason is what woke a task.":                   1,
		"// expired is told that a key is gone.":           1,
		"// effect is a change. It is what a reader sees.": 0,
		"// A time-out is\n// begun anew.":                 2,
	} {
		if got := strict().find(text, 1); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// fine reports whether the words after "stands" make it an allowed one.
func fine(after string) bool {
	after = strings.TrimLeft(after, " \t\n/#>*")
	return strings.HasPrefix(after, "for") || strings.HasPrefix(after, "still")
}
