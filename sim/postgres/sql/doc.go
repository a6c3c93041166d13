// Package sql parses the SQL that locks, queues and the work under them use.
//
// [Parse] returns the statements of a text as syntax trees. A statement that only PostgreSQL has is refused with
// SQLSTATE 0A000 and its name. A syntax error is refused with SQLSTATE 42601 and the words of PostgreSQL.
//
// # A tour
//
//   - lexer.go cuts a text into tokens, ast.go has the trees.
//   - statement.go recognises a statement by its first words; session.go parses transactions and settings, query.go
//     SELECT, write.go INSERT, UPDATE and DELETE, table.go CREATE and DROP, sequence.go sequences.
//   - expression.go parses expressions with operators, primary.go their operands, special.go those with words, such as
//     EXTRACT.
//
// # What is parsed
//
//   - SELECT with one table at most, WHERE, ORDER BY, LIMIT, FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE and
//     FOR KEY SHARE with NOWAIT or SKIP LOCKED; subselects as values, in IN and in EXISTS; the views information_schema.tables and pg_tables;
//   - INSERT of values or of a SELECT, with ON CONFLICT and RETURNING; UPDATE and DELETE, with RETURNING and with a second table in FROM
//     or USING; WITH before all of them, of SELECT only;
//   - CREATE SEQUENCE, ALTER SEQUENCE RESTART, DROP SEQUENCE;
//   - CREATE TABLE, DROP TABLE, TRUNCATE, CREATE INDEX with CONCURRENTLY, DROP INDEX, LOCK TABLE;
//   - BEGIN, START TRANSACTION, COMMIT, END, ROLLBACK, ABORT; SET, SHOW, RESET, DISCARD ALL;
//   - expressions with casts, parameters, CASE, IN, BETWEEN, IS NULL, IS DISTINCT FROM, EXTRACT and
//     calls of functions.
//
// # What is refused
//
// Joins, several tables in a SELECT, GROUP BY, HAVING, DISTINCT, UNION, OFFSET, windows, arrays, LIKE, savepoints, two-phase commit,
// cursors, prepared statements of SQL, COPY, LISTEN, NOTIFY, ALTER TABLE and DO are refused by name.
package sql
