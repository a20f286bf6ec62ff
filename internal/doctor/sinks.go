package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/sink"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// policy reads the policy file, and finds what is right by its rules and wrong
// all the same.
func (v *Visit) policy() {
	if v.Policy == "" {
		v.add("policy", Note, "no policy file is named: the built-in thresholds hold, and signals are delivered to nobody", "--policy FILE or PROGMON_POLICY")
		return
	}
	f, err := policyfile.Load(v.Policy)
	if err != nil {
		if faults, ok := errors.AsType[*policyfile.Error](err); ok {
			for _, fault := range faults.Unwrap() {
				v.add("policy", Bad, fault.Error(), "mend the line; progmon policy check says whether all is right")
			}
			return
		}
		v.add("policy", Bad, err.Error(), "")
		return
	}
	v.file = f
	before := len(v.findings)
	for _, family := range append([]string{""}, f.Families()...) {
		p, table := f.For(family), "[default]"
		if family != "" {
			table = "[family." + family + "]"
		}
		if every := f.Monitor.Interval; every > p.IdleWindow/2 {
			v.add("policy", Warn, fmt.Sprintf("%s: idle_window is %s and the monitor looks every %s: it would be seen late or not at all", table, policy.FormatDuration(p.IdleWindow), policy.FormatDuration(every)),
				"an interval in [monitor] of a fifth of the shortest idle_window, or a longer idle_window")
		}
		if p.MaxRuntime > 0 && p.MaxRuntime <= p.StallAfter {
			v.add("policy", Warn, fmt.Sprintf("%s: max_runtime (%s) ends before stall_after (%s): no run lives to be called stalled", table, policy.FormatDuration(p.MaxRuntime), policy.FormatDuration(p.StallAfter)),
				"a longer max_runtime, or a shorter stall_after")
		}
		if p.HoldCap < p.IdleWindow {
			v.add("policy", Warn, fmt.Sprintf("%s: hold_cap (%s) is shorter than idle_window (%s): a hold protects nobody", table, policy.FormatDuration(p.HoldCap), policy.FormatDuration(p.IdleWindow)), "a longer hold_cap")
		}
	}
	if len(v.findings) == before {
		v.add("policy", Fine, v.Policy, "")
	}
	if info, err := os.Stat(v.Policy); err == nil && info.Mode().Perm()&0o044 != 0 &&
		slices.ContainsFunc(f.Sinks, func(s policyfile.Sink) bool { return s.Secret != "" }) {
		v.add("policy", Warn, "there is a secret in it, and others may read it", "chmod go-r "+v.Policy+", or secret_file")
	}
}

// outbox says what did not reach anybody.
func (v *Visit) outbox(ctx context.Context, r *store.Reader) {
	if r == nil {
		return
	}
	rows, err := r.Outbox(ctx, store.OutboxFilter{Limit: 1 << 20})
	if err != nil {
		v.add("outbox", Bad, err.Error(), "")
		return
	}
	dead, waiting, unserved := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, d := range rows {
		switch d.State {
		case store.DeliveryDead:
			dead[d.Sink]++
		case store.DeliveryWaiting:
			waiting[d.Sink]++
			unserved[d.Sink] = v.file == nil || !slices.ContainsFunc(v.file.Sinks, func(s policyfile.Sink) bool { return s.Name == d.Sink })
		}
	}
	for name, n := range dead {
		v.add("outbox", Warn, fmt.Sprintf("%d signals for sink %s were given up", n, name), "progmon sinks outbox list says why; retry --dead sends them again, drop --dead forgets them")
	}
	for name, n := range waiting {
		if unserved[name] {
			v.add("outbox", Warn, fmt.Sprintf("%d signals wait for sink %s, which the policy file named here does not have", n, name), "start the watch that serves it, or progmon sinks outbox drop")
			continue
		}
		v.add("outbox", Note, fmt.Sprintf("%d signals wait for sink %s", n, name), "progmon sinks outbox list says why")
	}
}

// sinks says whether the sinks can be reached. Nothing is sent to them.
func (v *Visit) sinks(ctx context.Context) {
	if v.file == nil {
		return
	}
	blind := false
	for _, s := range v.file.Sinks {
		blind = blind || (len(s.Kinds) == 0 || slices.Contains(s.Kinds, sink.KindBlind)) && (len(s.States) == 0 || slices.Contains(s.States, string(policy.Blind)))
		name := "sink " + s.Name
		if err := v.reach(ctx, s); err != nil {
			v.add(name, Bad, err.Error(), "mend it, and try it: progmon sinks test "+s.Name)
			continue
		}
		v.add(name, Fine, s.Type+" can be reached", "")
	}
	switch {
	case len(v.file.Sinks) == 0:
		v.add("sinks", Note, "there are none: signals are in the log and reach nobody", "tables [sink.NAME] in "+v.Policy)
	case !blind:
		v.add("sinks", Warn, "none is told when the monitor is blind", `"blind" and "sighted" among the kinds of one of them`)
	}
	if address := v.file.Monitor.HeartbeatURL; address != "" {
		if err := v.dial(ctx, address); err != nil {
			v.add("heartbeat", Bad, err.Error(), "mend heartbeat_url in [monitor]")
		} else {
			v.add("heartbeat", Fine, "heartbeat_url can be reached", "")
		}
	}
}

// reach says why a sink cannot be reached.
func (v *Visit) reach(ctx context.Context, s policyfile.Sink) error {
	sender, err := sink.NewSender(s, "doctor", v.Path)
	if err != nil {
		return err
	}
	defer sender.Close()
	if s.SecretFile != "" {
		if _, err := os.ReadFile(s.SecretFile); err != nil {
			return fmt.Errorf("secret_file: %w", err)
		}
	}
	switch s.Type {
	case "jsonl":
		if info, err := os.Stat(s.Path); err == nil {
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s is not a regular file", s.Path)
			}
			if !writable(s.Path) {
				return fmt.Errorf("this user may not write to %s", s.Path)
			}
			return nil
		}
		dir := filepath.Dir(s.Path)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no directory %s", dir)
		}
		if !writable(dir) {
			return fmt.Errorf("this user may not make files in %s", dir)
		}
		return nil
	case "exec":
		_, err := exec.LookPath(s.Argv[0])
		return err
	}
	return v.dial(ctx, s.URL)
}

// dial connects to the host of an address, and hangs up.
func (v *Visit) dial(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it is no address")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ctx, cancel := context.WithTimeout(ctx, v.Patience)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return c.Close()
}
