package sql

// Query is one statement of a text.
type Query struct {
	Text string
	// With has the tables of WITH.
	With []CommonTable
	// Statement is a *Select, *Insert, *Update, *Delete, *CreateTable, *CreateIndex, *RestartSequence, *Drop, *Truncate, *Lock,
	// *Transaction, *Set, *Show or *Discard.
	Statement any
}

// Expr is an expression: a *Literal, *Param, *Column, *Unary, *Binary, *Call, *Cast, *Subselect, *In, *Is, *Case
// or *Default.
type Expr any

type (
	// Literal is a constant: nil, bool, int64, float64, or a string that has no type yet.
	Literal struct{ Value any }
	// Param is $1 and so on.
	Param struct{ Number int }
	// Column is a column, of the named table if Table is not empty. Name "*" stands for all columns.
	Column struct{ Table, Name string }
	// Unary is -x or NOT x.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary is an operator between two expressions; AND and OR are in lower case.
	Binary struct {
		Op   string
		L, R Expr
	}
	// Call is a call of a function. Star is count(*).
	Call struct {
		Name string
		Args []Expr
		Star bool
	}
	// Cast is x::type.
	Cast struct {
		X    Expr
		Type string
	}
	// Subselect is a SELECT as a value, or EXISTS of it.
	Subselect struct {
		Select *Select
		Exists bool
	}
	// In is x IN (...), of a list or of a SELECT.
	In struct {
		X      Expr
		List   []Expr
		Select *Select
		Not    bool
	}
	// Is is x IS NULL, TRUE or FALSE, or x IS DISTINCT FROM y.
	Is struct {
		X, From Expr // From: of IS DISTINCT FROM
		What    string
		Not     bool
	}
	// Case is CASE. Of is nil if each condition is a truth value.
	Case struct {
		Of         Expr
		When, Then []Expr
		Else       Expr
	}
	// Default is the word DEFAULT in place of a value.
	Default struct{}
)

// Table is a table in a statement. Alias is its name there.
type Table struct{ Name, Alias string }

// Target is an expression of a list of results. Name is empty unless AS gives one.
type Target struct {
	Expr Expr
	Name string
}

// Order is one expression of ORDER BY. NullsFirst follows Descending unless the text says otherwise.
type Order struct {
	Expr                   Expr
	Descending, NullsFirst bool
}

// Locking is FOR UPDATE and its kin. Strength is "key share", "share", "no key update" or "update"; Policy is "", "nowait" or
// "skip locked".
type Locking struct {
	Strength, Policy string
	Named            bool // the clause names the table
}

// Select is a SELECT. A field that is nil is absent.
type Select struct {
	Targets []Target
	From    *Table
	Where   Expr
	OrderBy []Order
	Limit   Expr
	Locking *Locking
}

// Assignment is column = expression.
type Assignment struct {
	Column string
	Value  Expr
}

// Conflict is ON CONFLICT. Set is nil for DO NOTHING.
type Conflict struct {
	Columns []string
	Set     []Assignment
	Where   Expr
}

// Insert is an INSERT of Rows or of the result of Select; neither means DEFAULT VALUES.
type Insert struct {
	Table      Table
	Columns    []string
	Rows       [][]Expr
	Select     *Select
	OnConflict *Conflict
	Returning  []Target
}

// CommonTable is a table of WITH.
type CommonTable struct {
	Name   string
	Select *Select
}

// Update is an UPDATE. From is nil unless it uses a second table.
type Update struct {
	Table     Table
	Set       []Assignment
	From      *Table
	Where     Expr
	Returning []Target
}

// Delete is a DELETE. Using is nil unless it uses a second table.
type Delete struct {
	Table     Table
	Using     *Table
	Where     Expr
	Returning []Target
}

// ColumnDef is a column of CREATE TABLE.
type ColumnDef struct {
	Name, Type string
	NotNull    bool
	Default    Expr
}

// Check is a CHECK constraint.
type Check struct {
	Name string
	Expr Expr
}

// Unique is a unique key; Primary is that of the rows.
type Unique struct {
	Name    string
	Columns []string
	Primary bool
}

// CreateTable is CREATE TABLE, or CREATE SEQUENCE if Sequence is not nil.
type CreateTable struct {
	Name        string
	IfNotExists bool
	Columns     []ColumnDef
	Uniques     []Unique
	Checks      []Check
	Sequence    *Sequence
}

// Sequence is a sequence whose first value is Start. It is dropped with the column Owner, if it has one.
type Sequence struct {
	Start int64
	Owner *Column
}

// RestartSequence is ALTER SEQUENCE ... RESTART. With 0 it restarts with the first value of the sequence.
type RestartSequence struct {
	Name     string
	IfExists bool
	With     int64
}

// CreateIndex is CREATE INDEX of an index that is not unique.
type CreateIndex struct {
	Name, Table               string
	Columns                   []string
	Concurrently, IfNotExists bool
}

// Drop is DROP TABLE or, with Index, DROP INDEX or, with Sequence, DROP SEQUENCE.
type Drop struct {
	Names                     []string
	IfExists, Index, Sequence bool
}

// Truncate is TRUNCATE.
type Truncate struct{ Tables []string }

// Lock is LOCK TABLE. Mode is in lower case, such as "access exclusive".
type Lock struct {
	Tables []string
	Mode   string
	NoWait bool
}

// Transaction is BEGIN, COMMIT, ROLLBACK or SET TRANSACTION: Verb is "begin", "commit", "rollback" or "set". Word is START for START TRANSACTION.
// Isolation is empty or a level in lower case.
type Transaction struct {
	Verb, Word, Isolation string
	ReadOnly              bool
}

// Set is SET or, with Word, RESET. Reset returns the setting to its default. Name "all" is RESET ALL.
type Set struct {
	Word, Name, Value string
	Local, Reset      bool
}

// Show is SHOW.
type Show struct{ Name string }

// Discard is DISCARD ALL.
type Discard struct{}
