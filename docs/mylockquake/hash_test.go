package main

import (
	"testing"

	"lockquake/lock/locktest"
)

func TestTheHolderInAHashIsJudged(t *testing.T) {
	locktest.RunEntry(t, "gc-pause", hashEntry(), locktest.Seeds(20), locktest.Holds("ownership", "recovery", "errors"))
}
