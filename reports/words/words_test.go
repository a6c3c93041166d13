package words

import (
	"testing"
	"time"
)

func TestASmallShareIsNotRoundedToZero(t *testing.T) {
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
		if got := Percent(tt.share); got != tt.want {
			t.Errorf("%v is %q, want %q", tt.share, got, tt.want)
		}
	}
}

func TestPlainReturnsOneShortPrintableLine(t *testing.T) {
	tests := []struct{ text, want string }{
		{"worker-1", "worker-1"},
		{"two\nlines\tand a tab", "two lines and a…"},
		{"\x1b[31mred", "?[31mred"},
		{"bad\xffbyte", "bad?byte"},
		{"ünïcödé is kept", "ünïcödé is kept"},
	}
	for _, tt := range tests {
		if got := Plain(tt.text, 16); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestShortRoundsToFewDigits(t *testing.T) {
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
		if got := Short(tt.length); got != tt.want {
			t.Errorf("%d ns is %q, want %q", tt.length, got, tt.want)
		}
	}
}
