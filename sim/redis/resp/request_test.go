package resp

import (
	"strings"
	"testing"
)

// TestAWordIsQuotedForOneByteWhereverItIs puts each byte at each place of words that are shorter and longer than
// the eight bytes that are looked at at once.
func TestAWordIsQuotedForOneByteWhereverItIs(t *testing.T) {
	for c := range 256 {
		plain := c > ' ' && c < 0x7f && c != '"' && c != ';'
		for _, length := range []int{1, 7, 8, 9, 17} {
			for at := range length {
				for _, other := range []string{"a", "!", "~", ":", "<", "#"} {
					word := strings.Repeat(other, at) + string([]byte{byte(c)}) + strings.Repeat(other, length-at-1)
					got := string((&Command{Args: []string{word}}).AppendTrace(nil))
					if quoted := got != word; quoted == plain {
						t.Fatalf("%q is traced as %s", word, got)
					}
				}
			}
		}
	}
}
