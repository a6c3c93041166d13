// Package engine is a PostgreSQL database.
package engine
