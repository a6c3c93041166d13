package picture

import (
	"testing"
)

func TestAnAxisEndsAtARoundNumber(t *testing.T) {
	tests := []struct{ highest, want float64 }{{0, 1}, {0.38, 1}, {1, 1}, {1.1, 2}, {44.3, 50}, {50.1, 100}, {100, 100}}
	for _, tt := range tests {
		if got := RoundAxis(tt.highest); got != tt.want {
			t.Errorf("an axis for %v ends at %v, want %v", tt.highest, got, tt.want)
		}
	}
}
