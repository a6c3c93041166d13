package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"lockquake/sim/postgres/sql"
)

// settings are the settings of a session.
type settings struct {
	lockTimeout, statementTimeout, idleInTransaction, deadlockTimeout time.Duration

	applicationName string
	isolation       string // default_transaction_isolation
	readOnly        bool   // default_transaction_read_only
}

func defaults() settings { return settings{deadlockTimeout: time.Second, isolation: readCommitted} }

const (
	readCommitted  = "read committed"
	repeatableRead = "repeatable read"
)

// duration returns the setting of that name if it is a duration.
func (s *settings) duration(name string) *time.Duration {
	switch name {
	case "lock_timeout":
		return &s.lockTimeout
	case "statement_timeout":
		return &s.statementTimeout
	case "idle_in_transaction_session_timeout":
		return &s.idleInTransaction
	case "deadlock_timeout":
		return &s.deadlockTimeout
	}
	return nil
}

// set changes a setting.
func (s *settings) set(name, value string) error {
	if d := s.duration(name); d != nil {
		v, ok := readDuration(value)
		if !ok || v > math.MaxInt32*time.Millisecond {
			return sql.Errorf("22023", "invalid value for parameter \"%s\": \"%s\"", name, value)
		}
		if v < 0 || name == "deadlock_timeout" && v == 0 {
			least := "0"
			if name == "deadlock_timeout" {
				least = "1"
			}
			return sql.Errorf("22023", "%d ms is outside the valid range for parameter \"%s\" (%s .. 2147483647)", v.Milliseconds(), name, least)
		}
		*d = v
		return nil
	}
	switch name {
	case "application_name":
		s.applicationName = value
		return nil
	case "default_transaction_isolation":
		switch level := strings.ToLower(value); level {
		case readCommitted, repeatableRead, "read uncommitted":
			s.isolation = level
		case "serializable":
			return sql.Unsupported("ISOLATION LEVEL SERIALIZABLE")
		default:
			return sql.Errorf("22023", "invalid value for parameter \"%s\": \"%s\"", name, value)
		}
		return nil
	case "default_transaction_read_only":
		v, err := read(value, Bool)
		if err != nil {
			return sql.Errorf("22023", "parameter \"%s\" requires a Boolean value", name)
		}
		s.readOnly = v.(bool)
		return nil
	case "client_encoding", "datestyle", "timezone", "search_path", "standard_conforming_strings", "client_min_messages", "synchronous_commit", "extra_float_digits", "jit":
		return nil // makes no difference here
	}
	return sql.Unsupported("setting " + name)
}

// get returns a setting as SHOW writes it.
func (s *settings) get(name string) (string, error) {
	if d := s.duration(name); d != nil {
		return formatDuration(*d), nil
	}
	switch name {
	case "application_name":
		return s.applicationName, nil
	case "default_transaction_isolation", "transaction_isolation":
		return s.isolation, nil
	case "default_transaction_read_only":
		if s.readOnly {
			return "on", nil
		}
		return "off", nil
	case "server_version":
		return "15.0", nil
	case "standard_conforming_strings":
		return "on", nil
	case "timezone":
		return "UTC", nil
	}
	return "", sql.Unsupported("setting " + name)
}

// readDuration reads a number of milliseconds, or a number with a unit.
func readDuration(text string) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	n := len(text)
	for n > 0 && (text[n-1] < '0' || text[n-1] > '9') {
		n--
	}
	v, err := strconv.ParseFloat(text[:n], 64)
	if err != nil {
		return 0, false
	}
	units := map[string]time.Duration{
		"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	u, ok := units[strings.TrimSpace(text[n:])]
	return time.Duration(v * float64(u)).Round(time.Millisecond), ok
}

func formatDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if d%u.d == 0 {
			return fmt.Sprint(int64(d/u.d), u.name)
		}
	}
	return fmt.Sprint(d.Milliseconds(), "ms")
}

// set changes a setting until the end of the transaction or of the session.
func (s *Session) set(name, value string, reset, local bool) error {
	if reset && name == "all" {
		s.settings = defaults()
	} else {
		if reset {
			fresh := defaults()
			value = ""
			if name != "application_name" {
				var err error
				if value, err = fresh.get(name); err != nil {
					return err
				}
			}
		}
		if name == "transaction_isolation" {
			return sql.Unsupported("SET transaction_isolation")
		}
		if err := s.settings.set(name, value); err != nil {
			return err
		}
	}
	if local {
		return nil
	}
	if name == "all" {
		s.kept = defaults()
		return nil
	}
	return s.kept.set(name, value)
}

// current returns a setting that is in force.
func (s *Session) current(name string) (string, error) {
	if name == "transaction_isolation" && s.txn != nil {
		return s.txn.isolation, nil
	}
	return s.settings.get(name)
}
