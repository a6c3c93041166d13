// Package spread counts durations, such as waiting times, and returns their quantiles. A [Spread]
// takes little room however many durations it has, and can be added to others and written to a file.
package spread
