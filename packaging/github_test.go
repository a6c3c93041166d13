package packaging_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// workflows returns the blocks of docs/ci.md that are workflows.
func workflows(t *testing.T) []workflow {
	t.Helper()
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []workflow
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		if strings.Contains(string(block[1]), "\njobs:") {
			var w workflow
			parse(t, block[1], &w)
			all = append(all, w)
		}
	}
	if len(all) != 2 {
		t.Fatalf("docs/ci.md has %d workflows, and the tests execute 2", len(all))
	}
	return all
}

// scenario returns a scenario in which a lock, called lock, is paused.
func scenario(name, strategy string) string {
	return fmt.Sprintf(`name: %s
duration: 20s
seeds: 20
workers: 4
workload: {kind: counter, hold: 100ms, think: 100ms}
lock: {ttl: 1s}
strategies: [{name: %s, label: lock}]
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 5s}, for: {dist: uniform, min: 500ms, max: 3s}}
checks: [lost-update, exclusion]
expect: {lock: {holds: [lost-update]}}
`, name, strategy)
}

// fencedScenario returns the same scenario, in which the lock loses no update.
func fencedScenario(name string) string {
	return strings.Replace(scenario(name, "redis-fenced"), "label: lock}", "label: lock, resource: {fence: reads-writes}}", 1)
}

// The workflow of docs/ci.md: a push stores a base, a pull request that changes nothing passes, and
// one that makes a lock worse fails.
func TestTheWorkflowComparesAPullRequestWithTheDefaultBranch(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	github, steps := newService(t, lockquakeTemp), workflows(t)[0].Jobs["lockquake"].Steps
	with := steps[len(steps)-1].With
	with["scenarios"] = strings.ReplaceAll(with["scenarios"], "gc-pause", "kleppmann") // which takes less time
	with["seeds"] = "1-20"
	files := map[string]string{"locks/my-lock.yaml": fencedScenario("my-lock")}

	push := github.start(t, "push", files)
	push.do(push.known, steps)
	if push.failed {
		t.Fatalf("the push fails with exit code %d:\n%s", push.code, push.output.String())
	}
	for _, name := range []string{"my-lock", "kleppmann"} {
		if _, err := os.Stat(filepath.Join(github.artifacts["lockquake-report"], name, "report.html")); err != nil {
			t.Errorf("the artifact has no report of %s: %v", name, err)
		}
		if !strings.Contains(push.summary, name) {
			t.Errorf("the summary does not name %s:\n%s", name, push.summary)
		}
	}
	if len(github.caches) != 1 {
		t.Errorf("the push has stored the caches %q, and not one base", github.caches)
	}

	same := github.start(t, "pull_request", files)
	same.do(same.known, steps)
	if same.failed {
		t.Errorf("a pull request that changes nothing fails with exit code %d:\n%s", same.code, same.output.String())
	}
	if strings.Contains(same.output.String(), "no base") || strings.Contains(same.output.String(), "::error") {
		t.Errorf("a pull request that changes nothing is not compared, or has errors:\n%s", same.output.String())
	}

	files["locks/my-lock.yaml"] = scenario("my-lock", "redis")
	worse := github.start(t, "pull_request", files)
	worse.do(worse.known, steps)
	if worse.code != 1 {
		t.Errorf("a pull request that loses the fence ends with exit code %d:\n%s", worse.code, worse.output.String())
	}
	first, _, _ := strings.Cut(worse.summary, "\n")
	if !strings.Contains(first, "worse") || !strings.Contains(first, "my-lock") {
		t.Errorf("the summary begins with %q, and not with what became worse", first)
	}
	for _, want := range []string{`::error `, "my-lock", "lost-update"} {
		if !strings.Contains(worse.output.String(), want) {
			t.Errorf("the output of the job has no %q:\n%s", want, worse.output.String())
		}
	}
	if _, err := os.Stat(filepath.Join(github.artifacts["lockquake-report"], "my-lock", "report.html")); err != nil {
		t.Errorf("a job that fails stores no report: %v", err)
	}
	if len(github.caches) != 1 {
		t.Errorf("a pull request has stored a base: %q", github.caches)
	}
}

