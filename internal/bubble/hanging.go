package bubble

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Hanging describes a goroutine that keeps a bubble from coming to rest: what it waits for, and the first
// line of its stack outside of the Go libraries. It returns "" if there is none.
func Hanging() string {
	buffer := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buffer, true)
		if n < len(buffer) {
			return hanging(string(buffer[:n]), durableMutexes())
		}
		buffer = make([]byte, 2*len(buffer))
	}
}

// headOf is the first line of a goroutine of a bubble: its number, its state, the bubble, and perhaps its label.
var headOf = regexp.MustCompile(`^goroutine \d+ .*?\[([^],]*)(?:, [^]]*?)?, synctest bubble (\d+)[] ]`)

// lineOf is a line of a stack with a file.
var lineOf = regexp.MustCompile(`^\t(\S+\.go:\d+)`)

// hanging describes the goroutine of the latest bubble: an earlier run of the program may hang too. It is none that waits for a mutex
// if such goroutines are durably blocked.
func hanging(stacks string, mutexes bool) string {
	latest, found := 0, ""
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		head := headOf.FindStringSubmatch(stack)
		if head == nil || strings.Contains(stack, "(durable)") || strings.Contains(stack, "\nlockquake/internal/bubble.(*Bubble).agent(") {
			continue
		}
		if mutexes && strings.HasPrefix(head[1], "sync.") {
			continue
		}
		if number, err := strconv.Atoi(head[2]); err == nil && number > latest {
			latest, found = number, fmt.Sprintf("%s at %s", reason(head[1]), userLine(stack))
		}
	}
	return found
}

// reason explains the state of a goroutine that is not durably blocked.
func reason(state string) string {
	switch {
	case strings.HasPrefix(state, "sync.Mutex"), strings.HasPrefix(state, "sync.RWMutex"):
		return "a goroutine waits for a mutex that another one holds while it waits for time or a server"
	case state == "IO wait":
		return "a goroutine waits for the network: give the library the clients of Deps"
	case strings.HasPrefix(state, "chan"), strings.HasPrefix(state, "select"):
		return "a goroutine waits for a channel that was made outside of its process (" + state + ")"
	case state == "running", state == "runnable":
		return "a goroutine computes and does not wait"
	}
	return "a goroutine waits for something outside of the simulation (" + state + ")"
}

// library matches the functions of the Go libraries through which a goroutine waits.
var library = regexp.MustCompile(`^(runtime|sync|internal|time|syscall|net|os|io|bufio|context|crypto|testing|database|encoding|errors|fmt|log|maps|math|reflect|slices|sort|strings)[./]|^panic\(`)

// userLine returns the place of the first function of a stack that is not of the Go libraries.
func userLine(stack string) string {
	skip := true
	for line := range strings.Lines(stack) {
		place := lineOf.FindStringSubmatch(line)
		switch {
		case place == nil:
			skip = library.MatchString(line)
		case !skip:
			return place[1]
		}
	}
	return "an unknown place"
}

// PlaceOf returns the first place outside of the Go libraries of a stack that debug.Stack returned in a deferred function: where
// the goroutine panicked, or called runtime.Goexit.
func PlaceOf(stack string) string {
	return userLine(stack[max(strings.Index(stack, "\npanic("), strings.Index(stack, "\nruntime.Goexit("), 0):])
}

// Patterns of what a Go program prints when a panic ends it.
var (
	valueOf = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*)$`)
	rerunOf = regexp.MustCompile(`^goroutine .* labels:\{"rerun": ("(?:[^"\\]|\\.)*")\}`)
)

// Panicked finds the panic of a goroutine of a bubble in the output of a program that it ended: its value, the first
// place of its stack outside of the Go libraries, and the command that New was given. It returns "" if
// there is none.
func Panicked(output string) (value, place, rerun string) {
	found := valueOf.FindStringSubmatchIndex(output)
	if found == nil {
		return "", "", ""
	}
	for stack := range strings.SplitSeq(output[found[1]:], "\n\n") {
		stack = strings.TrimSpace(stack)
		label := rerunOf.FindStringSubmatch(stack)
		if label == nil {
			continue
		}
		if rerun, err := strconv.Unquote(label[1]); err == nil {
			return output[found[2]:found[3]], userLine(stack), rerun
		}
	}
	return "", "", ""
}
