package store

import (
	"embed"
	"strings"
)

//go:embed queries/*.sql
var queries embed.FS

// query is the text of queries/NAME.sql. A program without it is broken.
func query(name string) string {
	b, err := queries.ReadFile("queries/" + name + ".sql")
	if err != nil {
		panic("store: " + err.Error())
	}
	return strings.TrimSpace(string(b))
}
