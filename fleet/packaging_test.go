package fleet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// container has the keys of a container in the manifests.
type container struct {
	Image        string
	Args         []string // of Kubernetes
	Command      []string // of compose
	Build        struct{ Context, Dockerfile string }
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
	Volumes []string
	Tmpfs   []string
}

const packagingDir = "../packaging/fleet"

// compose returns the services of the compose file.
func compose(t *testing.T) map[string]container {
	t.Helper()
	var file struct {
		Services map[string]container
		Volumes  map[string]any
	}
	text, err := os.ReadFile(filepath.Join(packagingDir, "compose.yaml"))
	if err = errors.Join(err, yaml.Unmarshal(text, &file)); err != nil {
		t.Fatal(err)
	}
	for name, service := range file.Services {
		for _, v := range service.Volumes {
			if volume, _, _ := strings.Cut(v, ":"); file.Volumes[volume] == nil {
				t.Errorf("%s has the volume %q, which is not declared", name, volume)
			}
		}
	}
	return file.Services
}

// kubernetes returns the containers of the manifest by name, and the names of its services.
func kubernetes(t *testing.T) (containers map[string]container, services []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(packagingDir, "kubernetes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	containers = map[string]container{}
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var d struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Name string }
			Spec       struct {
				Selector map[string]any
				Template struct {
					Metadata struct{ Labels map[string]any }
					Spec     struct {
						Containers []container
						Volumes    []struct{ Name string }
					}
				}
				VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
			}
		}
		err := documents.Decode(&d)
		if errors.Is(err, io.EOF) {
			return containers, services
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == "Service" {
			services = append(services, d.Metadata.Name)
			continue
		}
		labels, _ := d.Spec.Selector["matchLabels"].(map[string]any)
		if labels["app"] == nil || labels["app"] != d.Spec.Template.Metadata.Labels["app"] {
			t.Errorf("%s selects %v, and its pods have %v", d.Metadata.Name, labels, d.Spec.Template.Metadata.Labels)
		}
		volumes := map[string]bool{}
		for _, v := range d.Spec.Template.Spec.Volumes {
			volumes[v.Name] = true
		}
		for _, v := range d.Spec.VolumeClaimTemplates {
			volumes[v.Metadata.Name] = true
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			containers[d.Metadata.Name] = c
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s mounts %q, which is no volume", d.Metadata.Name, m.Name)
				}
			}
		}
	}
}

// The program knows each command and flag, the workers find the server by its name, and each has a folder that it can
// write to, since the image is empty.
func TestTheManifestsCallTheProgramAsItIs(t *testing.T) {
	services := compose(t)
	pods, names := kubernetes(t)
	for name, test := range map[string]struct {
		args    []string
		folders []string
		want    string // the folder that it writes to
	}{
		"compose server":    {services["server"].Command, services["server"].Volumes, "/state"},
		"compose worker":    {services["worker"].Command, services["worker"].Tmpfs, "/tmp"},
		"kubernetes server": {pods["lockquake-server"].Args, mounts(pods["lockquake-server"]), "/state"},
		"kubernetes worker": {pods["lockquake-worker"].Args, mounts(pods["lockquake-worker"]), "/tmp"},
	} {
		p := start(t, t.TempDir(), "plain", append(test.args, "--help")...)
		if len(test.args) == 0 || p.wait(t) != 0 || !strings.Contains(p.out.String(), "lockquake-fleet "+test.args[0]) {
			t.Errorf("%s: the program refuses %v: %s", name, test.args, &p.err)
		}
		if !strings.Contains(strings.Join(test.folders, " "), test.want) {
			t.Errorf("%s: it can write to %v, and not to %s", name, test.folders, test.want)
		}
	}
	for name, address := range map[string]string{services["worker"].Command[1]: "nats://server:4222", pods["lockquake-worker"].Args[1]: "nats://" + names[0] + ":4222"} {
		if name != address || checkAddress(name) != nil {
			t.Errorf("the address is %q, not %q", name, address)
		}
	}
}

func mounts(c container) []string {
	var folders []string
	for _, m := range c.VolumeMounts {
		folders = append(folders, m.MountPath)
	}
	return folders
}

func TestTheImageIsBuiltFromFilesThatAreThere(t *testing.T) {
	build := compose(t)["server"].Build
	text, err := os.ReadFile(filepath.Join(packagingDir, build.Context, build.Dockerfile))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`cd (\S+) && .*go build .*-o (\S+) (\S+)\n`).FindStringSubmatch(string(text))
	if found == nil {
		t.Fatalf("it builds no program:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(packagingDir, build.Context, found[1], found[3], "main.go")); err != nil {
		t.Errorf("it builds what is not there: %v", err)
	}
	if !strings.Contains(string(text), `ENTRYPOINT ["`+found[2]+`"]`) {
		t.Errorf("the image does not start %s", found[2])
	}
}

// docs/fleet.md has every flag, and names none that is not there.
func TestThePageNamesTheFlagsThatThereAre(t *testing.T) {
	page, err := os.ReadFile("../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"metrics": true}
	for _, command := range []string{"serve", "work", "jobs", "remove", "run"} {
		p := start(t, t.TempDir(), "plain", command, "--help")
		p.wait(t)
		for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(p.out.String(), -1) {
			known[flag[1]] = true
		}
	}
	named := map[string]bool{}
	for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(string(page), -1) {
		named[flag[1]] = true
		if !known[flag[1]] {
			t.Errorf("the page names --%s, which no command has", flag[1])
		}
	}
	for _, flag := range append(accessFlags(), "dir", "listen", "config", "jobs", "lease", "on", "piece-seeds", "older-than", "resume") {
		if !named[flag] {
			t.Errorf("the page does not name --%s", flag)
		}
	}
}
