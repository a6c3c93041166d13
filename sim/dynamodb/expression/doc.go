// Package expression parses and evaluates the expressions of DynamoDB's requests.
//
// [ParseCondition], [ParseUpdate] and [ParseProjection] read an expression (lexer.go, condition.go,
// update.go), and replace its placeholders by names and values ([Placeholders], placeholders.go). A
// [Condition] holds for an item or does not (holds.go). An [Update] changes an item (apply.go). A [Path]
// leads to a value inside an item (path.go).
// check.go finds operands that the server refuses.
//
// An [Error] has the text of the server. Only the text of a syntax error, after the words "Syntax error;",
// can differ from it.
package expression
