package tables

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Yearly prints an estimate for a terminal: which pauses are long and how often they come, what a run is, the
// rates, the commands that repeat them, and in the last sentence the answer.
func Yearly(w io.Writer, y *results.Yearly, on words.Screen) error {
	return writeSections(w, YearlySections(y), on)
}

// YearlySections returns the parts of an estimate.
func YearlySections(y *results.Yearly) []AdviceSection {
	sections := []AdviceSection{yearlyRates(y)}
	var runs []string
	if slices.ContainsFunc(y.Strategies, hasRuns) {
		sections = append(sections, AdviceSection{Title: "Long pauses", Text: yearlyLong(y), Commands: given(y.Long.Command)})
		runs = yearlyRuns(y)
	}
	for i := range y.Strategies {
		runs = append(runs, doubts(y, &y.Strategies[i])...)
	}
	return append(sections,
		AdviceSection{Title: "The runs", Text: runs, Commands: yearlyCommands(y)},
		AdviceSection{Title: "In a year", Text: []string{YearlyAnswer(y)}})
}

// hasRuns reports whether a strategy works without a pause. The others have no runs and no threshold.
func hasRuns(r results.YearlyRate) bool { return r.Without == nil }

func given(command string) []string {
	if command == "" {
		return nil
	}
	return []string{command}
}

func yearlyRates(y *results.Yearly) AdviceSection {
	s := AdviceSection{Title: fmt.Sprintf("%s: %s a year, with the pauses of %s", words.Plain(y.Scenario, 60), noun(y, 2), words.Plain(y.Log.File, 60))}
	s.Grid = Grid{Head: []string{"strategy", "shortest harmful pause", "violating runs", "share", "a year", "95 % interval"}, Texts: 1}
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
			if contradicted(r) {
				row[1] += ", but the runs fail"
			}
		}
		switch {
		case r.CalmViolating > 0:
			row[4] = "fails without a long pause too, about " + aYear(calmYear(y, r))
		case r.PerYear != nil:
			row[2] = fmt.Sprintf("%s of %s", words.Thousands(r.Violating), words.Thousands(r.Runs))
			row[3] = words.Percent(r.Share())
			row[4], row[5] = yearlyCells(y, r)
		}
		s.Grid.Rows = append(s.Grid.Rows, row)
	}
	return s
}

// contradicted reports whether the runs fail under a lock that no pause broke in the small runs.
func contradicted(r *results.YearlyRate) bool {
	return r.Breaks == 0 && r.Violating > 0 && r.CalmViolating == 0
}

// yearlyCells returns the rate and its interval.
func yearlyCells(y *results.Yearly, r *results.YearlyRate) (rate, interval string) {
	switch {
	case untested(r):
		return "unknown", "-"
	case tooShort(y, r):
		return "none seen", "at most " + bare(r.PerYear.AtMost)
	case r.Violating == 0:
		return "none seen", "fewer than " + bare(r.PerYear.AtMost)
	case r.PerYear.AtMost > 0:
		return "-", "at most " + bare(r.PerYear.AtMost)
	}
	return bare(r.PerYear.Rate), bare(r.PerYear.Low) + " to " + bare(r.PerYear.High)
}

