package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
)

// sealAtMost is how many rows one seal covers.
const sealAtMost = 10_000

// Seal puts the rows of the log that are not sealed yet under the chain of
// SHA-256: each seal covers a range of rows and the seal before it, so that no
// row under one can be changed, added or removed without Verify finding the
// range. It costs what the new rows cost, and nothing when there are none. Two
// that seal at once are both right.
func (s *Store) Seal(ctx context.Context) error {
	for {
		next, err := s.nextSeal(ctx)
		if err != nil || next.rows == 0 {
			return err
		}
		err = s.write(ctx, func(t *tx) error {
			_, err := t.exec("seal", arg{"first_event", next.first}, arg{"last_event", next.last}, arg{"rows", next.rows},
				arg{"hash", next.hash}, arg{"at_ms", s.opt.now().Wall.UnixMilli()}, arg{"source", s.opt.source})
			return err
		})
		if errors.Is(err, ErrRefused) {
			return nil // another was quicker
		}
		if err != nil {
			return fmt.Errorf("seal events %d to %d: %w", next.first, next.last, err)
		}
		if next.rows < sealAtMost {
			return nil
		}
	}
}

// seal is one link of the chain.
type seal struct {
	first, last, rows int64
	hash              string
}

// nextSeal works out the seal that comes next; one of no rows says that there
// is nothing to seal.
func (s *Store) nextSeal(ctx context.Context) (seal, error) {
	var next seal
	err := s.view(ctx, func(c *conn) error {
		last := seal{}
		genesis, err := c.genesis()
		if err != nil {
			return err
		}
		last.hash = genesis
		if err := c.peek("last_seal", func(row []value) error {
			last.last, last.hash = whole(row[0]), fmt.Sprint(row[1])
			return nil
		}); err != nil {
			return err
		}
		sum := newSum(last.hash)
		found := seal{first: last.last + 1}
		err = c.peek("unsealed", func(row []value) error {
			sum.row(row)
			found.last = whole(row[0])
			found.rows++
			return nil
		}, arg{"after", last.last}, arg{"at_most", int64(sealAtMost)})
		found.hash = sum.hex()
		next = found
		return err
	})
	if err != nil {
		// A look that was given up may still be writing next.
		return seal{}, err
	}
	return next, nil
}

// genesis is what the first seal stands on: the name of the trail, and when it
// was made.
func (c *conn) genesis() (string, error) {
	s := sealGenesis
	err := c.peek("genesis", func(row []value) error { s = fmt.Sprint(sealGenesis, " ", row[0]); return nil })
	return s, err
}

// sum is the hash of a seal as its rows go by: SHA-256 over the hash of the
// seal before (of the first, its genesis) and the canonical form of each row,
// column by column: a letter for the type, for text and blobs the length, and
// the bytes; numbers are eight bytes, the highest first. The columns are those
// of event, and one more for what the row made final in its step: name, note
// and epoch.
type sum struct {
	h   hash.Hash
	buf []byte
}

func newSum(before string) *sum {
	s := &sum{h: sha256.New()}
	s.h.Write([]byte(before))
	return s
}

func (s *sum) row(row []value) {
	b := s.buf[:0]
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case string:
			b = binary.BigEndian.AppendUint64(append(b, 't'), uint64(len(v)))
			b = append(b, v...)
		case []byte:
			b = binary.BigEndian.AppendUint64(append(b, 'b'), uint64(len(v)))
			b = append(b, v...)
		}
	}
	s.buf = b
	s.h.Write(b)
}

func (s *sum) hex() string { return hex.EncodeToString(s.h.Sum(nil)) }
