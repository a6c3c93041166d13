package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/sim/postgres/engine"
)

var update = flag.Bool("update", false, "write the results of the scripts again")

// clock is a host whose time passes when the test says so.
type clock struct {
	now    time.Time
	timers []*timer
}

type timer struct {
	at time.Time
	f  func()
}

func (c *clock) host() engine.Host {
	return engine.Host{
		Now: func() time.Time { return c.now },
		After: func(d time.Duration, f func()) func() {
			t := &timer{c.now.Add(d), f}
			c.timers = append(c.timers, t)
			return func() { c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t }) }
		},
	}
}

// pass lets time pass, and calls what is due in order.
func (c *clock) pass(d time.Duration) {
	end := c.now.Add(d)
	for {
		var first *timer
		for _, t := range c.timers {
			if !t.at.After(end) && (first == nil || t.at.Before(first.at)) {
				first = t
			}
		}
		if first == nil {
			c.now = end
			return
		}
		c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == first })
		c.now = first.at
		first.f()
	}
}

// script runs the commands of a script in sessions of a database:
//
//	1> sql          runs a statement in session 1
//	1> \cancel      and \terminate, \close, \status, \blockers
//	> \after 1s     lets time pass
//	> \holders 1    prints who holds an advisory lock; \rows t prints a table
//
// The lines after a command are its result: rows, a tag, an error, or "waits". Results of statements of other sessions have the number of
// their session before them.
type script struct {
	db       *engine.Database
	clock    *clock
	sessions map[string]*engine.Session
	names    map[*engine.Session]string
	out      strings.Builder
}

func newScript(hooks engine.Hooks) *script {
	s := &script{clock: &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, sessions: map[string]*engine.Session{}, names: map[*engine.Session]string{}}
	s.db = engine.New(s.clock.host(), hooks)
	return s
}

func (s *script) session(name string) *engine.Session {
	if s.sessions[name] == nil {
		s.sessions[name] = s.db.Connect()
		s.names[s.sessions[name]] = name
	}
	return s.sessions[name]
}

// run returns the script with the results that its commands have now.
func (s *script) run(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		name, command, ok := strings.Cut(line, "> ")
		switch {
		case strings.HasPrefix(line, "#") || line == "":
			fmt.Fprintln(&s.out, line)
		case ok && !strings.HasPrefix(line, " "):
			fmt.Fprintln(&s.out, line)
			s.command(name, command)
		}
	}
	return s.out.String()
}

func (s *script) command(name, command string) {
	word, arg, _ := strings.Cut(command, " ")
	switch word {
	case `\after`:
		d, err := time.ParseDuration(arg)
		if err != nil {
			panic(err)
		}
		s.clock.pass(d)
	case `\cancel`:
		s.session(name).Cancel()
	case `\terminate`:
		s.session(name).Terminate()
	case `\close`:
		s.session(name).Close()
	case `\group`:
		s.session(name).Group()
	case `\sync`:
		s.session(name).Sync()
	case `\status`:
		s.print("", string(s.session(name).Status()))
	case `\blockers`:
		var list []string
		for _, b := range s.db.Waiting(s.session(name)) {
			list = append(list, s.names[b])
		}
		s.print("", strings.Join(list, " "))
	case `\holders`:
		var n engine.LockName
		if table, key, ok := strings.Cut(arg, "/"); ok {
			n = engine.LockName{Table: table, Key: key}
		} else {
			fmt.Sscan(arg, &n.ID)
		}
		for _, h := range s.db.Holders(n) {
			s.print("", fmt.Sprintf("%s shared=%t count=%d transaction=%t", s.names[h.Session], h.Shared, h.Count, h.Transaction))
		}
	case `\rows`:
		for _, row := range s.db.Rows(arg) {
			s.print("", texts(row))
		}
	default:
		s.execute(name, command)
	}
}

func (s *script) execute(name, text string) {
	session := s.session(name)
	st, err := session.Prepare(text)
	if err != nil {
		var e *engine.Error
		errors.As(err, &e)
		s.print("", describe(e))
		return
	}
	prefix, answered := "", false
	session.Execute(st, nil, 0, func(r *engine.Result) {
		answered = true
		for _, row := range r.Rows {
			s.print(prefix, texts(row))
		}
		switch {
		case r.Err != nil:
			s.print(prefix, describe(r.Err))
		case len(r.Columns) == 0 || len(r.Rows) == 0:
			s.print(prefix, r.Tag)
		}
	})
	if !answered {
		s.print("", "waits")
		prefix = name + ": "
	}
}

func (s *script) print(prefix, text string) { fmt.Fprintln(&s.out, "    "+prefix+text) }

func describe(e *engine.Error) string {
	if e.Severity == "FATAL" {
		return "FATAL " + e.Code + " " + e.Message
	}
	return e.Code + " " + e.Message
}

func texts(row []any) string {
	var list []string
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			list = append(list, "null")
		case engine.Void:
			list = append(list, "()")
		case time.Time:
			list = append(list, v.Format(time.RFC3339Nano))
		default:
			list = append(list, fmt.Sprint(v))
		}
	}
	return strings.Join(list, " | ")
}

// TestGoldenScripts runs the files of testdata. Each rule begins with a line "# ..." and has a database of its own. PostgreSQL 15 gave the
// same results.
func TestGoldenScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for i, rule := range strings.Split(string(text), "\n# ") {
			if i > 0 {
				rule = "# " + rule
				all.WriteString("\n")
			}
			name, _, _ := strings.Cut(strings.TrimPrefix(rule, "# "), "\n")
			rule = strings.TrimSuffix(rule, "\n") + "\n"
			got := newScript(engine.Hooks{}).run(rule)
			all.WriteString(got)
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				if got != rule {
					t.Errorf("%s", cmp.Diff(rule, got))
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
