package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"lockquake/sim/postgres/engine"
)

// oid returns the number of a type in the protocol. A parameter of unknown type is a text.
func oid(t engine.Type) uint32 {
	if t == engine.Unknown {
		return pgtype.TextOID
	}
	return uint32(t)
}

func oids(types []engine.Type) []uint32 {
	list := make([]uint32, len(types))
	for i, t := range types {
		list[i] = oid(t)
	}
	return list
}

// format returns the format of a column: 0 for text, 1 for binary. One format can stand for all.
func format(formats []int16, column int) int16 {
	switch len(formats) {
	case 0:
		return pgtype.TextFormatCode
	case 1:
		return formats[0]
	}
	return formats[column]
}

// description describes the columns of a result.
func (s *Server) description(columns []engine.Column, formats []int16) *pgproto3.RowDescription {
	d := &pgproto3.RowDescription{Fields: make([]pgproto3.FieldDescription, len(columns))}
	for i, c := range columns {
		d.Fields[i] = pgproto3.FieldDescription{
			Name: []byte(c.Name), DataTypeOID: oid(c.Type), DataTypeSize: -1, TypeModifier: -1, Format: format(formats, i),
		}
	}
	return d
}

// row encodes the values of a row.
func (s *Server) row(columns []engine.Column, values []any, formats []int16) *pgproto3.DataRow {
	r := &pgproto3.DataRow{Values: make([][]byte, len(values))}
	for i, v := range values {
		r.Values[i] = s.encode(columns[i].Type, v, format(formats, i))
	}
	return r
}

// encode encodes a value; nil for NULL.
func (s *Server) encode(t engine.Type, v any, format int16) []byte {
	switch value := v.(type) {
	case nil:
		return nil
	case engine.Void:
		return []byte{}
	case string:
		return []byte(value)
	case engine.Bytes:
		v = []byte(value)
	case time.Duration:
		v = pgtype.Interval{Microseconds: value.Microseconds(), Valid: true}
	}
	b, err := s.types.Encode(oid(t), format, v, make([]byte, 0, 8))
	if err != nil {
		panic(err) // the engine answers only values of its types
	}
	return b
}

// arguments decodes the arguments of a statement.
func (s *Server) arguments(st *engine.Statement, m *pgproto3.Bind) ([]any, *engine.Error) {
	if len(m.Parameters) != len(st.Params) {
		return nil, &engine.Error{Severity: "ERROR", Code: "08P01", Message: "bind message supplies another number of parameters than the prepared statement requires"}
	}
	args := make([]any, len(m.Parameters))
	for i, b := range m.Parameters {
		if b == nil {
			continue
		}
		f := format(m.ParameterFormatCodes, i)
		t, ok := s.types.TypeForOID(oid(st.Params[i]))
		if !ok {
			return nil, &engine.Error{Severity: "ERROR", Code: "42804", Message: "a parameter of an unknown type"}
		}
		v, err := t.Codec.DecodeValue(s.types, t.OID, f, b)
		if err != nil {
			return nil, &engine.Error{Severity: "ERROR", Code: "22P02", Message: err.Error()}
		}
		switch value := v.(type) {
		case int32:
			v = int64(value)
		case int16:
			v = int64(value)
		case []byte:
			v = engine.Bytes(value)
		case pgtype.Interval:
			v = time.Duration(value.Microseconds)*time.Microsecond + time.Duration(value.Days)*24*time.Hour
		}
		args[i] = v
	}
	return args, nil
}
