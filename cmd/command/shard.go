package command

import (
	"strconv"
	"strings"
)

// platform is a system that runs one job several times in parallel and tells each its index in an
// environment variable.
type platform struct {
	name  string
	index string // variable with the index
	first int    // lowest index
	count string // variable with the number of jobs; "" if there is none
	// Variables with the lowest and the highest index, whose steps are even; "" if they are first and
	// count.
	lowest, highest string
}

// platforms lists the systems that --shard auto knows.
func platforms() []platform {
	return []platform{
		{name: "Kubernetes (Indexed Job)", index: "JOB_COMPLETION_INDEX"},
		{name: "GitLab", index: "CI_NODE_INDEX", first: 1, count: "CI_NODE_TOTAL"},
		{name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"},
		{name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"},
		{name: "Slurm (job array)", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", lowest: "SLURM_ARRAY_TASK_MIN", highest: "SLURM_ARRAY_TASK_MAX"},
		{name: "AWS Batch (array job)", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
		{name: "Nomad", index: "NOMAD_ALLOC_INDEX"},
		{name: "any other", index: "LOCKQUAKE_SHARD_INDEX", count: "LOCKQUAKE_SHARD_COUNT"},
	}
}

// parseShard reads 3/16; or auto, with the index and the number from a platform's environment; or
// auto/16, for a platform that sets no number.
func parseShard(text string, environ func(string) string) (part, parts int, err error) {
	first, second, divided := strings.Cut(text, "/")
	if divided {
		if parts, err = strconv.Atoi(second); err != nil || parts < 1 || strings.Contains(text, "+") {
			return 0, 0, wrongShard(text)
		}
	}
	if first == "auto" {
		return findShard(parts, environ)
	}
	part, err = strconv.Atoi(first)
	if err != nil || !divided || part < 1 || part > parts || strings.Contains(text, "+") {
		return 0, 0, wrongShard(text)
	}
	return part, parts, nil
}

func wrongShard(text string) error {
	return usagef("--shard is a part of the seeds such as 3/16, or auto, or auto/16, not %q", text)
}

// findShard returns the shard that a platform tells. Parts is the number of shards from the command
// line; 0: the platform tells it.
func findShard(parts int, environ func(string) string) (part, all int, err error) {
	var found []platform
	var names, known []string
	for _, p := range platforms() {
		known = append(known, p.index)
		if environ(p.index) != "" {
			found = append(found, p)
			names = append(names, p.index)
		}
	}
	switch {
	case len(found) == 0:
		return 0, 0, usagef("--shard auto: no platform sets an index in its environment; known variables are %s", strings.Join(known, ", "))
	case len(found) > 1:
		return 0, 0, usagef("--shard auto: %s are set: unset all but one, or write the shard as 3/16", strings.Join(names, " and "))
	}
	return found[0].shard(parts, environ)
}

func (p platform) shard(parts int, environ func(string) string) (part, all int, err error) {
	number := func(variable string, otherwise int) int {
		if variable == "" || err != nil {
			return otherwise
		}
		text := environ(variable)
		n, wrong := strconv.Atoi(text)
		switch {
		case text == "":
			err = usagef("--shard auto: %s is not set", variable)
		case wrong != nil:
			err = usagef("--shard auto: %s is %q, not a number", variable, text)
		}
		return n
	}
	if p.count == "" && parts == 0 {
		return 0, 0, usagef("--shard auto: %s sets no number of shards: write it, as in auto/16", p.name)
	}
	if all = parts; parts == 0 || environ(p.count) != "" {
		all = number(p.count, parts)
	}
	index, lowest := number(p.index, 0), number(p.lowest, p.first)
	highest := number(p.highest, lowest+all-1)
	switch {
	case err != nil:
		return 0, 0, err
	case all < 1:
		return 0, 0, usagef("--shard auto: %s is %d; it must be at least 1", p.count, all)
	case parts != 0 && parts != all:
		return 0, 0, usagef("--shard auto/%d: %s is %d", parts, p.count, all)
	}
	step := max(1, (highest-lowest)/max(1, all-1))
	if index < lowest || index > highest || (index-lowest)%step != 0 || highest != lowest+(all-1)*step {
		switch {
		case p.lowest != "":
			return 0, 0, usagef("--shard auto: %s is %d, not one of %d from %d to %d in even steps", p.index, index, all, lowest, highest)
		case all == 1:
			return 0, 0, usagef("--shard auto: %s is %d; with 1 shard it is %d", p.index, index, lowest)
		}
		return 0, 0, usagef("--shard auto: %s is %d; with %d shards it is %d to %d", p.index, index, all, lowest, highest)
	}
	return (index-lowest)/step + 1, all, nil
}
