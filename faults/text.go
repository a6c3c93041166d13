package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockquake/internal/draw"
)

// String writes the plan as text, one line per step:
//
//	at 5s partition worker-1 -> lock hold for 10s #2
//	when worker-1 lease-checked 1 pause worker-1 for 15s #3
//	when worker-2 acquire.replied 1 drop for 3s #4
//	at 7s failover lock #5
//	at 8s latency worker-1 -> lock add lognormal median 20ms p99 1s for 5s #6
//
// A line begins with the moment, or with a worker, a point and a number n: the step begins when the
// worker reaches the point for the nth time. The kind, its target and its parameters follow, then
// the length if there is one, and last the number of the rule among the scenario's faults, from 1.
func (p Plan) String() string {
	var text strings.Builder
	for _, step := range p.Steps {
		text.WriteString(step.String())
		text.WriteByte('\n')
	}
	return text.String()
}

// String returns the step's line in the text of a plan.
func (s Step) String() string {
	words := []string{"at", s.At.String()}
	if s.When != nil {
		words = []string{"when", s.When.Worker, s.When.Point, strconv.Itoa(s.When.Nth)}
	}
	info := s.Fault.Info()
	words = append(append(words, string(info.Kind)), s.Fault.words()...)
	if !info.Instant {
		words = append(words, "for", s.For.String())
	}
	return strings.Join(append(words, fmt.Sprintf("#%d", s.Spec+1)), " ")
}

// ParsePlan reads what Plan.String writes. It skips blank lines and lines that begin
// with #. An error names the line, as in "line 3: ...".
func ParsePlan(text string) (Plan, error) {
	var plan Plan
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		step, err := parseStep(words)
		if err != nil {
			return Plan{}, fmt.Errorf("line %d: %w", number, err)
		}
		plan.Steps = append(plan.Steps, step)
	}
	return plan, nil
}

func parseStep(words []string) (Step, error) {
	r := &reader{words: words}
	switch first := r.word("moment"); first {
	case "at":
		r.step.At = r.duration(0)
	case "when":
		r.step.When = &When{Worker: r.word("worker"), Point: r.word("point"), Nth: r.number("")}
	default:
		r.fail("a step begins with at or when, not with %q", first)
	}
	kind := Kind(r.word("kind of fault"))
	var known bool
	if r.info, known = Lookup(kind); !known {
		r.fail("there is no kind of fault called %q", kind)
		return Step{}, r.err
	}
	r.step.Fault = r.info.New()
	r.step.Fault.read(r)
	if !r.info.Instant {
		r.expect("for")
		r.step.For = r.duration(1)
	}
	r.step.Spec = r.number("#") - 1
	if len(r.words) > 0 {
		r.fail("nothing is expected after the step, but there is %q", r.words[0])
	}
	return r.step, r.err
}

// reader parses the words of a line from left to right. It keeps its first error, and
// its methods return zero values from then on.
type reader struct {
	step  Step // as far as it is read
	info  Info // of the step's kind
	words []string
	err   error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// word returns the next word. The error for a line that ends here names it by what.
func (r *reader) word(what string) string {
	if r.err == nil && len(r.words) == 0 {
		r.fail("the line ends where the %s should be", what)
	}
	if r.err != nil {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// next skips the next word if it is this one, and reports whether it was.
func (r *reader) next(word string) bool {
	if len(r.words) == 0 || r.words[0] != word {
		return false
	}
	r.words = r.words[1:]
	return true
}

func (r *reader) expect(word string) {
	if got := r.word("word " + word); got != word {
		r.fail("%q is where %q should be", got, word)
	}
}

func (r *reader) duration(least time.Duration) time.Duration {
	text := r.word("duration")
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		r.fail("%q is not a duration such as 150ms", text)
	case d < least:
		r.fail("the duration %v is shorter than %v", d, least)
	}
	return d
}

// number reads a prefix and a number of at least 1.
func (r *reader) number(prefix string) int {
	text := r.word("number " + prefix + "1")
	digits, found := strings.CutPrefix(text, prefix)
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 1 {
		r.fail("%q is not a number from %s1", text, prefix)
	}
	return n
}

// dist reads the name of a parameter and a distribution.
func (r *reader) dist(param string) draw.Dist {
	r.expect(param)
	if r.err != nil {
		return draw.Dist{}
	}
	d, rest, err := draw.ParseWords(r.words)
	if err == nil {
		_, err = median(param, d)
	}
	if err != nil {
		r.fail("%w", err)
	}
	r.words = rest
	return d
}

// known fails unless the word is one of the possible words of its type.
func (r *reader) known(word Word) {
	if err := checkWord(word); err != nil {
		r.fail("%w", err)
	}
}
