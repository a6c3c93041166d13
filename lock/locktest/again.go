package locktest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// file returns the path of a file of the call, under testdata/lockquake.
func (r *request) file(extension string) string {
	name := regexp.MustCompile(`[^\pL\pN_-]+`).ReplaceAllString(r.test, "-")
	if r.call > 1 {
		name += fmt.Sprintf("-%d", r.call)
	}
	return filepath.ToSlash(filepath.Join("testdata", "lockquake", name+extension))
}

// remember writes the token of a run that failed, with which the next run of the test begins.
func (r *request) remember(token string) bool {
	path := r.file(".token")
	return os.MkdirAll(filepath.Dir(path), 0o755) == nil && os.WriteFile(path, []byte(token+"\n"), 0o644) == nil
}

// again repeats the run that failed the last time. It returns the text of a failure if it still fails. Otherwise it
// forgets the run, also if the run no longer exists, or if the function of Results decides, which needs all runs.
func (r *request) again() (string, error) {
	text, err := os.ReadFile(r.file(".token"))
	if err != nil {
		return "", nil //nolint:nilerr // nothing failed
	}
	token, err := results.ParseToken(strings.TrimSpace(string(text)))
	if err != nil {
		r.forget()
		return "", nil //nolint:nilerr // the file names no run
	}
	s, err := r.repeatable(token)
	if s == nil || err != nil {
		r.forget()
		return "", nil //nolint:nilerr // the run does not exist any more
	}
	trial, err := run.Once(s, run.Request{Label: token.Label, Seed: token.Seed, Stall: r.stall()})
	if err != nil {
		return "", err
	}
	unexpected := slices.DeleteFunc(trial.Checks(checker.Invalid), func(check string) bool {
		return slices.Contains(s.Expect[trial.Label].Violates, check)
	})
	check := s.MostTelling(trial.Label, unexpected)
	if check == "" || r.results != nil && !r.names() {
		r.forget()
		return "", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d\nnot expected: %s is violated again, as in the last run of the test (%s)\n", s.Name, token.Seed, check, r.file(".token"))
	r.tell(&b, trial, check)
	return b.String(), nil
}

// forget removes the file with the token, and the smaller scenario of the run. A file that stays only makes the test
// repeat the run once more.
func (r *request) forget() {
	_ = os.Remove(r.file(".token"))
	_ = os.Remove(r.file(".yaml"))
}
