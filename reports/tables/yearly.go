package tables

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Yearly prints an estimate for a terminal: which pauses are long and how often they come, what a run is, the
// rates, the commands that repeat them, and in the last sentence the answer.
func Yearly(w io.Writer, y *results.Yearly, color bool) error {
	return writeSections(w, YearlySections(y), color)
}

// YearlySections returns the parts of an estimate.
func YearlySections(y *results.Yearly) []AdviceSection {
	return []AdviceSection{
		yearlyRates(y),
		{Title: "Long pauses", Text: yearlyLong(y), Commands: given(y.Long.Command)},
		{Title: "The runs", Text: yearlyRuns(y), Commands: yearlyCommands(y)},
		{Title: "In a year", Text: []string{YearlyAnswer(y)}},
	}
}

func given(command string) []string {
	if command == "" {
		return nil
	}
	return []string{command}
}

func yearlyRates(y *results.Yearly) AdviceSection {
	s := AdviceSection{Title: fmt.Sprintf("%s: %s a year, with the pauses of %s", words.Plain(y.Scenario, 60), noun(y, 2), words.Plain(y.Log.File, 60))}
	s.Grid = Grid{Head: []string{"strategy", "shortest pause that breaks it", "violating runs", "share", "a year", "95 % interval"}, Texts: 1}
	for i := range y.Strategies {
		r := &y.Strategies[i]
		row := []string{words.Labelled(r.Label, r.Name), "-", "-", "-", "-", "-"}
		switch {
		case r.Without != nil:
			row[1] = "fails without one"
		case r.Breaks > 0:
			row[1] = words.Rough(r.Breaks)
		default:
			row[1] = "none up to " + words.Rough(r.Unbroken)
		}
		if r.PerYear != nil {
			row[2] = fmt.Sprintf("%s of %s", words.Thousands(r.Violating), words.Thousands(r.Runs))
			row[3] = words.Percent(r.Share())
			row[4], row[5] = yearlyCells(r)
		}
		s.Grid.Rows = append(s.Grid.Rows, row)
	}
	return s
}

// yearlyCells returns the rate and its interval.
func yearlyCells(r *results.YearlyRate) (rate, interval string) {
	switch {
	case untested(r):
		return "unknown", "-"
	case r.Violating == 0:
		return "none seen", "fewer than " + bare(r.PerYear.AtMost)
	case r.PerYear.AtMost > 0:
		return "-", "at most " + bare(r.PerYear.AtMost)
	}
	return bare(r.PerYear.Rate), bare(r.PerYear.Low) + " to " + bare(r.PerYear.High)
}

// bare is aYear in a column for rates of a year.
func bare(rate float64) string { return strings.TrimSuffix(aYear(rate), " a year") }

// untested reports whether hardly any work was finished, so that no violation means nothing.
func untested(r *results.YearlyRate) bool { return r.Violating == 0 && r.Finished*100 < r.Jobs }

// yearlyLong says which pauses are long, why, and how often they come.
func yearlyLong(y *results.Yearly) []string {
	from, hours := words.Rough(y.Long.From), words.Figure(y.Log.Hours())
	var texts []string
	source := "of one process"
	if y.Log.Stated {
		source += " by --pauses-over"
	}
	if y.Long.Count > 0 {
		r := y.Long.PerHour
		texts = append(texts, fmt.Sprintf("The log (%s) has %s of at least %s in %s hours %s: %s an hour (%s to %s).",
			y.Log.Kind, words.Count(y.Long.Count, "pause"), from, hours, source, words.Figure(r.Rate), words.Figure(r.Low), words.Figure(r.High)))
	} else {
		texts = append(texts, fmt.Sprintf("The log (%s) has no pause of at least %s in %s hours %s, so there are at most %s an hour. It is too short to say more. "+
			"It does not say how long such a pause is; the runs have pauses of %s.",
			y.Log.Kind, from, hours, source, words.Figure(y.Long.PerHour.AtMost), words.Rough(y.Long.Assumed)))
	}
	if first := shortest(y); first != nil {
		texts = append(texts, fmt.Sprintf("Pauses of less than %s are taken as harmless: the shortest that breaks a lock takes %s (%s, %s), with the longest work and a waiting "+
			"worker that asks often. A tenth is left for latencies and work in their tails.", from, words.Rough(first.Breaks), words.Plain(first.Label, 60), words.Plain(first.At, 100)))
	} else {
		texts = append(texts, fmt.Sprintf("No pause that was placed at any point breaks a lock. Pauses of at least %s, which is half a lease or half of the longest that was tried, count as long.", from))
	}
	if n := len(y.Long.Tested); n > 0 {
		texts = append(texts, fmt.Sprintf("Pauses of %s to %s at every point of small runs broke nothing: %s placements.",
			words.Rough(y.Long.Tested[0]), words.Rough(y.Long.Tested[n-1]), words.Thousands(y.Long.Placed)))
	}
	return texts
}

// shortest returns the strategy that the shortest pause breaks, nil if none breaks.
func shortest(y *results.Yearly) *results.YearlyRate {
	var first *results.YearlyRate
	for i := range y.Strategies {
		if r := &y.Strategies[i]; r.Breaks > 0 && (first == nil || r.Breaks < first.Breaks) {
			first = r
		}
	}
	return first
}

