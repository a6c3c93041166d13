package servers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// npmPath returns the path of a file among the packages that npm.sh has installed.
func npmPath(elements ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("servers: %w", err)
	}
	return filepath.Join(append([]string{cache, "lockquake", "npm", "node_modules"}, elements...)...), nil
}

// findNPM returns the path of a program that npm.sh has installed.
func findNPM(name string) (string, error) {
	path, err := npmPath(".bin", name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return find(name)
}

// readAxe returns the script of axe-core, a third-party checker of the accessibility of pages. The
// error wraps ErrMissing if it is not installed.
func readAxe() (string, error) {
	path, err := npmPath("axe-core", "axe.min.js")
	if err != nil {
		return "", err
	}
	script, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("servers: axe-core: %w", ErrMissing)
	}
	return string(script), err
}
