// Package migrations holds the schema of the trail as numbered goose files. A
// released file is never edited; the schema is API.
package migrations

import "embed"

// ApplicationID marks a database file as a trail of progmon: "prgm" in ASCII,
// as PRAGMA application_id gives it.
const ApplicationID = 1886545773

// Version is the newest schema, as PRAGMA user_version gives it.
const Version = 2

// FS holds the numbered .sql files.
//
//go:embed *.sql
var FS embed.FS
