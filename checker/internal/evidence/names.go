package evidence

import (
	"fmt"

	"lockquake/history"
)

// EventsOf lists the events of some operations.
func EventsOf(ops ...*history.Op) []int64 {
	var seqs []int64
	for _, o := range ops {
		seqs = append(seqs, o.Invoke, o.Applied, o.Return)
	}
	return seqs
}

// NameOf returns the name of a section in findings.
func NameOf(s *history.Section) string {
	return fmt.Sprintf("%s's section %d", s.Worker, s.N)
}
