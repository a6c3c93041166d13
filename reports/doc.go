// Package reports writes what a run or a campaign leaves for people and
// machines: tables, stories, plots, and the report directory.
package reports
