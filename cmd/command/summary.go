package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// stepSummary is the environment variable with the file for the summary of a job of GitHub
// Actions.
const stepSummary = "GITHUB_STEP_SUMMARY"

// maxSummary is the largest summary that GitHub shows, in bytes.
const maxSummary = 1 << 20

// summarise adds report.md of a directory to the summary of the job, if the program runs in
// GitHub Actions.
func summarise(dir string) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	// Links to other files of the report would be broken in the summary.
	beside := regexp.MustCompile(`\n!\[[^]]*\]\([^)]*\)\n| \(\[files\]\([^)]*\)\)`)
	text = beside.ReplaceAll(text, nil)
	if len(text) > maxSummary {
		text = append(text[:maxSummary/2], "\n\nThe rest is in report.md.\n"...)
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
