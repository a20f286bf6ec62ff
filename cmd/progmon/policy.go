package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/policy"
)

func policyCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "policy",
		Usage: "check or show thresholds",
		UsageText: "progmon policy check policy.toml\n" +
			"progmon policy show --policy policy.toml --family nightly\n" +
			"progmon policy suggest nightly",
		Description: "The thresholds by which runs are judged, a strict TOML file: [family.NAME] over [default] over what is " +
			"built in.",
		Subcommands: []*cli.Command{policyCheckCommand(e), policyShowCommand(e), policySuggestCommand(e)},
	}
}

func policyCheckCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "say everything that is wrong with a policy file",
		ArgsUsage: "[FILE]",
		UsageText: "progmon policy check policy.toml",
		Description: "Unknown keys, bare numbers where a length of time belongs, contradictions and bad TOML are each said " +
			"with their line, and the exit code is 78. Without FILE it is the one of --policy.",
		Action: func(c *cli.Context) error {
			name := firstOf(c.Args().First(), e.policy())
			if name == "" {
				return usagef("", "no policy file is named")
			}
			f, err := policyfile.Load(name)
			if e.json {
				return e.checkedJSON(name, f, err)
			}
			if err != nil {
				return err
			}
			e.printf("%s is right: %s\n", printable(name), tablesOf(f))
			return nil
		},
	}
}

// checkedJSON is the answer of policy check for a machine.
func (e *env) checkedJSON(name string, f *policyfile.File, err error) error {
	type finding struct {
		Line int    `json:"line"`
		Text string `json:"text"`
	}
	answer := struct {
		Path     string    `json:"path"`
		OK       bool      `json:"ok"`
		Families []string  `json:"families"`
		Findings []finding `json:"findings"`
	}{Path: name, OK: err == nil, Families: []string{}, Findings: []finding{}}
	wrong, faulty := errors.AsType[*policyfile.Error](err)
	switch {
	case err != nil && !faulty:
		return err
	case faulty:
		for _, each := range wrong.Findings {
			answer.Findings = append(answer.Findings, finding{each.Line, each.Text})
		}
		err = exitStatus(exitPolicy)
	default:
		answer.Families = f.Families()
	}
	if printed := e.printJSON(answer); printed != nil {
		return printed
	}
	return err
}

// tablesOf names what a policy file is about.
func tablesOf(f *policyfile.File) string {
	parts := []string{"[default]"}
	for _, family := range f.Families() {
		parts = append(parts, "[family."+family+"]")
	}
	for _, sink := range f.Sinks {
		parts = append(parts, "[sink."+sink.Name+"]")
	}
	return strings.Join(parts, ", ")
}

func policyShowCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show the thresholds in force, and where each comes from",
		UsageText: "progmon policy show --policy policy.toml --family nightly",
		Description: "Without --policy it shows what is built in. Without --family it shows [default] and each family with a " +
			"table.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "family", Usage: "only what holds for this `FAMILY`"}},
		Action: func(c *cli.Context) error {
			f := policyfile.Builtin()
			if e.policy() != "" {
				var err error
				if f, err = policyfile.Load(e.policy()); err != nil {
					return err
				}
			}
			families := append([]string{"default"}, f.Families()...)
			if family := c.String("family"); family != "" {
				if err := checkFamily(family); err != nil {
					return err
				}
				families = []string{family}
			}
			if e.json {
				return e.policyJSON(f, families)
			}
			for i, family := range families {
				if i > 0 {
					e.printf("\n")
				}
				e.printPolicy(f, family)
			}
			return nil
		},
	}
}

func (e *env) policyJSON(f *policyfile.File, families []string) error {
	type table struct {
		Family string            `json:"family"`
		From   string            `json:"from"`
		Policy json.RawMessage   `json:"policy"`
		Origin map[string]string `json:"origin"`
	}
	answer := struct {
		Path     string  `json:"path"`
		Families []table `json:"families"`
	}{Path: f.Path}
	for _, family := range families {
		p := f.For(family)
		t := table{Family: family, From: p.From, Policy: p.AppendRecord(nil), Origin: map[string]string{}}
		for _, key := range policy.Keys() {
			t.Origin[key] = f.Origin(family, key)
		}
		answer.Families = append(answer.Families, t)
	}
	return e.printJSON(answer)
}

func (e *env) printPolicy(f *policyfile.File, family string) {
	p := f.For(family)
	e.printf("family %s\n", family)
	for _, key := range policy.Keys() {
		e.printf("  %-20s %-8s  %s\n", key, p.Show(key), f.Origin(family, key))
	}
}
