package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// errNoResults is the error for a file without readable results.
var errNoResults = errors.New("no results")

// schema is the version of results.json that is written and read.
const schema = 1

// MaxSeeds is the largest number of seeds of a campaign.
const MaxSeeds = 1_000_000_000

// WriteJSON writes one document as JSON: a [Campaign], which gives results.json, an
// [Exploration], a [Sweep], or another document of a report.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Read reads the campaign of a results.json, or of the one in a report directory.
// The failing runs themselves are not in it.
func Read(path string) (*Campaign, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "results.json")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	c, err := parseResults(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errNoResults, err)
	}
	return c, nil
}

func parseResults(data []byte) (*Campaign, error) {
	// Check the version first, since another version may have other fields.
	var head struct {
		Schema     *int             `json:"schema"`
		Scenario   string           `json:"scenario"`
		Strategies *json.RawMessage `json:"strategies"`
	}
	syntax := (*json.SyntaxError)(nil)
	switch err := json.Unmarshal(data, &head); {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return nil, errors.New("the file is empty or cut off")
	case syntax != nil:
		return nil, fmt.Errorf("the file is not JSON: %w", syntax)
	case err != nil:
		return nil, err
	case head.Schema == nil || head.Scenario == "":
		return nil, errors.New("the file names no schema and scenario")
	case *head.Schema != schema:
		return nil, fmt.Errorf("the file has schema %d, and this version reads schema %d", *head.Schema, schema)
	case head.Strategies == nil:
		return nil, errors.New("the file names no strategies")
	}
	var c Campaign
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	return &c, checkFigures(&c)
}

// checkFigures returns an error for figures that contradict each other.
func checkFigures(c *Campaign) error {
	var labels []string
	for i := range c.Strategies {
		st := &c.Strategies[i]
		if slices.Contains(labels, st.Label) {
			return fmt.Errorf("strategy %.60q appears twice", st.Label)
		}
		labels = append(labels, st.Label)
		wrong := st.Runs < 0 || st.Runs > MaxSeeds || !st.Seeds.Counts(st.Runs) && !st.Seeds.IsZero()
		for _, stats := range st.Checks {
			wrong = wrong || stats.Violating < 0 || stats.Unknown < 0 || stats.Violating > st.Runs || stats.Unknown > st.Runs-stats.Violating
			if !st.Seeds.IsZero() {
				wrong = wrong || !stats.Seeds.Counts(stats.Violating) || !stats.UnknownSeeds.Counts(stats.Unknown)
			}
		}
		if wrong {
			return fmt.Errorf("the figures of strategy %.60q contradict each other", st.Label)
		}
	}
	return nil
}
