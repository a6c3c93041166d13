package postgres_test

import "testing"

type coverage struct{}

func newCoverage() *coverage         { return &coverage{} }
func (c *coverage) add([]exchange)   {}
func (c *coverage) check(*testing.T) {}
