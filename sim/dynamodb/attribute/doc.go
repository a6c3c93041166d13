// Package attribute defines the values of items in DynamoDB.
//
// A [Value] is a string, a number, binary data, a boolean, null, a list or a map (value.go). An [Item]
// maps the names of attributes to values. Both have the JSON form of the protocol (json.go).
//
// A number is decimal, with up to 38 digits (number.go). Sets are not simulated.
package attribute
