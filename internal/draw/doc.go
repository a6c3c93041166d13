// Package draw makes random numbers that do not depend on who else drew.
//
// A draw is a function of four things: the seed of the run, the stream (what
// the number is for), the entity (whose it is) and the ordinal (which one of
// them). So one more draw in one place shifts nothing anywhere else, and two
// strategies that run under one seed meet the same pauses, the same hold
// times and nearly the same latencies.
//
// [Source] is the seed, [Stream] a stream of one entity, [Draw] one ordinal
// of it, and [Dist] a distribution of durations. Every sample is the same on
// every architecture: nothing here uses the machine's own exp, log or fused
// multiplication.
package draw
