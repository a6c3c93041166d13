package lua

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Lua 5.1 writes a number with 14 digits, so a time in microseconds changes when a script
// concatenates it to a string. gopher-lua would write all digits. Therefore tostring and tonumber
// are replaced, and each operand of ".." is wrapped in a call, by changing the parsed script.

// loopParts returns Lua's names of the values of a for. Each value is wrapped in a call of the
// global function loopName.
func loopParts() [3]string { return [3]string{"initial value", "limit", "step"} }

func loopName(part string) string { return "\x00" + part }

// loopValue returns the function for a value of a for: it converts a string that contains a number.
func loopValue(part string) lua.LGFunction {
	return func(L *lua.LState) int {
		switch v := L.Get(1).(type) {
		case lua.LNumber:
			return push(L, v)
		case lua.LString:
			if n, ok := luaNumber(trimLua(string(v)), 10); ok {
				return push(L, lua.LNumber(n))
			}
		}
		L.RaiseError("'for' %s must be a number", part)
		return 0
	}
}

// adapter changes parsed scripts so that they behave as in Lua 5.1.
type adapter struct {
	assigns bool // they assign to one of the arguments
}

// adapt changes a parsed script. It returns an error for syntax that Lua 5.1 does not have.
func (a *adapter) adapt(stmts []ast.Stmt) (err error) {
	defer func() {
		if v := recover(); v != nil {
			later, ok := v.(laterLuaError)
			if !ok {
				panic(v)
			}
			err = later
		}
	}()
	a.shortenOperands(stmts)
	return nil
}

// laterLuaError is the error of a script that uses the syntax of a later Lua.
type laterLuaError struct{ what string }

func (e laterLuaError) Error() string { return chunkName + ": '=' expected near '" + e.what + "'" }

// operandName is the name of the global function operand. No script can contain this name.
const operandName = "\x00operand"

// isArgument reports whether an expression is the name of an argument.
func isArgument(expr ast.Expr) bool {
	name, ok := expr.(*ast.IdentExpr)
	return ok && slices.Contains(arguments(), name.Value)
}

// shortenOperands wraps each operand of ".." in the statements in a call of operand.
func (a *adapter) shortenOperands(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		a.shortenStmt(stmt)
	}
}

func (a *adapter) shortenStmt(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		a.assigns = a.assigns || slices.ContainsFunc(s.Lhs, isArgument)
		a.shortenExprs(s.Lhs)
		a.shortenExprs(s.Rhs)
	case *ast.LocalAssignStmt:
		a.shortenExprs(s.Exprs)
	case *ast.FuncCallStmt:
		a.shortenExpr(s.Expr)
	case *ast.DoBlockStmt:
		a.shortenOperands(s.Stmts)
	case *ast.WhileStmt:
		a.shortenExpr(s.Condition)
		a.shortenOperands(s.Stmts)
	case *ast.RepeatStmt:
		a.shortenExpr(s.Condition)
		a.shortenOperands(s.Stmts)
	case *ast.IfStmt:
		a.shortenExpr(s.Condition)
		a.shortenOperands(s.Then)
		a.shortenOperands(s.Else)
	case *ast.GotoStmt:
		panic(laterLuaError{s.Label})
	case *ast.LabelStmt:
		panic(laterLuaError{s.Name})
	case *ast.NumberForStmt:
		a.shortenExprs([]ast.Expr{s.Init, s.Limit, s.Step})
		for i, value := range []*ast.Expr{&s.Init, &s.Limit, &s.Step} {
			switch (*value).(type) {
			case nil, *ast.NumberExpr, *ast.UnaryLenOpExpr:
			default:
				*value = callOf(loopName(loopParts()[i]), *value)
			}
		}
		a.shortenOperands(s.Stmts)
	case *ast.GenericForStmt:
		a.shortenExprs(s.Exprs)
		s.Exprs = padded(s.Exprs)
		a.shortenOperands(s.Stmts)
	case *ast.FuncDefStmt:
		a.assigns = a.assigns || isArgument(s.Name.Func)
		a.shortenExpr(s.Func)
	case *ast.ReturnStmt:
		a.shortenExprs(s.Exprs)
	}
}

func (a *adapter) shortenExprs(exprs []ast.Expr) {
	for _, expr := range exprs {
		a.shortenExpr(expr)
	}
}

func (a *adapter) shortenExpr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.AttrGetExpr:
		a.shortenExpr(e.Object)
		a.shortenExpr(e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			a.shortenExpr(field.Key)
			a.shortenExpr(field.Value)
		}
	case *ast.FuncCallExpr:
		a.shortenExpr(e.Func)
		a.shortenExpr(e.Receiver)
		a.shortenExprs(e.Args)
	case *ast.LogicalOpExpr:
		a.shortenExpr(e.Lhs)
		a.shortenExpr(e.Rhs)
	case *ast.RelationalOpExpr:
		a.shortenExpr(e.Lhs)
		a.shortenExpr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = a.shortened(e.Lhs), a.shortened(e.Rhs)
	case *ast.ArithmeticOpExpr:
		a.shortenExpr(e.Lhs)
		a.shortenExpr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		a.shortenExpr(e.Expr)
	case *ast.UnaryNotOpExpr:
		a.shortenExpr(e.Expr)
	case *ast.UnaryLenOpExpr:
		a.shortenExpr(e.Expr)
	case *ast.FunctionExpr:
		a.shortenOperands(e.Stmts)
	}
}

// shortened returns the operand of a "..", wrapped in a call unless it can only be a string.
func (a *adapter) shortened(expr ast.Expr) ast.Expr {
	a.shortenExpr(expr)
	switch e := expr.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr:
		return expr
	case *ast.AttrGetExpr:
		// KEYS and ARGV contain strings, unless a script assigns to them.
		if name, ok := e.Object.(*ast.IdentExpr); ok && (name.Value == "KEYS" || name.Value == "ARGV") {
			return expr
		}
	}
	return callOf(operandName, expr)
}

// padded returns three values for a for. gopher-lua does not always treat a missing one as nil.
func padded(exprs []ast.Expr) []ast.Expr {
	last := exprs[len(exprs)-1]
	switch last.(type) {
	case *ast.FuncCallExpr, *ast.Comma3Expr:
		return exprs // it may return several values
	}
	for len(exprs) < 3 {
		missing := &ast.NilExpr{}
		missing.SetLine(last.Line())
		missing.SetLastLine(last.LastLine())
		exprs = append(exprs, missing)
	}
	return exprs
}

// callOf returns a call of a global function with the expression.
func callOf(function string, expr ast.Expr) ast.Expr {
	name := &ast.IdentExpr{Value: function}
	call := &ast.FuncCallExpr{Func: name, Args: []ast.Expr{expr}, AdjustRet: true}
	for _, node := range []ast.PositionHolder{name, call} {
		node.SetLine(expr.Line())
		node.SetLastLine(expr.LastLine())
	}
	return call
}
