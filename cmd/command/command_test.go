package command

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"lockquake":  func() { Main() },
		"badlocks":   badlocks,
		"neverstops": neverstops,
	})
}

// neverstops is a program that catches the first signal and goes on.
func neverstops() {
	ctx, stop := interruptible(context.Background())
	defer stop()
	fmt.Println("begun")
	<-ctx.Done()
	fmt.Println("interrupted")
	time.Sleep(time.Hour)
}

// Each script checks the output, the files and the exit code of a command.
func TestScriptsRunAsAUserWouldTypeThem(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) { exits(ts, "lockquake", neg, args) },
			"badly": func(ts *testscript.TestScript, neg bool, args []string) { exits(ts, "badlocks", neg, args) },
		},
	})
}

// exits is a command of scripts that compares an exit code: exits CODE ARGUMENT..., with
// badly for the program with bad locks.
func exits(ts *testscript.TestScript, program string, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGUMENT...")
	}
	err := ts.Exec(program, args[1:]...)
	code := "0"
	if coded, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(coded.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}
