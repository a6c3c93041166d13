package packaging_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// template is gitlab.yml: its inputs, and its only job.
type template struct {
	Spec struct {
		Inputs map[string]struct {
			Default *string `yaml:"default"`
		} `yaml:"inputs"`
	} `yaml:"spec"`
}

type gitlabJob struct {
	Image     string            `yaml:"image"`
	Variables map[string]string `yaml:"variables"`
	Rules     []struct {
		If        string            `yaml:"if"`
		Variables map[string]string `yaml:"variables"`
	} `yaml:"rules"`
	Cache []struct {
		Key       string   `yaml:"key"`
		Paths     []string `yaml:"paths"`
		Policy    string   `yaml:"policy"`
		Unprotect bool     `yaml:"unprotect"`
	} `yaml:"cache"`
	Script    []string `yaml:"script"`
	Artifacts struct {
		Paths   []string          `yaml:"paths"`
		Reports map[string]string `yaml:"reports"`
	} `yaml:"artifacts"`
}

// readTemplate returns the inputs of gitlab.yml and its other part.
func readTemplate(t *testing.T) (header template, body string) {
	t.Helper()
	text, err := os.ReadFile("gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	head, body, found := strings.Cut(string(text), "\n---\n")
	if !found {
		t.Fatal("the template has no header")
	}
	parse(t, []byte(head), &header)
	return header, body
}

// include puts the inputs of an include into the template, as GitLab does.
func include(t *testing.T, inputs map[string]string) gitlabJob {
	t.Helper()
	header, body := readTemplate(t)
	for name := range inputs {
		if _, known := header.Spec.Inputs[name]; !known {
			t.Errorf("the template has no input %s", name)
		}
	}
	used := map[string]bool{}
	body = regexp.MustCompile(`\$\[\[ inputs\.(\w+) \]\]`).ReplaceAllStringFunc(body, func(found string) string {
		name := strings.Fields(strings.TrimPrefix(found, "$[[ inputs."))[0]
		used[name] = true
		input, known := header.Spec.Inputs[name]
		value, given := inputs[name]
		switch {
		case !known:
			t.Errorf("the template uses the input %s, which it does not have", name)
		case !given && input.Default == nil:
			t.Errorf("the input %s is required", name)
		case !given:
			value = *input.Default
		}
		return value
	})
	for name := range header.Spec.Inputs {
		if !used[name] {
			t.Errorf("the template does not use its input %s", name)
		}
	}
	var jobs map[string]gitlabJob
	parse(t, []byte(body), &jobs)
	if len(jobs) != 1 {
		t.Fatalf("the template has %d jobs", len(jobs))
	}
	for _, job := range jobs {
		return job
	}
	return gitlabJob{}
}

// execute runs the script of a job in a project, with the variables of the rule that matches.
func (g gitlabJob) execute(t *testing.T, project, rule string) (code int, output string) {
	t.Helper()
	variables := map[string]string{"CI_PROJECT_DIR": project}
	for key, value := range g.Variables {
		if key != "GOMODCACHE" && key != "GOCACHE" { // those of this machine have everything
			variables[key] = os.Expand(value, func(name string) string { return variables[name] })
		}
	}
	matched := false
	for _, r := range g.Rules {
		if matched = strings.Contains(r.If, rule); matched {
			maps.Copy(variables, r.Variables)
			break
		}
	}
	if !matched {
		t.Fatalf("no rule of the template is for %s", rule)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", strings.Join(g.Script, "\n"))
	cmd.Dir, cmd.Env = project, os.Environ()
	for key, value := range variables {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// The include of docs/ci.md: the default branch stores a base, and a merge request that makes a lock
// worse fails.
func TestTheTemplateComparesAMergeRequestWithTheDefaultBranch(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(include:.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/ci.md does not show how to include the template")
	}
	var shown struct {
		Include []struct {
			Inputs map[string]string `yaml:"inputs"`
		} `yaml:"include"`
	}
	parse(t, block[1], &shown)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	inputs := shown.Include[0].Inputs
	inputs["scenarios"], inputs["seeds"], inputs["source"] = "locks/my-lock.yaml", "1-20", root
	job := include(t, inputs)

	project := t.TempDir()
	program := filepath.Join(project, ".lockquake", "lockquake")
	write := func(path string, text []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if built, err := os.ReadFile(filepath.Join(lockquakeTemp, "lockquake")); err == nil {
		write(program, built) // another test has linked it
	}
	write(filepath.Join(project, "locks", "my-lock.yaml"), []byte(fencedScenario("my-lock")))
	if code, output := job.execute(t, project, "$CI_DEFAULT_BRANCH"); code != 0 {
		t.Fatalf("the job of the default branch ends with exit code %d:\n%s", code, output)
	}
	base := job.Cache[len(job.Cache)-1]
	if !base.Unprotect || base.Policy != "$LOCKQUAKE_POLICY" || len(base.Paths) != 1 {
		t.Errorf("a merge request cannot read the base of a protected branch: %+v", base)
	}
	if _, err := os.Stat(filepath.Join(project, base.Paths[0], "my-lock", "results.json")); err != nil {
		t.Errorf("the job of the default branch has stored no base: %v", err)
	}

	write(filepath.Join(project, "locks", "my-lock.yaml"), []byte(scenario("my-lock", "redis")))
	code, output := job.execute(t, project, "merge_request_event")
	if code != 1 || !strings.Contains(output, "worse") {
		t.Errorf("a merge request that makes a lock worse ends with exit code %d:\n%s", code, output)
	}
	for _, pattern := range []string{job.Artifacts.Reports["junit"], job.Artifacts.Paths[0] + "/my-lock/report.html"} {
		if found, err := filepath.Glob(filepath.Join(project, pattern)); err != nil || len(found) == 0 {
			t.Errorf("the job has no artifact %s: %v", pattern, err)
		}
	}
}