// tooShort reports whether no run fails and no long pause of the log is as long as the shortest that breaks the strategy.
func tooShort(y *results.Yearly, r *results.YearlyRate) bool {
	return r.Violating == 0 && y.Long.Count > 0 && r.Most != nil && r.Most.Causes == 0
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
		texts = append(texts, fmt.Sprintf("The log (%s) has no pause of at least %s in %s hours %s, so there are at most %s an hour, at 97.5 %%. It is too short to say more. "+
			"It does not say how long such a pause is; the runs have pauses of %s.",
			y.Log.Kind, from, hours, source, words.Figure(y.Long.PerHour.High), words.Rough(y.Long.Assumed)))
	}
	if first := shortest(y); first != nil {
		with := "the longest work (of an unbounded distribution, its 99.9 % quantile) and a waiting worker that asks often"
		if y.Long.Lowered {
			with = "the settings of the scenario"
		}
		texts = append(texts, fmt.Sprintf("Pauses of less than %s count as harmless. The shortest that breaks a lock takes %s (%s, \"%s\"), with %s. "+
			"The limit is a tenth lower, because latencies and work can be longer.", from, words.Rough(first.Breaks), words.Plain(first.Label, 60), words.Plain(first.At, 100), with))
	} else {
		texts = append(texts, fmt.Sprintf("No pause that was placed at any point breaks a lock. Pauses of at least %s, which is half a lease or half of the longest that was tried, count as long.", from))
	}
	if most := y.Long.Capped; most > 0 {
		texts = append(texts, fmt.Sprintf("The longest pause of the log takes %s. In the runs, pauses of more than %s take %s: a longer one does no other harm.",
			words.Rough(y.Log.Longest), words.Rough(most), words.Rough(most)))
	}
	if n := len(y.Long.Tested); n > 0 {
		last := words.Rough(y.Long.Tested[n-1])
		texts = append(texts, fmt.Sprintf("Pauses of %s to %s at every point of small runs broke nothing: %s placements. This command repeats those of %s with the first of %d seeds, "+
			"and judges all checks of the scenario.", words.Rough(y.Long.Tested[0]), last, words.Thousands(y.Long.Placed), last, y.Long.Seeds))
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

// yearlyRuns says what a run is, which factors the rates have, and what they leave out.
func yearlyRuns(y *results.Yearly) []string {
	run := fmt.Sprintf("A run has exactly one long pause, which begins at a random moment of the first %s and stops one of the %s of a lock. ", y.Duration, processes(y.Processes))
	if y.Short.Count > 0 {
		run += fmt.Sprintf("Shorter ones of the log, of at least %s, come about every %s to each process. ", words.Rough(y.Short.Least), words.Rough(y.Short.Every))
	}
	texts := []string{run + "The rate is that of the long pauses times the share of violating runs, times the processes of all locks. Its interval has the uncertainty of both."}
	for i := range y.Strategies {
		if r := &y.Strategies[i]; r.PerYear != nil && !untested(r) {
			texts = append(texts, factors(y, r))
		}
	}
	texts = append(texts, fmt.Sprintf("The rate leaves out violations that need two pauses. If each such pair is a violation, there are %s from two short ones in one section, and %s from two long ones "+
		"within %s at one lock. Pauses are assumed to be independent of each other.", about(y.Neglected.ShortPairs), about(y.Neglected.LongPairs), words.Rough(y.Neglected.Within)))
	if y.Replaced > 0 {
		texts = append(texts, fmt.Sprintf("The pauses of the log replace the faults of the scenario (%s).", words.Count(y.Replaced, "entry")))
	}
	if y.Partial {
		texts = append(texts, "It was stopped before the last run.")
	}
	return texts
}

// factors writes the rate of a strategy as a product.
func factors(y *results.Yearly, r *results.YearlyRate) string {
	rest := fmt.Sprintf("%s x %s x %s hours", processes(y.Processes), words.Count(y.Locks, "lock"), words.Figure(results.Year))
	label := words.Plain(r.Label, 60)
	if r.Most == nil {
		return fmt.Sprintf("%s: %s an hour x %s x %s = %s.", label, words.Figure(y.Long.PerHour.Rate), words.Percent(r.Share()), rest, aYear(r.PerYear.Rate))
	}
	text := fmt.Sprintf("%s: at most %s an hour x %s x %s = %s. Both bounds hold at 97.5 %%, and the product at 95 %% at least.",
		label, words.Figure(r.Most.PerHour), words.Percent(r.Most.Share), rest, aYear(r.PerYear.AtMost))
	if tooShort(y, r) {
		text += " Only pauses of at least " + words.Rough(r.Breaks) + " break it, and the log has none."
	}
	return text
}

// doubts says what makes the rate of a strategy less certain.
func doubts(y *results.Yearly, r *results.YearlyRate) []string {
	var texts []string
	add := func(format string, args ...any) {
		texts = append(texts, subject(r.Label, "")+" "+fmt.Sprintf(format, args...))
	}
	if r.Without != nil {
		add("violates %s without any pause, so it has no rate for pauses.", strings.Join(r.Without, ", "))
		return texts
	}
	if contradicted(r) {
		add("was broken by no pause in the small runs, and violates a check in these: shorter pauses than %s may break it too, so that its rate may be too low.", words.Rough(y.Long.From))
	}
	if r.CalmViolating > 0 {
		add("violates a check in %s of %s runs without a long pause too, so it has no rate for long pauses alone.", words.Thousands(r.CalmViolating), words.Thousands(r.Calm))
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

// calmYear returns the rate of a year of violations without a long pause.
func calmYear(y *results.Yearly, r *results.YearlyRate) float64 {
	return float64(r.CalmViolating) / float64(r.Calm) / y.Duration.Hours() * results.Year * float64(y.Locks)
}

// yearlyCommands lists the command that reproduces the figures, and the first violating run of each strategy.
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
		label := subject(r.Label, "")
		switch {
		case r.Without != nil:
			parts = append(parts, "no rate for "+label+", which fails without a pause")
		case r.CalmViolating > 0:
			parts = append(parts, fmt.Sprintf("no rate for %s, which fails without a long pause too, about %s", label, aYear(calmYear(y, r))))
		case r.PerYear == nil || untested(r):
			parts = append(parts, "unknown with "+label)
		case tooShort(y, r):
			parts = append(parts, fmt.Sprintf("none with %s (at most %s: the log has no pause that breaks it)", label, aYear(r.PerYear.AtMost)))
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
	case twoDigits(1/rate) == "1":
		return "1 a year"
	}
	return "1 in " + twoDigits(1/rate) + " years"
}

// about is aYear for a rough estimate that may be tiny.
func about(rate float64) string {
	const tiny = 1e-4
	if rate < tiny {
		return "fewer than 1 in 10,000 years"
	}
	return "about " + aYear(rate)
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
