package core

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// Pieces are large, small for a while after a refused row, and cover each row once.
func TestPieces(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	size := pieces{large: 50, small: 10}
	var sizes []int
	next := 0
	err := inPieces(t.Context(), 500, size, func(first, rows int) bool {
		if first != next {
			t.Errorf("row %d, must be %d", first, next)
		}
		next += rows
		sizes = append(sizes, rows)
		return first > 60 || first+rows <= 60 // row 60 is refused
	})
	if err != nil || next != 500 {
		t.Errorf("%d rows, %v", next, err)
	}
	expected := []int{50, 50}
	for range carefulPieces {
		expected = append(expected, 10)
	}
	expected = append(expected, 50, 50, 50, 50, 50, 50, 20)
	if len(sizes) != len(expected) {
		t.Fatalf("%v, must be %v", sizes, expected)
	}
	for i := range sizes {
		if sizes[i] != expected[i] {
			t.Fatalf("%v, must be %v", sizes, expected)
		}
	}
	for _, processors := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(processors)
		for rows := range 130 {
			seen := make([]atomic.Int32, rows)
			if err := inPieces(t.Context(), rows, size, func(first, count int) bool {
				if count < 1 || count > size.large {
					t.Errorf("a piece of %d", count)
				}
				for i := first; i < first+count; i++ {
					seen[i].Add(1)
				}
				return first%3 == 0
			}); err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("%d processors, row %d of %d: %d times", processors, i, rows, seen[i].Load())
				}
			}
		}
	}
}

func TestPiecesGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int32
	err := inPieces(ctx, 10_000, pieces{large: 10, small: 10}, func(first, rows int) bool {
		if done.Add(1) == 5 {
			cancel()
		}
		return true
	})
	if !errors.Is(err, context.Canceled) || done.Load() > 5+int32(runtime.GOMAXPROCS(0)) {
		t.Errorf("%v after %d pieces", err, done.Load())
	}
	// what was all done before is no error
	ctx, cancel = context.WithCancel(t.Context())
	if err := inPieces(ctx, 10, pieces{large: 10, small: 10}, func(first, rows int) bool { cancel(); return true }); err != nil {
		t.Error(err)
	}
}

// manyRows are valid.
func manyRows(rows int) *Table {
	table := &Table{Offsets: []int64{0}}
	seed, key, signature := make([]byte, 32), make([]byte, 32), make([]byte, 64)
	for i := range rows {
		seed[0], seed[1] = byte(i), byte(i>>8)
		PublicKey(key, seed)
		Sign(signature, seed, Variant{}, seed[:i%32])
		table.Keys, table.Signatures = append(table.Keys, key...), append(table.Signatures, signature...)
		table.Messages = append(table.Messages, seed[:i%32]...)
		table.Offsets = append(table.Offsets, int64(len(table.Messages)))
	}
	return table
}

// countdown is a context that is done when it has been asked so often.
type countdown struct {
	context.Context
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A table can be given up between calls, and what that leaves in memory does no harm to the next one.
func TestTableGivenUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rows = 1100
	table, verdicts := manyRows(rows), make([]Verdict, rows)
	table.Signatures[64*700+32] ^= 1
	for _, rule := range []Rule{Common, ZIP215} {
		times := int32(0)
		for ; ; times += 1 + times/2 {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(times)
			if err := VerifyTable(ctx, rule, Variant{}, table, verdicts); err == nil {
				break
			} else if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if times < 5 {
			t.Errorf("done after it was asked %d times", times)
		}
		for i, verdict := range verdicts {
			if (verdict == Equation) != (i == 700) || verdict != Valid && verdict != Equation {
				t.Errorf("%s, row %d: %s", rule.Asks().Name, i, verdict.Name())
			}
		}
	}
}

// No verdict depends on how many valid rows are around a damaged one, nor on where it lies.
func TestDamagedRowsAmongMany(t *testing.T) {
	const rows = 1100
	table := manyRows(rows)
	damaged := map[int]bool{0: true, 7: true, 511: true, 512: true, 640: true, 1099: true}
	for i := range damaged {
		table.Signatures[64*i+32] ^= 1
	}
	for rule := Common; rule.Known(); rule++ {
		verdicts := make([]Verdict, rows)
		if err := VerifyTable(t.Context(), rule, Variant{}, table, verdicts); err != nil {
			t.Fatal(err)
		}
		for i, verdict := range verdicts {
			if (verdict == Equation) != damaged[i] || verdict != Valid && verdict != Equation {
				t.Errorf("%s, row %d: %s", rule.Asks().Name, i, verdict.Name())
			}
		}
	}
}
