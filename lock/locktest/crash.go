package locktest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"

	"lockquake/internal/bubble"
)

// No code can recover the panic of a goroutine that a library has started: it ends the program, with the stacks of all goroutines. A
// process that reads them and ends with the program adds one line.

// crashVariable is the environment variable of the process that explains a crash.
const crashVariable = "LOCKQUAKE_CRASH"

// explainCrash reads what the program prints when it crashes, explains it and ends, if this process was started for that.
func explainCrash() {
	if os.Getenv(crashVariable) == "" {
		return
	}
	output, _ := io.ReadAll(os.Stdin) // ends with the program
	if text, _ := panicOf(string(output)); text != "" {
		fmt.Fprintln(os.Stderr, text)
	}
	os.Exit(0)
}

// panicOf describes the panic of a goroutine of a library in the output of a test program, and returns the token of its run; "" if
// there is none.
func panicOf(output string) (text, token string) {
	value, place, rerun := bubble.Panicked(output)
	if value == "" {
		return "", ""
	}
	return fmt.Sprintf("locktest: a goroutine of the library panics: %s at %s; run it again with: %s", value, place, rerun), rerun[strings.LastIndex(rerun, " ")+1:]
}

// watchForACrash starts the process that explains a crash, unless the process that started this one does it. Without it the
// stacks stay as they are.
//
//nolint:gochecknoglobals // a program has one
var watchForACrash = sync.OnceFunc(func() {
	if presentPart() != nil {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	reports, crash, err := os.Pipe()
	if err != nil {
		return
	}
	defer func() { _, _ = reports.Close(), crash.Close() }()
	cmd := exec.Command(program)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), crashVariable+"=1"), reports, os.Stderr
	if cmd.Start() == nil {
		_ = debug.SetCrashOutput(crash, debug.CrashOptions{})
	}
})
