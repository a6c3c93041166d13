package engine

import "lockquake/sim/postgres/sql"

// Type is a type of SQL: its number (OID) in PostgreSQL.
type Type uint32

// The types that are simulated. In Go, values of them are bool, int64 (integers), string, [Bytes], float64, time.Time in
// UTC, time.Duration and [Void]; numeric is float64, or int64 from a sum. Null is nil.
const (
	Bool        Type = 16
	Bytea       Type = 17
	Int8        Type = 20
	Int2        Type = 21
	Int4        Type = 23
	Text        Type = 25
	Float8      Type = 701
	Unknown     Type = 705 // a text or parameter whose type depends on where it is
	Varchar     Type = 1043
	Timestamptz Type = 1184
	Interval    Type = 1186
	Numeric     Type = 1700
	VoidType    Type = 2278
)

// Void is the value of a function without a result.
type Void struct{}

// Bytes is a value of the type bytea.
type Bytes string

// typeOf returns the type of a name, and whether it is a serial.
func typeOf(name string) (t Type, serial bool, err error) {
	switch name {
	case "bool", "boolean":
		return Bool, false, nil
	case "int", "integer", "int4":
		return Int4, false, nil
	case "bigint", "int8":
		return Int8, false, nil
	case "smallint", "int2":
		return Int2, false, nil
	case "serial", "serial4":
		return Int4, true, nil
	case "bigserial", "serial8":
		return Int8, true, nil
	case "text":
		return Text, false, nil
	case "varchar", "character varying":
		return Varchar, false, nil
	case "bytea":
		return Bytea, false, nil
	case "float8", "double precision", "float":
		return Float8, false, nil
	case "timestamptz", "timestamp with time zone":
		return Timestamptz, false, nil
	case "interval":
		return Interval, false, nil
	case "numeric", "decimal":
		return Numeric, false, nil
	case "void":
		return VoidType, false, nil
	case "timestamp", "timestamp without time zone", "date", "time", "uuid", "json", "jsonb", "real", "float4", "name", "char", "oid", "regclass", "xid":
		return 0, false, sql.Unsupported("type " + name)
	}
	return 0, false, sql.Errorf("42704", "type \"%s\" does not exist", name)
}

// String returns the name of the type as it is in messages.
func (t Type) String() string {
	switch t {
	case Bool:
		return "boolean"
	case Bytea:
		return "bytea"
	case Int8:
		return "bigint"
	case Int2:
		return "smallint"
	case Int4:
		return "integer"
	case Text:
		return "text"
	case Float8:
		return "double precision"
	case Varchar:
		return "character varying"
	case Timestamptz:
		return "timestamp with time zone"
	case Interval:
		return "interval"
	case Numeric:
		return "numeric"
	case VoidType:
		return "void"
	default:
		return "unknown"
	}
}

// short returns the name of the type as a column of a result has it.
func (t Type) short() string {
	switch t {
	case Bool:
		return "bool"
	case Int8:
		return "int8"
	case Int2:
		return "int2"
	case Int4:
		return "int4"
	case Float8:
		return "float8"
	case Varchar:
		return "varchar"
	case Timestamptz:
		return "timestamptz"
	default:
		return t.String()
	}
}

func (t Type) integer() bool { return t == Int2 || t == Int4 || t == Int8 }

func (t Type) number() bool { return t.integer() || t == Float8 || t == Numeric }

func (t Type) text() bool { return t == Text || t == Varchar }

// rank orders the types of numbers: an operation on two has the type of the higher.
func (t Type) rank() int {
	switch t {
	case Int2:
		return 1
	case Int4:
		return 2
	case Int8:
		return 3
	case Numeric:
		return 4
	default:
		return 5
	}
}

// together returns the type that values of two types have together, and whether there is one.
func together(a, b Type) (Type, bool) {
	switch {
	case a == b || b == Unknown:
		return a, true
	case a == Unknown:
		return b, true
	case a.number() && b.number():
		if a.rank() > b.rank() {
			return a, true
		}
		return b, true
	case a.text() && b.text():
		return Text, true
	}
	return 0, false
}
