package scenarios

import (
	"embed"
	"strings"
)

//go:embed builtin/*.yaml needs/*.yaml
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

// builtin returns the file of a built-in scenario, or of one of the matrix.
func builtin(name string) ([]byte, bool) {
	if strings.HasPrefix(name, needPrefix) {
		return need(name)
	}
	data, err := builtinFiles.ReadFile("builtin/" + name + ".yaml")
	return data, err == nil
}

// needPrefix begins the names of the scenarios of the matrix, and of no other built-in scenario.
const needPrefix = "need-"

// Needs lists the names of the scenarios of the matrix. They are built in, and have one list of
// faults, which is that of the file faults.yaml.
func Needs() []string {
	return []string{"need-efficiency", "need-database", "need-outside", "need-leader", "need-queue", "need-readers"}
}

// need returns the file of a scenario of the matrix, with its faults.
func need(name string) ([]byte, bool) {
	own, err := builtinFiles.ReadFile("needs/" + name + ".yaml")
	if err != nil {
		return nil, false
	}
	faults, err := builtinFiles.ReadFile("needs/faults.yaml")
	return append(own, faults...), err == nil
}
