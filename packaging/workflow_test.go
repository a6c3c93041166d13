package packaging_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// step is a step of a job or of an action.
type step struct {
	ID   string            `yaml:"id"`
	Name string            `yaml:"name"`
	Uses string            `yaml:"uses"`
	With map[string]string `yaml:"with"`
	Env  map[string]string `yaml:"env"`
	If   string            `yaml:"if"`
	Run  string            `yaml:"run"`
}

// action is action.yml.
type action struct {
	Inputs map[string]struct {
		Default  string `yaml:"default"`
		Required bool   `yaml:"required"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

// workflow is a file of .github/workflows.
type workflow struct {
	Jobs map[string]struct {
		Strategy struct {
			Matrix map[string][]string `yaml:"matrix"`
		} `yaml:"strategy"`
		Steps []step `yaml:"steps"`
	} `yaml:"jobs"`
}

func parse(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// service stands for GitHub: its caches and artifacts outlive a job.
type service struct {
	root      string            // of lockquake's source
	caches    []string          // keys, the oldest first
	stored    string            // the folder of the caches
	artifacts map[string]string // by name: the folder
	temp      string            // of the runner; jobs share it, so that a program is linked once
}

// lockquakeTemp is the temporary folder of the runners that build lockquake itself.
var lockquakeTemp string

func TestMain(m *testing.M) {
	temp, err := os.MkdirTemp("", "lockquake-runner-")
	if err != nil {
		panic(err)
	}
	lockquakeTemp = temp
	code := m.Run()
	if err := os.RemoveAll(temp); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func newService(t *testing.T, temp string) *service {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return &service{root: root, stored: t.TempDir(), temp: temp, artifacts: map[string]string{}}
}

// job is one job on a runner.
type job struct {
	*testing.T
	*service
	known     contexts
	workspace string
	output    bytes.Buffer // of all steps
	summary   string       // of all steps, in their order
	failed    bool
	code      int // of the step that failed
}

// start begins a job in a workspace with these files.
func (s *service) start(t *testing.T, event string, files map[string]string) *job {
	t.Helper()
	j := &job{T: t, service: s, workspace: t.TempDir(), known: contexts{
		"github.event_name": event, "github.ref_name": "main", "github.event.repository.default_branch": "main",
		"github.run_id": fmt.Sprint(len(s.caches) + 1), "runner.temp": s.temp, "runner.os": "Linux", "runner.arch": "X64",
	}}
	if event == "pull_request" {
		j.known["github.ref_name"] = "1/merge"
	}
	for name, text := range files {
		path := filepath.Join(j.workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// do executes steps with the inputs of their action.
func (j *job) do(known contexts, steps []step) {
	j.Helper()
	known = maps.Clone(known)
	for i, s := range steps {
		if s.ID != "" {
			known["steps."+s.ID+".outputs"] = "" // its outputs are added when it has run
		}
		if run := !j.failed; s.If != "" && (strings.Contains(s.If, "always()") || run) {
			if !known.condition(j.T, s.If) {
				continue
			}
		} else if !run {
			continue
		}
		with := map[string]string{}
		for key, value := range s.With {
			with[key] = known.text(j.T, value)
		}
		switch {
		case s.Uses != "":
			j.use(s.Uses, with)
		case s.Run != "":
			j.run(known, s)
		default:
			j.Fatalf("step %d does nothing", i+1)
		}
	}
}

// use does what an action does to the files of the job.
func (j *job) use(name string, with map[string]string) {
	j.Helper()
	at := func(path string) string { return filepath.Join(j.workspace, path) }
	switch name {
	case "actions/checkout@v4":
		if with["repository"] != "" {
			if !strings.HasPrefix(with["ref"], "v") {
				j.Errorf("the checkout of lockquake is not pinned to a version: %q", with["ref"])
			}
			j.must(os.Symlink(j.root, at(with["path"])))
		}
	case "actions/setup-go@v5":
		path := with["go-version-file"]
		if !filepath.IsAbs(path) {
			path = at(path)
		}
		if _, err := os.Stat(path); err != nil {
			j.Errorf("go-version-file: %v", err)
		}
		if sum := with["cache-dependency-path"]; sum == "" && with["cache"] != "false" {
			j.Error("setup-go looks for a go.sum in the root of the workspace, and there is none")
		} else if sum != "" {
			_, err := os.Stat(at(sum))
			j.must(err)
		}
	case "actions/cache@v4":
		for path := range strings.Lines(with["path"]) {
			if !filepath.IsAbs(strings.TrimSpace(path)) {
				j.Errorf("the build cache is in %q", path)
			}
		}
		if key := with["key"]; strings.HasSuffix(key, "-") || strings.Contains(key, ",") {
			j.Errorf("the key of the build cache is %q", key)
		}
	case "actions/cache/restore@v4":
		for _, key := range slices.Backward(j.caches) {
			if key == with["key"] || strings.HasPrefix(key, with["restore-keys"]) {
				j.must(os.CopyFS(at(with["path"]), os.DirFS(filepath.Join(j.stored, key))))
				return
			}
		}
	case "actions/cache/save@v4":
		j.must(os.CopyFS(filepath.Join(j.stored, with["key"]), os.DirFS(at(with["path"]))))
		j.caches = append(j.caches, with["key"])
	case "actions/upload-artifact@v4":
		if _, err := os.Stat(at(with["path"])); err == nil { // without files it only warns
			j.artifacts[with["name"]] = at(with["path"])
		}
	case "actions/download-artifact@v4":
		for artifact, path := range j.artifacts {
			if matched, err := filepath.Match(with["pattern"], artifact); err != nil || !matched {
				continue
			}
			j.must(os.CopyFS(at(artifact), os.DirFS(path)))
		}
	case "./lockquake":
		j.composite(with)
	default:
		j.Fatalf("the test does not know the action %s", name)
	}
}

// composite executes action.yml with these inputs.
func (j *job) composite(with map[string]string) {
	j.Helper()
	text, err := os.ReadFile(filepath.Join(j.workspace, "lockquake", "action.yml"))
	j.must(err)
	var a action
	parse(j.T, text, &a)
	known := maps.Clone(j.known)
	known["github.action_path"] = j.workspace + "/./lockquake"
	for name, input := range a.Inputs {
		value, given := with[name]
		if !given {
			value = input.Default // is not evaluated
		}
		if value == "" && input.Required {
			j.Errorf("the input %s is required", name)
		}
		known["inputs."+name] = value
	}
	for name := range with {
		if _, ok := a.Inputs[name]; !ok {
			j.Errorf("the action has no input %s", name)
		}
	}
	j.do(known, a.Runs.Steps)
}

// run executes the command of a step as the runner does.
func (j *job) run(known contexts, s step) {
	j.Helper()
	output, summary := filepath.Join(j.TempDir(), "output"), filepath.Join(j.TempDir(), "summary")
	j.must(os.WriteFile(output, nil, 0o600))
	cmd := exec.CommandContext(j.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", known.text(j.T, s.Run))
	cmd.Dir = j.workspace
	cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=true", "RUNNER_TEMP="+j.temp, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary, "GITHUB_WORKSPACE="+j.workspace)
	for key, value := range s.Env {
		cmd.Env = append(cmd.Env, key+"="+known.text(j.T, value))
	}
	cmd.Stdout, cmd.Stderr = &j.output, &j.output
	if err := cmd.Run(); err != nil {
		j.failed, j.code = true, cmd.ProcessState.ExitCode()
	}
	written, err := os.ReadFile(output)
	j.must(err)
	for line := range strings.Lines(string(written)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		known["steps."+s.ID+".outputs."+key] = value
	}
	if text, err := os.ReadFile(summary); err == nil {
		j.summary += string(text)
	}
}

func (j *job) must(err error) {
	j.Helper()
	if err != nil {
		j.Fatal(err)
	}
}
