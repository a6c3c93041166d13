package words

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The whole table is 5+2+5+2+4+2+6 = 26 columns wide, the other one 5+2+10 or 5+2+4.
func TestATableFitsItsScreen(t *testing.T) {
	rows := [][]string{{"lock", "fence", "rate", "worker"}, {"redis", "off", "69 %", "1"}, {"none", "off", "1 %", "2"}}
	tests := []struct {
		name  string
		width int
		table Table
		want  string
	}{
		{
			"with room it has all columns", 26,
			Table{Rows: rows, Least: []int{1}},
			"lock   fence  rate  worker\nredis  off    69 %  1\nnone   off    1 %   2\n",
		},
		{
			"heads are broken before a column is left out", 11,
			Table{Rows: [][]string{{"lock", "a run more"}, {"redis", "69 %"}}, Least: []int{1}},
			"       a\n       run\nlock   more\nredis  69 %\n",
		},
		{
			"a narrow screen leaves out the least column and says so", 25,
			Table{Rows: rows, Least: []int{1, 2}, Figures: Figures{2, 3}},
			"lock   rate  worker\nredis  69 %  1\nnone    1 %  2\nleft out for the width:\n  fence (COLUMNS=26 shows\n  all)\n",
		},
		{
			"what may not be left out goes below, with the key again", 15,
			Table{Rows: rows},
			"lock   fence\nredis  off\nnone   off\n\nlock   rate\nredis  69 %\nnone   1 %\n\nlock   worker\nredis  1\nnone   2\n",
		},
		{
			"a last column that is copied has lines of its own", 19,
			Table{Rows: rows, Whole: true},
			"lock   fence  rate\n    worker\nredis  off    69 %\n    1\nnone   off    1 %\n    2\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			Screen{Width: tt.width}.Table(&b, tt.table)
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProseIsNoWiderThanAReaderLikes(t *testing.T) {
	var wide, usual bytes.Buffer
	text := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
	Screen{Width: 200}.Prose(&wide, "", "", "  ", text)
	Screen{}.Prose(&usual, "", "", "  ", text)
	want := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen\n  seventeen\n"
	if wide.String() != want || usual.String() != want {
		t.Errorf("on 200 columns %q, on the usual 100 %q, want %q", wide.String(), usual.String(), want)
	}
}
