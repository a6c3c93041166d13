package main

import (
	"testing"

	"lockquake/lock/locktest"
)

func TestTheAdvisoryLockOfThePageKeepsItsClaims(t *testing.T) {
	locktest.RunEntry(t, "postgres-matrix", advisoryEntry(), locktest.Seeds(5))
}
