package pauselog

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A recording of hiccups begins with a line that says how long it is, and has a line for each
// pause. Recordings of several machines can be put into one file: their times add up.

// HiccupHead returns the first line of a recording, with its end of line. All of them have the same
// length, so that a recorder can write the line again as the time goes on.
func HiccupHead(over time.Duration) string {
	return fmt.Sprintf("# lockquake hiccup: pauses beyond %v, recorded over %015.3f s\n", HiccupLeast, over.Seconds())
}

// HiccupLeast is the shortest pause that a recording has.
const HiccupLeast = 5 * time.Millisecond

// HiccupLine returns the line of a pause that ended at a moment, with its end of line.
func HiccupLine(end time.Time, pause time.Duration) string {
	return fmt.Sprintf("%s hiccup %.3f ms\n", end.UTC().Format("2006-01-02T15:04:05.000Z"), float64(pause)/float64(time.Millisecond))
}

// recorded returns how long a recording is if the line is its first one.
func recorded(line string) (time.Duration, bool) {
	if !strings.HasPrefix(line, "# lockquake hiccup: ") {
		return 0, false
	}
	found := regexp.MustCompile(`^# lockquake hiccup: pauses beyond \S+, recorded over ([\d.]+) s\s*$`).FindStringSubmatch(line)
	if found == nil {
		return 0, false
	}
	return scaled(found[1], time.Second)
}
