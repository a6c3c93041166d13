// Package resp defines the values that a client and a server of Redis exchange, and their encoding. It
// knows neither of them.
//
//   - A request is a [Command] or a [Pipeline] (request.go).
//   - An answer is a [Reply]. [Reply.AppendRESP] encodes it in RESP2, and [ParseRESP] decodes it
//     (reply.go).
//   - [Version] is the version of Redis that all of the simulation follows (version.go).
package resp
