package pauselog

import (
	"regexp"
	"time"
)

// unknown is the stamp of a line without one.
const unknown time.Duration = -1

// stamper finds out when a line was written.
type stamper struct {
	uptime []stampUnit // time since the start of the process
	date   *regexp.Regexp
}

type stampUnit struct {
	pattern *regexp.Regexp
	unit    time.Duration
}

func newStamper() stamper {
	return stamper{
		uptime: []stampUnit{
			{regexp.MustCompile(`\bgc \d+ @([\d.]+)s `), time.Second}, // gctrace
			{regexp.MustCompile(`\[\s*(\d+\.\d+)s\]`), time.Second},   // the decorations of a JVM
			{regexp.MustCompile(`\[\s*(\d+)ms\]`), time.Millisecond},
			{regexp.MustCompile(`\[\s*(\d+)ns\]`), time.Nanosecond},
			{regexp.MustCompile(`(?:^|\s)(\d+\.\d+): `), time.Second}, // a JVM before 9
		},
		date: regexp.MustCompile(`\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4})\]`),
	}
}

// of returns the stamp of a line, from any beginning, or unknown.
func (s stamper) of(line string) time.Duration {
	for _, u := range s.uptime {
		if found := u.pattern.FindStringSubmatch(line); found != nil {
			if d, ok := scaled(found[1], u.unit); ok {
				return d
			}
		}
	}
	if found := s.date.FindStringSubmatch(line); found != nil {
		if t, err := time.Parse("2006-01-02T15:04:05.000-0700", found[1]); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return time.Duration(t.UnixNano())
		}
	}
	return unknown
}