// yearlyRuns says what a run is, what is left out, and what to doubt.
func yearlyRuns(y *results.Yearly) []string {
	run := fmt.Sprintf("A run has exactly one long pause, which begins at a random moment of the first %s and stops one of the %s of a lock. ", y.Duration, processes(y.Processes))
	if y.Short.Count > 0 {
		run += fmt.Sprintf("Shorter ones of the log, of at least %s, come about every %s to each process. ", words.Rough(y.Short.Least), words.Rough(y.Short.Every))
	}
	texts := []string{run + "The rate is that of the long pauses times the share of violating runs, times the processes of all locks. Its interval has the uncertainty of both."}
	texts = append(texts, fmt.Sprintf("Left out are violations that need two pauses: two short ones in one section, at most %s; two long ones within %s at one lock, at most %s. Pauses are taken to come independently.",
		bound(y.Neglected.ShortPairs), words.Rough(y.Neglected.Within), bound(y.Neglected.LongPairs)))
	if y.Replaced > 0 {
		texts = append(texts, fmt.Sprintf("The pauses of the log replace the faults of the scenario (%s).", words.Count(y.Replaced, "entry")))
	}
	if y.Partial {
		texts = append(texts, "It was stopped before the last run.")
	}
	for i := range y.Strategies {
		texts = append(texts, doubts(y, &y.Strategies[i])...)
	}
	return texts
}

// doubts says what makes the rate of a strategy less certain.
func doubts(y *results.Yearly, r *results.YearlyRate) []string {
	var texts []string
	add := func(format string, args ...any) {
		texts = append(texts, words.Plain(r.Label, 60)+" "+fmt.Sprintf(format, args...))
	}
	if r.Without != nil {
		add("violates %s without any pause, so it has no rate for pauses.", strings.Join(r.Without, ", "))
		return texts
	}
	if r.Breaks == 0 && r.Violating > 0 {
		add("was broken by no pause in the small runs, and violates a check in these: shorter pauses than %s may break it too, so that its rate may be too low.", words.Rough(y.Long.From))
	}
	if r.CalmViolating > 0 {
		add("also violates a check in %d of %d runs without a long pause: about %s, which the rate leaves out.", r.CalmViolating, r.Calm,
			aYear(float64(r.CalmViolating)/float64(r.Calm)/y.Duration.Hours()*results.Year*float64(y.Locks)))
	}
	if r.Unknown > 0 {
		add("has %s in which a check could not decide.", words.Count(r.Unknown, "run"))
	}
	if untested(r) {
		add("finished hardly any work, so that its runs say nothing.")
	}
	if r.Runs > 0 && r.Hit == 0 {
		add("was never hit: no long pause overlapped a section, a lease or a call.")
	}
	return texts
}

// yearlyCommands lists the command that comes to the same figures, and the first violating run of each strategy.
func yearlyCommands(y *results.Yearly) []string {
	commands := given(y.Command)
	for i := range y.Strategies {
		if token := y.Strategies[i].Replay; token != "" {
			commands = append(commands, words.ReplayLine(y.Program, token))
		}
	}
	return commands
}

// YearlyAnswer returns the answer in one sentence.
func YearlyAnswer(y *results.Yearly) string {
	var parts []string
	for i := range y.Strategies {
		r := &y.Strategies[i]
		label := words.Plain(r.Label, 60)
		switch {
		case r.Without != nil:
			parts = append(parts, "no rate for "+label+", which fails without a pause")
		case r.PerYear == nil || untested(r):
			parts = append(parts, "unknown with "+label)
		case r.Violating == 0:
			parts = append(parts, fmt.Sprintf("none with %s (fewer than %s)", label, aYear(r.PerYear.AtMost)))
		case y.Long.Count == 0:
			parts = append(parts, fmt.Sprintf("at most %s with %s", counted(y, r.PerYear.AtMost), label))
		default:
			parts = append(parts, fmt.Sprintf("about %s (%s) with %s", counted(y, r.PerYear.Rate), spread(r.PerYear.Low, r.PerYear.High), label))
		}
	}
	text := strings.Join(parts, "; ")
	return fmt.Sprintf("%s, given the pauses of %s and %s of %s each with the work of %s.", upper(text),
		words.Plain(y.Log.File, 60), words.Count(y.Locks, "lock"), processes(y.Processes), words.Plain(y.Scenario, 60))
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// noun names n violations.
func noun(y *results.Yearly, n float64) string {
	name := "violation"
	if y.Workload == "counter" && y.Check == "" {
		name = "corrupted counter"
	}
	if n == 1 {
		return name
	}
	return name + "s"
}

// counted writes a rate of a year with its noun: 3.1 violations a year, or 1 violation in 25 years.
func counted(y *results.Yearly, rate float64) string {
	number, period, _ := strings.Cut(aYear(rate), " ")
	n, _ := strconv.ParseFloat(number, 64)
	return number + " " + noun(y, n) + " " + period
}

// aYear writes a rate of a year: 3.1 a year, or 1 in 25 years.
func aYear(rate float64) string {
	switch {
	case rate == 0:
		return "0 a year"
	case rate >= 1:
		return twoDigits(rate) + " a year"
	}
	return "1 in " + twoDigits(1/rate) + " years"
}

// bound is aYear for a bound that may be tiny.
func bound(rate float64) string {
	const tiny = 1e-4
	if rate < tiny {
		return "1 in 10,000 years"
	}
	return aYear(rate)
}

// spread writes an interval of rates of a year.
func spread(low, high float64) string {
	if low >= 1 {
		return twoDigits(low) + " to " + twoDigits(high)
	}
	return aYear(low) + " to " + aYear(high)
}

// twoDigits rounds to two digits.
func twoDigits(x float64) string {
	const two = 10
	if x < two {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	unit := math.Pow(two, math.Floor(math.Log10(x))-1)
	return words.Thousands(int(math.Round(x/unit) * unit))
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
