package checker

import "lockquake/history"

// unsure reports whether by the answer of s the strategy does not know the outcome of its requests.
func unsure(s *history.Section) bool {
	return s.Class == history.ClassUnknown || s.Class == history.ClassCancelled
}

// bodyAlone reports whether the answer of s is the error of the work and says nothing of the lock.
func bodyAlone(s *history.Section) bool { return s.BodyErr != "" && s.Err == s.BodyErr }

// answered returns the answer of a strategy, as findings word it.
func answered(s *history.Section) string {
	if s.Class == history.ClassOK {
		return "ok"
	}
	if s.Class == history.ClassOther {
		return "another error"
	}
	return string(s.Class)
}
