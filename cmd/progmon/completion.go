package main

import (
	_ "embed"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
)

// The scripts only ever ask the progmon that is on PATH, never a program
// named by what was typed, and hand it the words as they stand: nothing that
// is half typed is expanded, evaluated or run.
var (
	//go:embed completion/progmon.bash
	bashCompletion string
	//go:embed completion/progmon.zsh
	zshCompletion string
	//go:embed completion/progmon.fish
	fishCompletion string
)

func completionCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: "bash|zsh|fish",
		UsageText: "progmon completion bash\n" +
			"source <(progmon completion bash)\n" +
			"progmon completion zsh > ~/.zsh/completions/_progmon\n" +
			"progmon completion fish > ~/.config/fish/completions/progmon.fish",
		Action: func(c *cli.Context) error {
			script, ok := map[string]string{
				"bash": bashCompletion,
				"zsh":  zshCompletion,
				"fish": fishCompletion,
			}[c.Args().First()]
			if !ok {
				return usagef("", "there is no completion for the shell %s, only for bash, zsh and fish", policy.Said(c.Args().First()))
			}
			e.printf("%s\n", strings.TrimSpace(script))
			return nil
		},
	}
}
