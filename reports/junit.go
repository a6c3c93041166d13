package reports

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// The elements of a JUnit report, as CI systems read them.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit writes junit.xml: a test for each strategy and each of its bounds, and one for the
// campaign as a whole. A test fails if the result is not as expected. It is an error if the
// result is unknown, and skipped if the strategy does not decide. Its message says what happened and what
// was not expected.
func junit(c *results.Campaign) ([]byte, error) {
	suite := junitSuite{Name: c.Scenario}
	for _, st := range c.Strategies {
		one := junitCase{Class: c.Scenario, Name: tables.Name(st), Out: junitOutput(c, st)}
		switch tables.OutcomeOf(st) {
		case tables.Unexpected:
			one.Failure = &junitMessage{Message: words.Plain(tables.Explained(c, st), 1000), Text: replays(c.Program, st)}
			suite.Failures++
		case tables.Undecided:
			one.Error = &junitMessage{Message: words.Plain(tables.Explained(c, st), 1000), Text: replays(c.Program, st)}
			suite.Errors++
		case tables.Unasked:
			one.Skipped = &junitMessage{Message: "the scenario expects nothing of it"}
			suite.Skipped++
		case tables.AsExpected:
		}
		suite.Cases = append(suite.Cases, one)
		for _, b := range st.Bounds {
			bound := junitCase{Class: c.Scenario, Name: fmt.Sprintf("%s: %s %s", tables.Name(st), b.Measure, b.Bound), Out: cmp.Or(b.Figure, "nothing was measured")}
			if !b.Met {
				bound.Failure = &junitMessage{Message: b.String()}
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, bound)
		}
	}
	whole := junitCase{Class: c.Scenario, Name: "the scenario as a whole", Out: words.Plain(tables.Seeds(c)+": "+c.Summary(), 1000)}
	switch c.Verdict {
	case results.Fail:
		whole.Failure = &junitMessage{Message: words.Plain(c.Summary(), 1000)}
		suite.Failures++
	case results.Unknown:
		whole.Error = &junitMessage{Message: words.Plain(c.Summary(), 1000)}
		suite.Errors++
	case results.Pass:
	}
	suite.Cases = append(suite.Cases, whole)
	suite.Tests = len(suite.Cases)
	b := bytes.NewBufferString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return nil, fmt.Errorf("reports: write junit.xml: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// junitOutput says what happened under a use, and what the sentence about it leaves out.
func junitOutput(c *results.Campaign, st results.StrategyStats) string {
	verdict := tables.VerdictOf(c, st)
	text := verdict.Text
	if verdict.Grade != tables.Held {
		text += "; finished " + tables.Finished(st) + " of the work"
	}
	return text + "; checks violated: " + tables.Violated(st)
}

// replays returns the commands that repeat the first failure of each check that finds harm.
func replays(program string, st results.StrategyStats) string {
	var b strings.Builder
	for _, check := range st.Order {
		if stats := st.Checks[check]; stats.Replay != "" && !st.Harmless(check) {
			fmt.Fprintf(&b, "%s, seed %d: %s\n", check, stats.FirstSeed, words.ReplayLine(program, stats.Replay))
		}
	}
	return b.String()
}
