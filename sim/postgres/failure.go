package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/sim"
	"lockquake/sim/postgres/engine"
	"lockquake/sim/postgres/wire"
)

// Fail implements sim.Failer: the server answers a request with an error instead of executing
// it. A text that begins with an SQLSTATE has that code, any other has 53200. The error fails the
// transaction that the session is in, and ends a connection that is being opened.
func (s *Server) Fail(c *sim.Call, text string) {
	const outOfMemory = "53200"
	code, message, _ := strings.Cut(text, " ")
	switch {
	case code == "BUSY": // the default of the fault, which is an error of Redis
		code, message = outOfMemory, "out of memory"
	case !isState(code):
		code, message = outOfMemory, text
	}
	failed := &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: code, Message: message}
	conn, _ := c.Session.Data.(*connection)
	if conn == nil || conn.backend == nil {
		failed.Severity, failed.SeverityUnlocalized = "FATAL", "FATAL"
		c.Reply(&wire.Packet{Bytes: encode(nil, failed)})
		return
	}
	conn.backend.Fail()
	c.Reply(&wire.Packet{Bytes: encode(encode(nil, failed), &pgproto3.ReadyForQuery{TxStatus: conn.backend.Status()})})
}

// isState reports whether a word has the form of an SQLSTATE.
func isState(word string) bool {
	const length = 5
	return len(word) == length && strings.IndexFunc(word, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') }) < 0
}

// Fail makes the transaction of a session fail, if it is in one.
func (b *backendSession) Fail() {
	if b.Status() != 'T' {
		return
	}
	if st, err := b.Prepare("SELECT 1/0"); err == nil {
		b.Execute(st, nil, 0, func(*engine.Result) {})
	}
}

func encode(b []byte, m pgproto3.BackendMessage) []byte {
	out, err := m.Encode(b)
	if err != nil {
		panic(err) // a message that is too long
	}
	return out
}
