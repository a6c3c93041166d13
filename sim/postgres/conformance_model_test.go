package postgres_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/sim/postgres/engine"
)

// model is a simulated database.
type model struct {
	db       *engine.Database
	now      time.Time
	timers   []*timer
	sessions map[string]*modelSession
	seen     *sight
}

type timer struct {
	at time.Time
	f  func()
}

type modelSession struct {
	*engine.Session
	name    string
	running bool
	over    bool
	lost    bool
}

// How far the clock goes after each step: beyond the default of deadlock_timeout; and until a
// statement must have ended.
const (
	restTime    = 20 * time.Millisecond
	patientTime = 20 * time.Second
)

// configure gives a session the default of realSettings.
func (s *modelSession) configure() {
	statement, err := s.Prepare("set deadlock_timeout = '5ms'")
	if err != nil {
		panic(err)
	}
	s.Execute(statement, nil, 0, func(*engine.Result) {})
}

func (m *model) open(names []string) error {
	if m.db != nil {
		m.db.Close()
	}
	*m = model{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), sessions: map[string]*modelSession{}}
	m.db = engine.New(engine.Host{Now: func() time.Time { return m.now }, After: m.after}, engine.Hooks{})
	for _, name := range names {
		m.sessions[name] = &modelSession{Session: m.db.Connect(), name: name}
		m.sessions[name].configure()
	}
	return nil
}

func (m *model) after(d time.Duration, f func()) (stop func()) {
	t := &timer{m.now.Add(d), f}
	at, _ := slices.BinarySearchFunc(m.timers, t, func(a, b *timer) int {
		if a.at.After(b.at) {
			return 1
		}
		return -1
	})
	m.timers = slices.Insert(m.timers, at, t)
	return func() { m.timers = slices.DeleteFunc(m.timers, func(o *timer) bool { return o == t }) }
}

// pass lets time pass, until the condition holds if it does before.
func (m *model) pass(d time.Duration, until func() bool) {
	end := m.now.Add(d)
	for !until() && len(m.timers) > 0 && !m.timers[0].at.After(end) {
		t := m.timers[0]
		m.timers = m.timers[1:]
		m.now = t.at
		t.f()
	}
	if !until() {
		m.now = end
	}
}

func (m *model) do(st step) (*sight, error) {
	s := m.sessions[st.session]
	m.seen = &sight{results: map[string]*result{}, waiting: map[string][]string{}}
	isAction := strings.HasPrefix(st.text, `\`)
	switch {
	case s.over || !isAction && (s.running || s.lost):
		return m.seen, nil
	case isAction:
		if err := m.act(s, st.text); err != nil {
			return nil, err
		}
	default:
		m.execute(s, st)
	}
	switch st.rest {
	case '!':
		m.pass(patientTime, func() bool { return !s.running })
	case ':':
		m.pass(restTime, func() bool { return false })
	}
	m.look()
	return m.seen, nil
}

func (m *model) act(s *modelSession, action string) error {
	switch action {
	case actCancel:
		if s.running {
			s.Cancel()
		}
	case actTerminate:
		s.Terminate()
	case actClose:
		if !s.running {
			s.Close()
		}
	case actGone:
		s.lost = true
		if !s.running { // otherwise the server notices it when it sends the result
			s.Close()
		}
	case actExpire:
		m.pass(patientTime, s.Over)
	default:
		return fmt.Errorf("%s is no action", action)
	}
	return nil
}

func (m *model) execute(s *modelSession, st step) {
	r := &result{}
	finish := func(answer *engine.Result) {
		s.running = false
		r.tag = answer.Tag
		for _, row := range answer.Rows {
			r.rows = append(r.rows, textsOfValues(row, answer.Columns))
		}
		if answer.Err != nil {
			r.err = &failure{answer.Err.Severity, answer.Err.Code, answer.Err.Message}
		}
		if !s.lost {
			m.seen.results[s.name] = r.normal(st.text)
		}
	}
	s.running = true
	statement, err := s.Prepare(st.text)
	if refused, ok := errors.AsType[*engine.Error](err); ok {
		finish(&engine.Result{Err: refused})
		return
	}
	for _, p := range statement.Params {
		r.params = append(r.params, p.String())
	}
	for _, c := range statement.Columns {
		r.columns = append(r.columns, c.Name+" "+c.Type.String())
	}
	args := make([]any, len(st.args))
	for i, arg := range st.args {
		if other, isPID := strings.CutPrefix(arg, "@"); isPID {
			arg = strconv.Itoa(m.sessions[other].PID())
		}
		args[i] = valueOf(arg, statement.Params[i])
	}
	s.Execute(statement, args, 0, finish)
}

// look notes who waits for whom, and who is over.
func (m *model) look() {
	for _, name := range sortedKeys(m.sessions) {
		s := m.sessions[name]
		if s.lost && !s.running && !s.over {
			s.Close()
		}
		if s.Over() && !s.over {
			s.over, s.running = true, false
			m.seen.over = append(m.seen.over, name)
		}
		if r := m.seen.results[name]; r != nil && !s.over {
			r.status = s.Status()
			if r.tag == "RESET" || r.tag == "DISCARD ALL" {
				s.configure()
			}
		}
		if !s.running {
			continue
		}
		m.seen.waiting[name] = []string{}
		for _, blocker := range m.db.Waiting(s.Session) {
			for other, o := range m.sessions {
				if o.Session == blocker {
					m.seen.waiting[name] = append(m.seen.waiting[name], other)
				}
			}
		}
		slices.Sort(m.seen.waiting[name])
	}
}

func valueOf(text string, t engine.Type) any {
	if text == "null" {
		return nil
	}
	switch t {
	case engine.Int2, engine.Int4, engine.Int8:
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	case engine.Float8, engine.Numeric:
		f, _ := strconv.ParseFloat(text, 64)
		return f
	case engine.Bool:
		return text == "true" || text == "t"
	case engine.Bytea:
		b, _ := hex.DecodeString(strings.TrimPrefix(text, `\x`))
		return engine.Bytes(b)
	case engine.Interval:
		d, _ := time.ParseDuration(text)
		return d
	default:
		return text
	}
}

func textsOfValues(row []any, columns []engine.Column) []string {
	var texts []string
	for i, value := range row {
		text := ""
		switch v := value.(type) {
		case nil:
			text = "null"
		case bool:
			text = "f"
			if v {
				text = "t"
			}
		case int64:
			text = strconv.FormatInt(v, 10)
		case float64:
			text = strconv.FormatFloat(v, 'g', -1, 64)
		case string:
			text = v
		case engine.Bytes:
			text = fmt.Sprintf(`\x%x`, string(v))
		case time.Time:
			text = someTime
		case time.Duration:
			text = someInterval
		case engine.Void:
		default:
			text = fmt.Sprintf("%T in a column of %v", v, columns[i].Type)
		}
		texts = append(texts, text)
	}
	return texts
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