func TestTheActionBuildsAndRunsALockOfYourOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	github, steps := newService(t, t.TempDir()), workflows(t)[0].Jobs["lockquake"].Steps
	mine, err := os.ReadFile("../docs/mylockquake/mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	job := github.start(t, "push", map[string]string{"mine.yaml": string(mine)})
	steps[len(steps)-1].With = map[string]string{"scenarios": "mine.yaml", "package": "lockquake/docs/mylockquake", "seeds": "1-20", "version": "0.1.0"}
	job.do(job.known, steps)
	if job.code != 1 {
		t.Errorf("a lock with a flaw ends with exit code %d", job.code)
	}
	if _, err := os.Stat(filepath.Join(github.artifacts["lockquake-report"], "mine", "report.html")); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"lockquake/docs/mylockquake (commit", "::error "} {
		if !strings.Contains(job.output.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, job.output.String())
		}
	}
	if len(github.caches) != 0 {
		t.Errorf("a push that fails has stored a base: %q", github.caches)
	}

	for want, change := range map[string][2]string{
		"the program has lockquake 0.1.0, not 9.9.9": {"version", "9.9.9"},
		"two are called mine":                        {"scenarios", "mine.yaml ./mine.yaml"},
		"there is no folder nowhere":                 {"package", "nowhere"},
		`did you mean "kleppmann"`:                   {"scenarios", "klepmann"},
	} {
		job := github.start(t, "push", map[string]string{"mine.yaml": string(mine)})
		steps[len(steps)-1].With = map[string]string{"scenarios": "mine.yaml", "package": "lockquake/docs/mylockquake", "seeds": "1", change[0]: change[1]}
		job.do(job.known, steps)
		if job.code == 0 || !strings.Contains(job.output.String(), want) {
			t.Errorf("%s %s: exit code %d, and no %q:\n%s", change[0], change[1], job.code, want, job.output.String())
		}
	}
}

// The summary says which scenario had the error, and keeps the results of those before it.
func TestTheSummaryOutlivesAnError(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	github, steps := newService(t, lockquakeTemp), workflows(t)[0].Jobs["lockquake"].Steps
	for scenarios, want := range map[string][]string{
		"first.yaml second.yaml": {"### lockquake, second: an error, exit code 64", "# first, seeds 1 to 2"},
		"first.yaml third.yaml":  {"### lockquake, first.yaml third.yaml: an error, exit code 64"},
	} {
		job := github.start(t, "push", map[string]string{
			"first.yaml": fencedScenario("first"), "second.yaml": fencedScenario("second"),
			"lockquake-report/second": "a file where the report belongs",
		})
		steps[len(steps)-1].With = map[string]string{"scenarios": scenarios, "seeds": "1-2"}
		job.do(job.known, steps)
		if job.code != 64 {
			t.Errorf("%s: exit code %d:\n%s", scenarios, job.code, job.output.String())
		}
		if !strings.HasPrefix(job.summary, want[0]) || !strings.Contains(job.summary, strings.Join(want[1:], "")) {
			t.Errorf("%s: the summary has no %q:\n%s", scenarios, want, job.summary)
		}
	}
}

// The tables of docs/ci.md have the inputs of the action, and the text those of the template.
func TestThePageHasTheInputsOfTheActionAndTheTemplate(t *testing.T) {
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## GitHub Actions\n")
	text, gitlab, _ := strings.Cut(text, "\n## GitLab\n")
	gitlab, _, _ = strings.Cut(gitlab, "\n## ")
	var shown []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
		shown = append(shown, row[1])
	}
	file, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	parse(t, file, &a)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(a.Inputs)), slices.Sorted(slices.Values(shown))); diff != "" {
		t.Errorf("the inputs of action.yml and of docs/ci.md differ (-action +page):\n%s", diff)
	}
	template, _ := readTemplate(t)
	for _, name := range slices.Sorted(maps.Keys(template.Spec.Inputs)) {
		if !regexp.MustCompile("`" + name + "`|(?m)^ +" + name + ": ").MatchString(gitlab) {
			t.Errorf("docs/ci.md does not name the input %s of gitlab.yml", name)
		}
	}
}

// The second workflow of docs/ci.md: four shards, and their merge.
func TestTheWorkflowMergesItsShards(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	github, nightly := newService(t, lockquakeTemp), workflows(t)[1]
	files := map[string]string{"locks/my-lock.yaml": scenario("my-lock", "redis-checked")}
	shards := nightly.Jobs["shard"]
	for i := range shards.Steps {
		shards.Steps[i].Run = strings.ReplaceAll(shards.Steps[i].Run, "1-10000", "1-8")
	}
	for _, shard := range shards.Strategy.Matrix["shard"] {
		job := github.start(t, "schedule", files)
		job.known["matrix.shard"] = shard
		job.do(job.known, shards.Steps)
		if job.failed {
			t.Fatalf("shard %s fails with exit code %d:\n%s", shard, job.code, job.output.String())
		}
	}
	merge := github.start(t, "schedule", files)
	merge.do(merge.known, nightly.Jobs["merge"].Steps)
	if merge.code == 64 || merge.code == 70 || !strings.Contains(merge.output.String(), "seeds 1 to 8") {
		t.Errorf("the merge ends with exit code %d:\n%s", merge.code, merge.output.String())
	}
	if _, err := os.Stat(filepath.Join(github.artifacts["lockquake-report"], "report.html")); err != nil {
		t.Error(err)
	}
}
