package command

import (
	"bytes"
	"runtime/debug"
	"testing"

	"lockquake/scenarios/results"
)

func TestVersionNamesTheSourceOfLockquakeAndOfTheProgram(t *testing.T) {
	commit := func(changed string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "97f2f30"}, {Key: "vcs.modified", Value: changed}}
	}
	lockquake := debug.Module{Path: "lockquake", Version: "(devel)"}
	mine := debug.Module{Path: "example.com/mine", Version: "(devel)"}
	const head = "lockquake " + results.Version
	for _, tt := range []struct {
		name   string
		info   debug.BuildInfo
		hasOwn bool
		want   string
		build  string // for an extension
	}{
		{
			"a clean checkout",
			debug.BuildInfo{GoVersion: "go1.26.8", Main: lockquake, Settings: commit("false")},
			false,
			head + " (commit 97f2f30; go1.26.8)\n",
			head + " (commit 97f2f30)",
		},
		{
			"uncommitted changes",
			debug.BuildInfo{GoVersion: "go1.26.8", Main: lockquake, Settings: commit("true")},
			false,
			head + " (commit 97f2f30, with changes; go1.26.8)\n",
			head + " (commit 97f2f30, with changes), file 0123",
		},
		{
			"a worktree of git",
			debug.BuildInfo{GoVersion: "go1.26.8", Main: lockquake},
			false,
			head + " (commit unknown; go1.26.8)\nTo have the commit, use go build in a clone, not in a worktree or a submodule of git.\n",
			head + " (commit unknown), file 0123",
		},
		{
			"a lock inside of this module",
			debug.BuildInfo{GoVersion: "go1.26.8", Path: "lockquake/docs/mylockquake", Main: lockquake, Settings: commit("false")},
			true,
			head + " (commit 97f2f30; go1.26.8)\nlockquake/docs/mylockquake (commit 97f2f30)\n",
			head + " (commit 97f2f30), lockquake/docs/mylockquake (commit 97f2f30) with a, b",
		},
		{
			"a module that requires lockquake",
			debug.BuildInfo{
				GoVersion: "go1.26.8", Path: "example.com/mine/mylockquake", Main: mine, Settings: commit("true"),
				Deps: []*debug.Module{{Path: "github.com/spf13/cobra", Version: "v1.10.2"}, {Path: "lockquake", Version: "v0.0.0", Replace: &debug.Module{Path: "../lockquake"}}},
			},
			true,
			head + " (module v0.0.0 => ../lockquake; go1.26.8)\nexample.com/mine/mylockquake (commit 97f2f30, with changes)\n",
			head + " (module v0.0.0 => ../lockquake), example.com/mine/mylockquake (commit 97f2f30, with changes) with a, b, file 0123",
		},
		{
			"a module that requires a version of lockquake",
			debug.BuildInfo{
				GoVersion: "go1.26.8", Path: "example.com/mine", Main: mine, Settings: commit("false"),
				Deps: []*debug.Module{{Path: "lockquake", Version: "v0.1.0"}},
			},
			true,
			head + " (module v0.1.0; go1.26.8)\nexample.com/mine (commit 97f2f30)\n",
			head + " (module v0.1.0), example.com/mine (commit 97f2f30) with a, b",
		},
		{
			"a module in the repository of lockquake",
			debug.BuildInfo{
				GoVersion: "go1.26.8", Path: "lockquake/fleet/cmd/lockquake-fleet", Main: debug.Module{Path: "lockquake/fleet"}, Settings: commit("false"),
				Deps: []*debug.Module{{Path: "lockquake", Version: "v0.0.0", Replace: &debug.Module{Path: "../"}}},
			},
			false,
			head + " (commit 97f2f30; go1.26.8)\n",
			head + " (commit 97f2f30)",
		},
	} {
		var out bytes.Buffer
		if err := versionOf(&tt.info, tt.hasOwn).print(&out, "table"); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, out.String(), tt.want)
		}
		build, err := versionOf(&tt.info, tt.hasOwn).build([]string{"b", "a"}, func() (string, error) { return "0123", nil })
		if err != nil || build != tt.build {
			t.Errorf("%s: the build is %q, want %q (%v)", tt.name, build, tt.build, err)
		}
	}
}
