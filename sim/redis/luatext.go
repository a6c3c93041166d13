package redis

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Lua 5.1 writes a number with 14 digits, and so turns a time in microseconds
// that is put into a string into another time. The Lua machine here would write
// all digits. So the words tostring and tonumber are our own, and so is what
// stands beside the operator "..", by a change of the parsed script.

// shortNumber writes a number as Lua 5.1 does.
func shortNumber(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "-nan"
	}
	const digits = 14
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// toString is tostring.
func toString(L *lua.LState) int {
	v := L.CheckAny(1)
	if n, ok := v.(lua.LNumber); ok {
		L.Push(lua.LString(shortNumber(float64(n))))
	} else {
		L.Push(L.ToStringMeta(v))
	}
	return 1
}

// operand is what happens to an operand of "..".
func operand(L *lua.LState) int {
	if n, ok := L.Get(1).(lua.LNumber); ok {
		L.Push(lua.LString(shortNumber(float64(n))))
	}
	return 1
}

// toNumber is tonumber.
func toNumber(L *lua.LState) int {
	v := L.CheckAny(1)
	base := L.OptInt(2, 10)
	if base < 2 || base > 36 {
		L.ArgError(2, "base out of range")
	}
	text, isText := v.(lua.LString)
	if n, ok := v.(lua.LNumber); ok && base == 10 {
		L.Push(n)
		return 1
	}
	if !isText && base == 10 {
		L.Push(lua.LNil)
		return 1
	}
	f, ok := luaNumber(strings.Trim(lua.LVAsString(v), " \t\n\v\f\r"), base)
	if ok && (isText || base != 10) && text != "" {
		L.Push(lua.LNumber(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

func luaNumber(text string, base int) (float64, bool) {
	digits, hexadecimal := strings.CutPrefix(strings.ToLower(text), "0x")
	if hexadecimal && (base == 10 || base == 16) {
		text, base = digits, 16
	}
	if base != 10 {
		n, err := strconv.ParseUint(text, base, 64)
		return float64(n), err == nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !strings.Contains(text, "_")
}

// operandName is the global function that operand is to a script. No script can
// write this name.
const operandName = "\x00operand"

// shortenOperands puts a call of operand around everything that stands beside
// a ".." in the statements.
func shortenOperands(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		shortenStmt(stmt)
	}
}

func shortenStmt(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		shortenExprs(s.Lhs)
		shortenExprs(s.Rhs)
	case *ast.LocalAssignStmt:
		shortenExprs(s.Exprs)
	case *ast.FuncCallStmt:
		shortenExpr(s.Expr)
	case *ast.DoBlockStmt:
		shortenOperands(s.Stmts)
	case *ast.WhileStmt:
		shortenExpr(s.Condition)
		shortenOperands(s.Stmts)
	case *ast.RepeatStmt:
		shortenExpr(s.Condition)
		shortenOperands(s.Stmts)
	case *ast.IfStmt:
		shortenExpr(s.Condition)
		shortenOperands(s.Then)
		shortenOperands(s.Else)
	case *ast.NumberForStmt:
		shortenExprs([]ast.Expr{s.Init, s.Limit, s.Step})
		shortenOperands(s.Stmts)
	case *ast.GenericForStmt:
		shortenExprs(s.Exprs)
		shortenOperands(s.Stmts)
	case *ast.FuncDefStmt:
		shortenExpr(s.Func)
	case *ast.ReturnStmt:
		shortenExprs(s.Exprs)
	}
}

func shortenExprs(exprs []ast.Expr) {
	for _, expr := range exprs {
		shortenExpr(expr)
	}
}

func shortenExpr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.AttrGetExpr:
		shortenExpr(e.Object)
		shortenExpr(e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			shortenExpr(field.Key)
			shortenExpr(field.Value)
		}
	case *ast.FuncCallExpr:
		shortenExpr(e.Func)
		shortenExpr(e.Receiver)
		shortenExprs(e.Args)
	case *ast.LogicalOpExpr:
		shortenExpr(e.Lhs)
		shortenExpr(e.Rhs)
	case *ast.RelationalOpExpr:
		shortenExpr(e.Lhs)
		shortenExpr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = shortened(e.Lhs), shortened(e.Rhs)
	case *ast.ArithmeticOpExpr:
		shortenExpr(e.Lhs)
		shortenExpr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		shortenExpr(e.Expr)
	case *ast.UnaryNotOpExpr:
		shortenExpr(e.Expr)
	case *ast.UnaryLenOpExpr:
		shortenExpr(e.Expr)
	case *ast.FunctionExpr:
		shortenOperands(e.Stmts)
	}
}

// shortened returns the operand of a "..", with a call around it unless it can
// only be a string.
func shortened(expr ast.Expr) ast.Expr {
	shortenExpr(expr)
	switch e := expr.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr:
		return expr
	case *ast.AttrGetExpr:
		// KEYS and ARGV hold strings, unless a script assigns to them.
		if name, ok := e.Object.(*ast.IdentExpr); ok && (name.Value == "KEYS" || name.Value == "ARGV") {
			return expr
		}
	}
	name := &ast.IdentExpr{Value: operandName}
	call := &ast.FuncCallExpr{Func: name, Args: []ast.Expr{expr}, AdjustRet: true}
	for _, node := range []ast.PositionHolder{name, call} {
		node.SetLine(expr.Line())
		node.SetLastLine(expr.LastLine())
	}
	return call
}
