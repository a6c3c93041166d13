package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestShardAutoReadsThePlatform(t *testing.T) {
	for _, test := range []struct {
		env, flag string // NAME=value, separated by blanks
		want      string // the shard, or the error
	}{
		{"", "3/16", "3/16"},
		{"JOB_COMPLETION_INDEX=0", "auto/4", "1/4"},
		{"JOB_COMPLETION_INDEX=3", "auto/4", "4/4"},
		{"CI_NODE_INDEX=1 CI_NODE_TOTAL=5", "auto", "1/5"},
		{"CI_NODE_INDEX=5 CI_NODE_TOTAL=5", "auto", "5/5"},
		{"BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=3", "auto", "1/3"},
		{"CIRCLE_NODE_INDEX=2 CIRCLE_NODE_TOTAL=3", "auto", "3/3"},
		{"SLURM_ARRAY_TASK_ID=10 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=13 SLURM_ARRAY_TASK_COUNT=4", "auto", "1/4"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=4", "auto", "4/4"},
		{"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=5 SLURM_ARRAY_TASK_COUNT=1", "auto", "1/1"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=10", "auto", "10/10"},
		{"NOMAD_ALLOC_INDEX=1", "auto/2", "2/2"},
		{"CI_NODE_INDEX=3", "auto/4", "3/4"},
		{"LOCKQUAKE_SHARD_INDEX=3", "auto/4", "4/4"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7", "auto/4", "4/4"},
		{"LOCKQUAKE_SHARD_INDEX=1 LOCKQUAKE_SHARD_COUNT=2", "auto", "2/2"},
		{"LOCKQUAKE_SHARD_INDEX=1 LOCKQUAKE_SHARD_COUNT=2", "auto/2", "2/2"},
		{"CI_NODE_TOTAL=1", "auto", "--shard auto: no platform sets an index in its environment; known variables are JOB_COMPLETION_INDEX, CI_NODE_INDEX, "},
		{"NOMAD_ALLOC_INDEX=1 CI_NODE_INDEX=1 CI_NODE_TOTAL=2", "auto", "--shard auto: CI_NODE_INDEX and NOMAD_ALLOC_INDEX are set: unset all but one, or write the shard as 3/16"},
		{"JOB_COMPLETION_INDEX=0", "auto", "--shard auto: Kubernetes (Indexed Job) sets no number of shards: write it, as in auto/16"},
		{"JOB_COMPLETION_INDEX=4", "auto/4", "--shard auto: JOB_COMPLETION_INDEX is 4; with 4 shards it is 0 to 3"},
		{"CI_NODE_INDEX=0 CI_NODE_TOTAL=2", "auto", "--shard auto: CI_NODE_INDEX is 0; with 2 shards it is 1 to 2"},
		{"CI_NODE_INDEX=1 CI_NODE_TOTAL=2", "auto/3", "--shard auto/3: CI_NODE_TOTAL is 2"},
		{"CI_NODE_INDEX=1", "auto", "--shard auto: CI_NODE_TOTAL is not set"},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MAX=2", "auto", "--shard auto: SLURM_ARRAY_TASK_MIN is not set"},
		{"CI_NODE_INDEX=2 CI_NODE_TOTAL=1", "auto", "--shard auto: CI_NODE_INDEX is 2; with 1 shard it is 1"},
		{"CI_NODE_INDEX=-1 CI_NODE_TOTAL=2", "auto", "--shard auto: CI_NODE_INDEX is -1; with 2 shards it is 1 to 2"},
		{"CI_NODE_INDEX=one CI_NODE_TOTAL=2", "auto", `--shard auto: CI_NODE_INDEX is "one", not a number`},
		{"CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=0", "auto", "--shard auto: CIRCLE_NODE_TOTAL is 0; it must be at least 1"},
		{"CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=0", "auto/2", "--shard auto: CIRCLE_NODE_TOTAL is 0; it must be at least 1"},
		{"CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=-3", "auto", "--shard auto: CIRCLE_NODE_TOTAL is -3; it must be at least 1"},
		{"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=3", "auto", "--shard auto: SLURM_ARRAY_TASK_ID is 2, not one of 3 from 1 to 4 in even steps"},
		{"", "", `--shard is a part of the seeds such as 3/16, or auto, or auto/16, not ""`},
		{"", "auto/0", `--shard is a part of the seeds such as 3/16, or auto, or auto/16, not "auto/0"`},
		{"", "auto/", `--shard is a part of the seeds such as 3/16, or auto, or auto/16, not "auto/"`},
		{"", "3", `--shard is a part of the seeds such as 3/16, or auto, or auto/16, not "3"`},
		{"", "+3/16", `--shard is a part of the seeds such as 3/16, or auto, or auto/16, not "+3/16"`},
	} {
		environ := map[string]string{}
		for pair := range strings.FieldsSeq(test.env) {
			name, value, _ := strings.Cut(pair, "=")
			environ[name] = value
		}
		part, parts, err := parseShard(test.flag, func(name string) string { return environ[name] })
		got := fmt.Sprintf("%d/%d", part, parts)
		if err != nil {
			got = err.Error()
			if code := exitCode(err); code != exitUsage {
				t.Errorf("%s with %s: exit code %d", test.flag, test.env, code)
			}
		}
		if got != test.want && (err == nil || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%s with %s is %s, want %s", test.flag, test.env, got, test.want)
		}
	}
}

// The table in docs/ci.md has the variables and the lowest index of each platform.
func TestDocumentedPlatformsAreThoseOfShardAuto(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| platform | index | from | number of shards | flag |\n|---|---|---:|---|---|\n")
	for _, p := range platforms() {
		from, count, flag := fmt.Sprint(p.first), "-", "`--shard auto/16`"
		if p.count != "" {
			count, flag = "`"+p.count+"`", "`--shard auto`"
		}
		if p.lowest != "" {
			from = "`" + p.lowest + "`"
		}
		fmt.Fprintf(&want, "| %s | `%s` | %s | %s | %s |\n", p.name, p.index, from, count, flag)
	}
	if !strings.Contains(string(text), "\n"+want.String()+"\n") {
		t.Errorf("docs/ci.md has not this table:\n%s", want.String())
	}
}
