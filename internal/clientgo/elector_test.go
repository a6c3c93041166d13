package clientgo

import (
	"testing"
	"time"

	"lockquake/internal/twoworlds"
)

// The model sends the same requests as client-go at the same times, and the same candidates lead.
func TestTheModelElectsAsClientGoDoes(t *testing.T) {
	for _, s := range scripts() {
		t.Run(s.name, func(t *testing.T) {
			twoworlds.Compare(t, inBubble(t, s), inWorld(t, s), s.want)
		})
	}
}

const s = time.Second

func scripts() []script {
	one := []candidate{{name: "A"}}
	two := []candidate{{name: "A"}, {name: "B", start: s}}
	return []script{
		{
			name: "a leader creates the Lease, and renews it at once and every 2 s", candidates: one, end: 10 * s,
			want: []string{"A leads", `holder "A", 15 s, 0 transitions`},
		},
		{
			name: "a candidate waits as long as it sees changes", candidates: two, end: 60 * s,
			want: []string{"B: get"},
		},
		{
			name: "a leader that cannot renew stops at the renew deadline, and another one leads", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 60 * s, client: "A", does: swallows}}, want: []string{"A stops", "B leads", "1 transitions"},
		},
		{
			name: "a leader whose replies are lost", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 60 * s, client: "A", does: losesReply}}, want: []string{"A stops", "B leads"},
		},
		{
			name: "one lost reply of a renewal", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 21*s + 500*time.Millisecond, client: "A", does: losesReply}}, want: []string{"24929.000000 ms  A: get"},
		},
		{
			name: "an answer of 500 to renewals", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 27 * s, client: "A", does: fails}}, want: []string{": 500 "},
		},
		{
			name: "an answer of 503 for longer than the lease", candidates: two, end: 90 * s,
			troubles: []trouble{{from: 20 * s, to: 50 * s, does: unavailable}}, want: []string{"503 ServiceUnavailable", "A stops", "B leads"},
		},
		{
			name: "a short overload", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 23 * s, does: throttles}}, want: []string{"429 TooManyRequests"},
		},
		{
			name: "a long overload", candidates: two, end: 90 * s,
			troubles: []trouble{{from: 20 * s, to: 50 * s, does: throttles}}, want: []string{"429 TooManyRequests", "A stops", "B leads"},
		},
		{
			name: "the reply to the election is lost", candidates: two, end: 60 * s,
			troubles: []trouble{{from: 6 * time.Millisecond, to: 500 * time.Millisecond, client: "A", does: losesReply}}, want: []string{"A leads"},
		},
		{
			name: "a Lease that is deleted under its leader", candidates: two, deletes: []time.Duration{20 * s}, end: 60 * s,
			want: []string{"the Lease is deleted", "409 Conflict", "A: create"},
		},
		{
			name: "a Lease that is deleted while its leader is cut off", candidates: two, deletes: []time.Duration{23 * s}, end: 60 * s,
			troubles: []trouble{{from: 20 * s, to: 28 * s, client: "A", does: swallows}}, want: []string{"B leads"},
		},
		{
			name: "a leader that reads its successor tries on until the renew deadline", candidates: two, deletes: []time.Duration{20 * s}, end: 80 * s,
			troubles: []trouble{{from: 20 * s, to: 26 * s, client: "A", does: swallows}}, want: []string{"B leads", "A stops"},
		},
		{
			name: "a clean shutdown frees the Lease", candidates: []candidate{{name: "A", stop: 20*s + 500*time.Millisecond}, {name: "B", start: s}}, release: true, end: 60 * s,
			want: []string{"A stops", `holder "", 1 s`, "B leads"},
		},
		{
			name: "a leader with ReleaseOnCancel that is cut off stops only after its attempt to free the Lease", candidates: two, release: true, end: 90 * s,
			troubles: []trouble{{from: 20 * s, to: 80 * s, client: "A", does: swallows}}, want: []string{"A stops", "B leads"},
		},
		{
			name:       "a leader with ReleaseOnCancel that was stopped frees the Lease of its successor, and a third one leads beside that",
			candidates: []candidate{{name: "A"}, {name: "B", start: s}, {name: "C", start: 1100 * time.Millisecond}}, release: true, end: 60 * s,
			timeout:  11 * s, // later than the renew deadline, so that both are over in this order when A wakes
			troubles: []trouble{{from: 20*s + 28*time.Millisecond + 500*time.Microsecond, to: 45 * s, client: "A", does: stops}},
			want:     []string{"B leads", `holder "", 1 s, 1 transitions`, "C leads"},
		},
	}
}
