package reports

import (
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	tests := []struct {
		share float64
		want  string
	}{
		{0, "0.0 %"},
		{0.0000384, "0.0038 %"},
		{0.00099, "0.099 %"},
		{0.001, "0.1 %"},
		{0.412, "41.2 %"},
		{0.9994, "99.9 %"},
		{0.9999, "> 99.9 %"},
		{1, "100.0 %"},
	}
	for _, tt := range tests {
		if got := percent(tt.share); got != tt.want {
			t.Errorf("%v is %q, want %q", tt.share, got, tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	tests := []struct{ text, want string }{
		{"worker-1", "worker-1"},
		{"two\nlines\tand a tab", "two lines and a…"},
		{"\x1b[31mred", "?[31mred"},
		{"bad\xffbyte", "bad?byte"},
		{"ünïcödé is kept", "ünïcödé is kept"},
	}
	for _, tt := range tests {
		if got := plain(tt.text, 16); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestShort(t *testing.T) {
	tests := []struct {
		length time.Duration
		want   string
	}{
		{15 * time.Second, "15s"},
		{2049876543 * time.Nanosecond, "2.05s"},
		{482518123 * time.Nanosecond, "482.518ms"},
		{10 * time.Microsecond, "10µs"},
	}
	for _, tt := range tests {
		if got := short(tt.length); got != tt.want {
			t.Errorf("%d ns is %q, want %q", tt.length, got, tt.want)
		}
	}
}

func TestRoundAxis(t *testing.T) {
	tests := []struct{ highest, want float64 }{{0, 1}, {0.38, 1}, {1, 1}, {1.1, 2}, {44.3, 50}, {50.1, 100}, {100, 100}}
	for _, tt := range tests {
		if got := roundAxis(tt.highest); got != tt.want {
			t.Errorf("an axis for %v ends at %v, want %v", tt.highest, got, tt.want)
		}
	}
}
