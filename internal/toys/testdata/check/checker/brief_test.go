package checker

import (
	"testing"
	"time"
)

func TestToyBriefRefusesALongSection(t *testing.T) {
	judge(t, "brief", []verdictCase{
		{"short", story("counter", "off").acquire("a", 0).read("a", "0").release("a"), Valid, "", 0},
		{"long", story("counter", "off").acquire("a", 0).read("a", "0").after(time.Second).release("a"), Invalid, "long: a's section 1", 1},
	})
}
