package checker

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockquake/history"
)

// hostileStory returns a history whose workers act in a valid order, while servers, faults and
// clocks record anything. Only two things never happen in a history: a grant that is given twice,
// and one that ends without having been given.
func hostileStory(t *rapid.T) *history.History {
	workers := []string{"a", "b"}
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	duration := func(name string) time.Duration {
		return time.Duration(rapid.SampledFrom([]int64{-1, 0, 0, 1, 50, 2000, 90_000}).Draw(t, name)) * time.Millisecond
	}
	s := story(pick("workload", "counter", "register", "cron"), pick("fence", "off", "writes", "reads-writes"))
	s.meta.Workers = workers
	s.meta.Tells, s.meta.Fenced = rapid.Bool().Draw(t, "tells"), rapid.Bool().Draw(t, "fenced")
	s.meta.Quorum = rapid.IntRange(-1, 3).Draw(t, "quorum")
	s.meta.TTL, s.meta.MaxHold, s.meta.Answer = duration("ttl"), duration("hold"), duration("answer")
	stage := map[string]int{} // of each worker's section: called, entered, left, returned
	for range rapid.IntRange(0, 60).Draw(t, "moves") {
		w := pick("who", workers...)
		s.after(max(0, duration("after")))
		switch pick("voice", "worker", "worker", "server", "server", "fault") {
		case "worker":
			hostileStep(t, s, w, stage)
		case "server":
			kinds := []string{"granted", "granted", "refused", "renewed", "not-renewed", "freed", "expired", "evicted", "left-queue"}
			e := history.Event{
				Type: history.Type(pick("event", kinds...)), Worker: pick("for", "a", "b", ""), Key: pick("key", "x", "x", "y"),
				Owner: pick("owner", "a", "b", "c", ""), Node: pick("node", "lock", "lock-2", "lock-3"),
				Until: max(0, s.now+duration("until")), Sent: max(0, s.now-duration("sent")),
			}
			before := slices.Clone(s.recorder.Events())
			if _, err := s.tell(e).history().Sections(); err != nil {
				s.recorder.Reset()
				for _, e := range before {
					s.recorder.Record(e)
				}
			}
		case "fault":
			s.tell(history.Event{
				Type: history.Type(pick("event", "fault", "heal")), Fault: rapid.IntRange(0, 2).Draw(t, "fault"),
				Kind: pick("kind", "pause", "stall", "crash", "partition", "unheard-of"), Target: pick("target", "a", "b", "lock", "a->lock", ""),
			})
		}
	}
	return s.history()
}

// hostileStep records the next step of one worker.
func hostileStep(t *rapid.T, s *scriptedHistory, w string, stage map[string]int) {
	end := func(answer func() *scriptedHistory) {
		answer()
		stage[w] = 0
	}
	answer := func() *scriptedHistory {
		class := rapid.SampledFrom([]history.Class{"", "lost", "unknown", "not-obtained", "other", "cancelled"}).Draw(t, "class")
		return s.answered(w, class, rapid.SampledFrom([]string{"", "no stock"}).Draw(t, "error"))
	}
	step := rapid.IntRange(0, 5).Draw(t, "step")
	switch {
	case stage[w] == 0:
		s.call(w)
		stage[w] = 1
	case step == 0:
		end(func() *scriptedHistory { return s.crash(w) })
	case step == 1:
		end(answer)
	case step == 2:
		s.told(w)
	case stage[w] == 1:
		s.enter(w, rapid.Int64Range(0, 3).Draw(t, "token"))
		stage[w] = 2
	case stage[w] == 2 && step == 3:
		s.read(w, "0").write(w, "1")
	case stage[w] == 2:
		s.failed(w, rapid.SampledFrom([]string{"", "no stock"}).Draw(t, "body"))
		stage[w] = 3
	default:
		end(answer)
	}
}

// Whatever the servers record, every check ends with a verdict, and its evidence is part of the
// history.
func TestEveryCheckEndsWithAVerdictOnHostileHistories(t *testing.T) {
	invalid := map[string]bool{}
	try := func(r *rapid.T) {
		h := hostileStory(r)
		results, err := Run(h, nil)
		if err != nil {
			r.Fatal(err)
		}
		for _, result := range results {
			if (result.Verdict == Invalid) != (result.Count > 0) || result.Verdict == Invalid && !result.Applies {
				r.Errorf("%s is %s with %d violations, applies: %v", result.Check, result.Verdict, result.Count, result.Applies)
			}
			if result.Verdict == Invalid {
				invalid[result.Check] = true
			}
			for _, f := range result.Findings {
				eventsExist(t, h, f)
			}
		}
	}
	// A hundred histories may lack a rare violation; fifty times that many do not.
	const rounds = 50
	missing := []string{"told", "recovery", "progress", "errors", "ownership"}
	for range rounds {
		rapid.Check(t, try)
		missing = slices.DeleteFunc(missing, func(check string) bool { return invalid[check] })
		if len(missing) == 0 || t.Failed() {
			return
		}
	}
	t.Errorf("%v were never invalid, so nothing was tried", missing)
}
