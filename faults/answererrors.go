package faults

import (
	"fmt"
	"slices"
)

// Code is the error that a server answers with for a while, by its first word. It
// decides which commands the server refuses.
type Code string

// The codes, those of Redis.
const (
	CodeReadOnly    Code = "READONLY"    // it was made a replica: writes
	CodeLoading     Code = "LOADING"     // it reads its data: nearly everything
	CodeMemory      Code = "OOM"         // it is short of memory: what may need more of it
	CodeDisk        Code = "MISCONF"     // its last snapshot failed: writes
	CodeClusterDown Code = "CLUSTERDOWN" // its cluster is down: commands with keys
)

// Codes lists them.
func Codes() []Code {
	return []Code{CodeReadOnly, CodeLoading, CodeMemory, CodeDisk, CodeClusterDown}
}

// answerErrorsKind is a server that is there, and does not do what it is asked.
func answerErrorsKind() KindInfo {
	info := serverKind(AnswerErrors, "lets the lock's server refuse commands with an error, as Redis does in that state", "with", "every", "for")
	info.check = func(p Params) error {
		switch {
		case p.With == "":
			return &ParamError{"with", fmt.Sprintf("is missing: one of %v", Codes())}
		case !slices.Contains(Codes(), p.With):
			return &ParamError{"with", fmt.Sprintf("unknown error %q, known are %v", p.With, Codes())}
		case p.Target == "resource":
			return &ParamError{"target", "the resource has no such errors"}
		}
		return nil
	}
	info.words = func(a Action) []string { return []string{a.Target, "with", string(a.With)} }
	info.parse = func(r *stepReader) Action {
		a := Action{Target: r.word("server")}
		r.expect("with")
		if a.With = Code(r.word("error")); !slices.Contains(Codes(), a.With) {
			r.fail("unknown error %q, known are %v", a.With, Codes())
		}
		return a
	}
	return info
}
