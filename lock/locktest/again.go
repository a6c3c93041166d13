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
// removes the file with the token, also if the run no longer exists.
func (r *request) again() (string, error) {
	text, err := os.ReadFile(r.file(".token"))
	if err != nil {
		return "", nil //nolint:nilerr // nothing failed
	}
	token, err := results.ParseToken(strings.TrimSpace(string(text)))
	if err != nil {
		return "", r.forget()
	}
	s, err := r.repeatable(token)
	if s == nil || err != nil {
		return "", r.forget()
	}
	trial, err := run.Once(s, run.Request{Label: token.Label, Seed: token.Seed, Stall: r.stall()})
	if err != nil {
		return "", err
	}
	unexpected := slices.DeleteFunc(trial.Checks(checker.Invalid), func(check string) bool {
		return slices.Contains(s.Expect[trial.Label].Violates, check)
	})
	check := s.MostTelling(trial.Label, unexpected)
	if check == "" {
		return "", r.forget()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d\nnot expected: %s is violated again, as in the last run of the test (%s)\n", s.Name, token.Seed, check, r.file(".token"))
	r.tell(&b, trial, check)
	return b.String(), nil
}

// forget removes the file with the token.
func (r *request) forget() error {
	if err := os.Remove(r.file(".token")); err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	return nil
}
