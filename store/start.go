package store

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
)

// maxLaidOut is the largest total whose rows are laid out at the start.
const maxLaidOut = 1_000_000

// layAtOnce is how many rows are laid out in one transaction: while it lasts
// nobody else writes.
const layAtOnce = 20_000

// Declared is a run as it is declared at its start.
type Declared struct {
	Run     string       // its id; made from the family when empty
	Family  string       // the kind of work, "default" when empty
	Total   cursor.Total // the number of steps; what len(Steps) says when it is not known
	Process bool         // the run has a process: it ends by an exit record
	Steps   []string     // names of the first steps, in order; may be empty
	Policy  []byte       // thresholds in force as JSON, or nil
}

// Start opens a run in epoch 1 and lays out its steps as pending rows, so that
// they can be claimed and counted. It returns ErrExists when the id is used,
// and ErrRefused for an id or a total that the trail does not take: at most
// 1,000,000 rows are laid out. Above 20,000 rows the run is there before its
// last rows are: a crash in between leaves a run whose later rows are made as
// they are met.
func (s *Store) Start(ctx context.Context, d Declared) (*Run, error) {
	if d.Family == "" {
		d.Family = "default"
	}
	if d.Run == "" {
		d.Run = NewRunID(d.Family)
	}
	total := d.Total
	switch named := int64(len(d.Steps)); {
	case !total.Known && named > 0:
		total.N, total.Known = named, true
	case total.Known && named > total.N:
		return nil, fmt.Errorf("start run %q: %w", d.Run, &refusal{ErrRefused,
			fmt.Sprintf("%d steps are named and the total is %d", named, total.N)})
	}
	if err := bounded(total); err != nil {
		return nil, fmt.Errorf("start run %q: %w", d.Run, err)
	}
	r := s.Run(d.Run, 1)
	n := value(nil)
	if total.Known {
		n = total.N
	}
	err := s.write(ctx, func(t *tx) error {
		return t.atomic(func() error {
			if d.Policy != nil {
				if _, err := t.exec("keep_policy", arg{"policy", string(d.Policy)}); err != nil {
					return err
				}
			}
			if _, err := t.exec("start_run", arg{"run_id", d.Run}, arg{"family", d.Family}, arg{"total", n},
				arg{"open", flag(total.Open)}, arg{"process", flag(d.Process)}, arg{"policy", orNull(string(d.Policy))}); err != nil {
				return err
			}
			for i, name := range d.Steps {
				if _, err := t.exec("lay_out_named", arg{"run_id", d.Run}, arg{"pos", int64(i + 1)},
					arg{"name", orNull(name)}, arg{"epoch", r.epoch}); err != nil {
					return fmt.Errorf("step %d, %q: %w", i+1, name, err)
				}
			}
			return r.layOut(t, int64(len(d.Steps))+1, min(total.N, int64(len(d.Steps))+layAtOnce))
		})
	})
	if err != nil {
		return nil, fmt.Errorf("start run %q: %w", d.Run, err)
	}
	if err := r.layOutRest(ctx, int64(len(d.Steps))+layAtOnce+1, total.N); err != nil {
		return nil, fmt.Errorf("lay out run %q: %w", d.Run, err)
	}
	return r, nil
}

// bounded refuses a total with more rows than are laid out.
func bounded(total cursor.Total) error {
	if total.Known && total.N > maxLaidOut {
		return &refusal{ErrRefused, fmt.Sprintf(
			"at most %d steps are laid out, and not %d: leave the total open and let it grow, or give no total", maxLaidOut, total.N)}
	}
	return nil
}

// layOut makes the pending rows from first to last that are not there.
func (r *Run) layOut(t *tx, first, last int64) error {
	if first > last {
		return nil
	}
	_, err := t.exec("lay_out", arg{"run_id", r.id}, arg{"epoch", r.epoch}, arg{"first_pos", first}, arg{"last_pos", last})
	return err
}

// layOutRest is layOut in as many transactions as it takes.
func (r *Run) layOutRest(ctx context.Context, first, last int64) error {
	for ; first <= last; first += layAtOnce {
		if err := r.s.write(ctx, func(t *tx) error {
			return r.layOut(t, first, min(last, first+layAtOnce-1))
		}); err != nil {
			return err
		}
	}
	return nil
}

// SetTotal declares or changes the number of steps. A raised total has its new
// rows laid out. It returns ErrRefused for a total below the position.
func (r *Run) SetTotal(ctx context.Context, total cursor.Total) (Ack, error) {
	return r.setTotal(ctx, total, flag(total.Open))
}

// Resize is SetTotal for a known number of steps that says nothing of whether
// the total is open: what is open stays open.
func (r *Run) Resize(ctx context.Context, n int64) (Ack, error) {
	return r.setTotal(ctx, cursor.Total{N: n, Known: true}, nil)
}

func (r *Run) setTotal(ctx context.Context, total cursor.Total, open value) (Ack, error) {
	if err := bounded(total); err != nil {
		return Ack{}, fmt.Errorf("set the total of run %q: %w", r.id, err)
	}
	n := value(nil)
	if total.Known {
		n = total.N
	}
	got := new(Ack)
	last := int64(0)
	err := r.act(ctx, "set the total of", nil, func(t *tx) error {
		return t.atomic(func() error {
			if _, err := t.exec("set_total", arg{"run_id", r.id}, arg{"epoch", r.epoch}, arg{"total", n},
				arg{"open", open}, arg{"source", r.s.opt.source}); err != nil {
				return err
			}
			if err := r.stand(t, got); err != nil {
				return err
			}
			b, err := r.bound(t)
			if err != nil {
				return err
			}
			last = b.last
			return r.layOut(t, last+1, min(total.N, last+layAtOnce))
		})
	})
	if err != nil {
		return Ack{}, err
	}
	if err := r.layOutRest(ctx, last+layAtOnce+1, total.N); err != nil {
		return *got, fmt.Errorf("lay out run %q: %w", r.id, err)
	}
	return *got, nil
}

// flag is b as the trail keeps it.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// NewRunID makes an id for a run of the family, as Start does when it is given
// none: for a wrapper, whose files are there before its rows. It says what kind
// of work it is and when it began, in UTC, so that the ids of a family sort as
// its runs began.
func NewRunID(family string) string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return fmt.Sprintf("%.39s-%s-%s", family, time.Now().UTC().Format("20060102t150405"),
		strings.ToLower(base32.StdEncoding.EncodeToString(b[:])))
}
