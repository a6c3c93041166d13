package faults

import (
	"testing"
	"time"
)

// cluster has a leader, and notes how long it has none.
type cluster struct{ without time.Duration }

func (c *cluster) ChangeLeader(d time.Duration) error {
	c.without = d
	return nil
}

func TestLeaderChangeLeavesTheServiceWithoutALeaderForItsLength(t *testing.T) {
	var c cluster
	if err := (&LeaderChange{}).Apply(&c, time.Second); err != nil || c.without != time.Second {
		t.Errorf("without a leader for %v (%v), want 1s", c.without, err)
	}
	if err := (&LeaderChange{}).Apply(new(int), time.Second); err == nil {
		t.Error("no error on a target without a leader")
	}
}

func TestLeaderChangeNeedsServersThatCanElect(t *testing.T) {
	type elects struct{ elector }
	if !Supported(&LeaderChange{}, elects{}) || Supported(&LeaderChange{}, struct{}{}) {
		t.Error("it is supported by exactly the servers that have ChangeLeader")
	}
}

type elector struct{}

func (elector) ChangeLeader(time.Duration) {}

func TestAnswerErrorsNeedsServersThatHaveTheError(t *testing.T) {
	for code, want := range map[Code]bool{CodeThrottled: true, CodeLoading: false} {
		if got := Supported(&AnswerErrors{With: code}, refuser{CodeThrottled}); got != want {
			t.Errorf("%s: supported %v, want %v", code, got, want)
		}
	}
}

type refuser []Code

func (r refuser) Refuses() []Code { return r }
