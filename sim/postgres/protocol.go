package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/sim/postgres/engine"
)

// This file has the queries of the frontend/backend protocol: the simple query, and the extended query
// with Parse, Bind, Describe, Execute and Sync.

// handle handles one message.
func (c *connection) handle(kind byte, body []byte) {
	if c.skipping && kind != 'S' && kind != 'X' {
		return
	}
	switch kind {
	case 'Q':
		c.query(body)
	case 'P':
		c.parse(body)
	case 'B':
		c.bind(body)
	case 'D':
		c.describe(body)
	case 'E':
		c.run(body)
	case 'C':
		c.send(&pgproto3.CloseComplete{})
	case 'S':
		c.skipping = false
		c.backend.Sync()
		c.ready()
	case 'H':
	case 'X':
		c.leave()
	default:
		c.fail(&engine.Error{Severity: "ERROR", Code: "0A000", Message: "message type " + string(kind) + " is not simulated"})
	}
}

// query handles a simple query, which may have several statements.
func (c *connection) query(body []byte) {
	text := strings.TrimSuffix(string(body), "\x00")
	texts, err := c.backend.Split(text)
	switch {
	case err != nil:
		c.fail(serverError(err))
		c.endQuery()
	case len(texts) == 0:
		c.send(&pgproto3.EmptyQueryResponse{})
		c.endQuery()
	default:
		if len(texts) > 1 {
			c.backend.Group()
		}
		c.next(texts)
	}
}

// next executes the first statement of a simple query, then the others.
func (c *connection) next(texts []string) {
	if len(texts) == 0 {
		c.endQuery()
		return
	}
	st, err := c.backend.Prepare(texts[0])
	if err != nil {
		c.fail(serverError(err))
		c.endQuery()
		return
	}
	c.execute(st, nil, func(r *engine.Result) {
		if r.Err != nil {
			c.endQuery()
			return
		}
		if len(r.Columns) > 0 {
			c.send(c.server.description(r.Columns, nil))
		}
		c.result(r, nil)
		c.next(texts[1:])
	})
}

// endQuery ends a simple query.
func (c *connection) endQuery() {
	c.skipping = false
	c.backend.Sync()
	c.ready()
}

// result sends the rows and the tag of a result.
func (c *connection) result(r *engine.Result, formats []int16) {
	for _, values := range r.Rows {
		c.send(c.server.row(r.Columns, values, formats))
	}
	c.send(&pgproto3.CommandComplete{CommandTag: []byte(r.Tag)})
}

func (c *connection) parse(body []byte) {
	var m pgproto3.Parse
	if !c.decode(&m, body) {
		return
	}
	params := make([]engine.Type, len(m.ParameterOIDs))
	for i, oid := range m.ParameterOIDs {
		params[i] = engine.Type(oid)
	}
	st, err := c.backend.Prepare(m.Query, params...)
	if err != nil {
		c.fail(serverError(err))
		return
	}
	c.backend.statements[m.Name] = st
	c.send(&pgproto3.ParseComplete{})
}

func (c *connection) bind(body []byte) {
	var m pgproto3.Bind
	if !c.decode(&m, body) {
		return
	}
	st := c.backend.statements[m.PreparedStatement]
	if st == nil {
		c.fail(&engine.Error{Severity: "ERROR", Code: "26000", Message: "prepared statement \"" + m.PreparedStatement + "\" does not exist"})
		return
	}
	args, err := c.server.arguments(st, &m)
	if err != nil {
		c.fail(err)
		return
	}
	c.portals[m.DestinationPortal] = &portal{st, args, m.ResultFormatCodes}
	c.send(&pgproto3.BindComplete{})
}

func (c *connection) describe(body []byte) {
	var m pgproto3.Describe
	if !c.decode(&m, body) {
		return
	}
	var st *engine.Statement
	var formats []int16
	if m.ObjectType == 'S' {
		st = c.backend.statements[m.Name]
	} else if p := c.portals[m.Name]; p != nil {
		st, formats = p.statement, p.formats
	}
	if st == nil {
		c.fail(&engine.Error{Severity: "ERROR", Code: "26000", Message: "prepared statement \"" + m.Name + "\" does not exist"})
		return
	}
	if m.ObjectType == 'S' {
		c.send(&pgproto3.ParameterDescription{ParameterOIDs: oids(st.Params)})
	}
	if len(st.Columns) == 0 {
		c.send(&pgproto3.NoData{})
		return
	}
	c.send(c.server.description(st.Columns, formats))
}

func (c *connection) run(body []byte) {
	var m pgproto3.Execute
	if !c.decode(&m, body) {
		return
	}
	p := c.portals[m.Portal]
	if p == nil {
		c.fail(&engine.Error{Severity: "ERROR", Code: "34000", Message: "portal \"" + m.Portal + "\" does not exist"})
		return
	}
	c.execute(p.statement, p.args, func(r *engine.Result) {
		if r.Err == nil {
			c.result(r, p.formats)
		}
	})
}

// serverError returns an error of the database as the server reports it.
func serverError(err error) *engine.Error {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e
	}
	return &engine.Error{Severity: "ERROR", Code: "XX000", Message: err.Error()}
}

// decode decodes a message, and sends an error if that has the wrong form.
func (c *connection) decode(m interface{ Decode(body []byte) error }, body []byte) bool {
	err := m.Decode(body)
	if err != nil {
		c.fail(&engine.Error{Severity: "ERROR", Code: "08P01", Message: err.Error()})
	}
	return err == nil
}
