package scenarios

import (
	"embed"
	"strings"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// Builtins lists the names of the built-in scenarios, sorted.
func Builtins() []string {
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// builtin returns the file of a built-in scenario.
func builtin(name string) ([]byte, bool) {
	data, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	return data, err == nil
}
