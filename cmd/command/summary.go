package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// stepSummary is the variable by which GitHub Actions names the file that the
// page of a job is made of.
const stepSummary = "GITHUB_STEP_SUMMARY"

// mostSummary is what GitHub shows of it, in bytes.
const mostSummary = 1 << 20

// summarise adds the report of a directory to the page of the job, if the
// program runs in one.
func summarise(dir string) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	// The page has the report alone, not the files that lie beside it.
	beside := regexp.MustCompile(`\n!\[[^]]*\]\([^)]*\)\n| \(\[files\]\([^)]*\)\)`)
	text = beside.ReplaceAll(text, nil)
	if len(text) > mostSummary {
		text = append(text[:mostSummary/2], "\n\nThe rest is in report.md.\n"...)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	_, err = file.Write(append(text, '\n'))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	return nil
}
