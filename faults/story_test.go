package faults

import (
	"testing"
	"time"
)

func TestTheSentencesOfFaultsAreInTheWordsOfAReader(t *testing.T) {
	scene := Scene{Length: "1m0s", Short: time.Duration.String, Plain: func(text string, _ int) string { return text }}
	node, link := OnNode{Target: "worker-1"}, OnLink{From: "worker-1", To: "lock"}
	for _, tt := range []struct {
		fault      Fault
		begin, end string
	}{
		{&ClockRate{OnNode: node, Clock: ClockMonotonic, PPM: 100_000}, "has its monotonic clock run 10 % fast for 1m0s", "has its monotonic clock run at the right rate again"},
		{&ClockRate{OnNode: node, Clock: ClockWall, PPM: -250}, "has its wall clock run 0.025 % slow for 1m0s", "has its wall clock run at the right rate again"},
		{&ClockStep{OnNode: node, By: 20 * time.Second}, "has its wall clock set forward by 20s", "has its wall clock set back by 20s"},
		{&ClockStep{OnNode: node, By: -10 * time.Second}, "has its wall clock set back by 10s", "has its wall clock set forward by 10s"},
		{&Partition{OnLink: link, Mode: ModeHold}, "cuts worker-1 -> lock for 1m0s (messages held)", "heals worker-1 -> lock"},
		{&Partition{OnLink: link, Mode: ModeDrop}, "cuts worker-1 -> lock for 1m0s (messages lost)", "heals worker-1 -> lock"},
		{&Partition{OnLink: link, Mode: ModeReset}, "cuts worker-1 -> lock for 1m0s (connections reset)", "heals worker-1 -> lock"},
		{&Stall{OnWorker: OnWorker{Target: "worker-1"}, Task: "renewal"}, "has its renewal task stalled for 1m0s", "has its renewal task running again"},
	} {
		begin := tt.fault.Begins(scene)
		end, _ := tt.fault.Ends(scene)
		if begin != tt.begin || end != tt.end {
			t.Errorf("%q and %q, want %q and %q", begin, end, tt.begin, tt.end)
		}
	}
}
