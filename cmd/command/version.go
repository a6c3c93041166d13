package command

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/scenarios/results"
)

func (p program) newVersion() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go version of this program",
		Long: `Version prints the version of lockquake, the commit of its source, whether the source had
uncommitted changes, and the Go version. A program with locks of its own also prints the commit of
its own source.

Go records the commit if go build builds the program in a clone of the repository. It does not
record it in a worktree or a submodule of git, where .git is a file, or with go run and go test.`,
		Example: `  lockquake version
  lockquake version --format json`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("format", format, formats()); err != nil {
				return err
			}
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			return versionOf(info, len(p.own) > 0).print(cmd.OutOrStdout(), format)
		},
	}
	formatFlag(cmd, &format)
	return cmd
}

// version describes the source of the program.
type version struct {
	Version string `json:"version"` // of lockquake
	source         // of lockquake
	Go      string `json:"go"`
	Program *own   `json:"program,omitempty"` // a program with locks of its own
}

// source identifies the source code of a program.
type source struct {
	Commit string `json:"commit,omitempty"` // "" if unknown
	Dirty  bool   `json:"dirty,omitempty"`  // it had uncommitted changes
	Module string `json:"module,omitempty"` // version and place of a module that the program requires
}

// own is the source of a program with locks of its own.
type own struct {
	Path string `json:"path"` // import path
	source
}

// versionOf reads the build info. Only the main module has a commit: in a program of another
// module, lockquake is a module that it requires. The modules lockquake/... are in its repository.
func versionOf(info *debug.BuildInfo, hasOwn bool) version {
	v := version{Version: results.Version, Go: info.GoVersion}
	var built source
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			built.Commit = s.Value
		case "vcs.modified":
			built.Dirty = s.Value == "true"
		}
	}
	if hasOwn {
		v.Program = &own{info.Path, built}
	}
	if info.Main.Path == plainName || info.Main.Path == "" || strings.HasPrefix(info.Main.Path, plainName+"/") {
		v.source = built
		return v
	}
	for _, m := range info.Deps {
		if m.Path != plainName {
			continue
		}
		v.Module = m.Version
		if m.Replace != nil {
			v.Module += " => " + m.Replace.Path
			if m.Replace.Version != "" {
				v.Module += " " + m.Replace.Version
			}
		}
	}
	return v
}

func (v version) print(w io.Writer, format string) error {
	if format == "json" {
		return results.WriteJSON(w, v)
	}
	if _, err := fmt.Fprintf(w, "%s %s (%s; %s)\n", plainName, v.Version, v.source, v.Go); err != nil {
		return err
	}
	if v.Program != nil {
		fmt.Fprintf(w, "%s (%s)\n", v.Program.Path, v.Program.source)
	}
	if v.unknown() || v.Program != nil && v.Program.unknown() {
		fmt.Fprintln(w, "To have the commit, use go build in a clone, not in a worktree or a submodule of git.")
	}
	return nil
}

// build identifies the source of a program with locks of these names. If the version does not tell it, sum
// returns a hash of the program itself.
func (v version) build(locks []string, sum func() (string, error)) (string, error) {
	text := fmt.Sprintf("%s %s (%s)", plainName, v.Version, v.source)
	if v.Program != nil {
		text += fmt.Sprintf(", %s (%s) with %s", v.Program.Path, v.Program.source, strings.Join(slices.Sorted(slices.Values(locks)), ", "))
	}
	if v.exact() {
		return text, nil
	}
	file, err := sum()
	return text + ", file " + file, err
}

// exact reports whether the version tells one state of the source from every other.
func (v version) exact() bool {
	return v.source.exact() && (v.Program == nil || v.Program.exact())
}

// exact is false for changes that are not committed, and for a module that is replaced by a folder.
func (s source) exact() bool {
	return s.Module != "" && !strings.Contains(s.Module, "=>") || s.Commit != "" && !s.Dirty
}

// sumOfProgram returns a hash of the file of the running program, in hexadecimal digits.
func sumOfProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

func (s source) unknown() bool { return s.Module == "" && s.Commit == "" }

func (s source) String() string {
	switch {
	case s.unknown():
		return "commit unknown"
	case s.Module != "":
		return "module " + s.Module
	case s.Dirty:
		return "commit " + s.Commit + ", with changes"
	}
	return "commit " + s.Commit
}
