package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The report of a shard is not replaced by the merged one, and no report counts twice.
func TestMergeRefusesAReportTwiceAndOneThatItWouldReplace(t *testing.T) {
	t.Chdir(t.TempDir())
	execute := func(args ...string) (int, string) {
		var failed bytes.Buffer
		code := newProgram(nil).execute(t.Context(), args, io.Discard, &failed)
		return code, failed.String()
	}
	for i, dir := range []string{"s1", "s2"} {
		if code, said := execute("run", "kleppmann", "--strategy", "fenced", "--seeds", "1-2", "--shard", []string{"1/2", "2/2"}[i], "--out", dir, "--quiet"); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", dir, code, said)
		}
	}
	before, err := os.ReadFile(filepath.Join("s1", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"s1 s2 --out s1":          "the merged report would replace s1, which is one of the reports to merge: name another directory with --out",
		"s1/runs.log s2 --out s1": "the merged report would replace s1, which is one of the reports to merge: name another directory with --out",
		"s1 s1 s2 --out all":      "s1 and s1 are the same report: name each one once",
		"s1 s2 ./s1/ --out all":   "s1 and ./s1/ are the same report: name each one once",
	} {
		if code, said := execute(append([]string{"merge"}, strings.Fields(args)...)...); code != exitUsage || said != "lockquake: "+want+"\n" {
			t.Errorf("merge %s: exit code %d, said %q", args, code, said)
		}
	}
	if after, err := os.ReadFile(filepath.Join("s1", "results.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the report s1 has changed: %v", err)
	}
	if code, said := execute("merge", "s1", "s2", "--out", "all"); code != exitOK {
		t.Errorf("exit code %d: %s", code, said)
	}
}
