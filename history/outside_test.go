package history

import "testing"

func TestAnItemOutsideKeepsTheNameOfItsUnit(t *testing.T) {
	for _, tt := range []struct {
		item           string
		outside, keyed bool
	}{
		{"order-1", false, false},
		{Outside("order-1", false), true, false},
		{Outside("order-1", true), true, true},
	} {
		if Inside(tt.item) != "order-1" || IsOutside(tt.item) != tt.outside || IsKeyed(tt.item) != tt.keyed {
			t.Errorf("%s: inside %s, outside %v, keyed %v", tt.item, Inside(tt.item), IsOutside(tt.item), IsKeyed(tt.item))
		}
	}
}
