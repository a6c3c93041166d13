// Package draw makes random numbers that do not depend on other draws.
//
// A draw is a function of four values: the seed of the run, the stream (the purpose of the number),
// the entity (what it is for, such as a worker) and the ordinal (its position). So one more draw in
// one place changes no other draw, and two strategies that run under one seed meet the same pauses,
// the same hold times and nearly the same latencies.
//
// [Source] is the seed, [Stream] the draws of one stream and entity, [Draw] one of them, and [Dist]
// a distribution of durations. A sample is the same on every architecture: the package does not use
// the machine's exp, log or fused multiplication.
package draw
