// Package lua runs the scripts of a Redis server on gopher-lua, so that they behave as on the
// Lua 5.1 of Redis. It knows neither the data nor the commands of the server: a script calls commands
// through a function.
//
// # A tour
//
//   - A [Cache] compiles scripts and keeps the Lua states of closed servers, to use them again
//     (cache.go). Before it compiles a script, it changes the parsed script where gopher-lua
//     differs from Lua 5.1 (syntax.go).
//   - A [State] runs the scripts of one server, with a limit of steps (state.go). Its scripts have
//     the globals of Redis, and cannot change them (sandbox.go).
//   - Scripts have the libraries redis (redis.go), cjson (cjson.go) and bit (bit.go), and those of
//     Lua, with conversions of arguments (library.go), the string.format of C (format.go) and random
//     numbers that are the same on every machine (random.go).
//   - Replies become Lua values, and the result of a script becomes a reply (reply.go). Numbers are
//     parsed and written as in C (number.go).
//
// # What is not simulated
//
//   - struct, cmsgpack, load, loadstring, coroutines, the garbage collector and RESP3, which end the
//     run;
//   - the wording of errors of Lua itself and of cjson;
//   - the order of the keys of a JSON object, which are sorted here; JSON texts that are not UTF-8,
//     and numbers that JSON does not allow;
//   - a variable named goto; the length of a table with a hole beyond its end; __len; the remainder
//     of a division by infinity; the sign of NaN; a %f in a pattern that is searched for beyond the
//     beginning of a text.
package lua
