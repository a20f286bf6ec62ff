package main

import (
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
	sqlite3 "modernc.org/sqlite/lib"
)

// version is set by make build, from git describe.
var version string

func versionCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "print the version",
		UsageText: "progmon version --json",
		Action: func(*cli.Context) error {
			v := struct {
				Progmon string `json:"progmon"`
				Go      string `json:"go"`
				SQLite  string `json:"sqlite"`
				System  string `json:"system"`
			}{progmonVersion(), runtime.Version(), sqlite3.SQLITE_VERSION, runtime.GOOS + "/" + runtime.GOARCH}
			if e.json {
				return e.printJSON(v)
			}
			e.printf("progmon %s\n%s %s\nsqlite %s\n", v.Progmon, v.Go, v.System, v.SQLite)
			return nil
		},
	}
}

// progmonVersion falls back on what the Go tool knows of the build.
func progmonVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
