package words

import (
	"bytes"
	"testing"
)

func TestAWideCharacterTakesTwoColumnsAndACombiningMarkNone(t *testing.T) {
	for text, want := range map[string]int{
		"":           0,
		"redis":      5,
		"grün":       4,
		"gru\u0308n": 4, // u and a diaeresis
		"замок":      5,
		"錠":          2,
		"ロック-1":      8,
		"자물쇠":        6,
		"ﾛｯｸ":        3, // halfwidth
		"ＬＯＣＫ":       8, // fullwidth
		"🔒":          2,
		"±16 % …":    7,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// 錠前 takes four columns, and 鍵 two.
func TestColumnsWithWideCharactersLineUp(t *testing.T) {
	var b bytes.Buffer
	Screen{}.Table(&b, Table{Rows: [][]string{{"lock", "runs", "worker"}, {"錠前", "5", "鍵"}, {"redis", "12", "w1"}, {"замок", "7", "w"}}, Figures: Figures{From: 1, To: 2}})
	const want = "lock   runs  worker\n" +
		"錠前      5  鍵\n" +
		"redis    12  w1\n" +
		"замок     7  w\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
	b.Reset()
	if err := (Screen{}).Catalogue(&b, [][]string{{"錠前", "a lock"}, {"redis", "another"}}); err != nil {
		t.Fatal(err)
	}
	if want := "錠前   a lock\nredis  another\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
