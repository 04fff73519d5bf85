package core

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// inPieces has work done on rows, in pieces that leave the scheduler its turn, on as many goroutines as there are
// processors and pieces. It returns the context's error if that is done before all pieces are begun.
func inPieces(ctx context.Context, rows, piece int, work func(first, rows int)) error {
	pieces := (rows + piece - 1) / piece
	var next atomic.Int64
	take := func() {
		for ctx.Err() == nil {
			first := (int(next.Add(1)) - 1) * piece
			if first >= rows {
				return
			}
			work(first, min(piece, rows-first))
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), pieces) - 1 {
		others.Add(1)
		go func() {
			defer others.Done()
			take()
		}()
	}
	take()
	others.Wait()
	if int(next.Load()) < pieces {
		return ctx.Err()
	}
	return nil
}

// VerifyTable writes the verdict of each row under a known rule, on as many goroutines as there are processors. It
// returns the context's error if that is done before it has begun all rows; verdicts mean nothing then. Time depends on
// all inputs.
func VerifyTable(ctx context.Context, rule Rule, variant Variant, table *Table, verdicts []Verdict) error {
	return inPieces(ctx, table.Rows(), Piece(rule), func(first, rows int) {
		VerifyPiece(rule, variant, table, first, verdicts[first:first+rows])
	})
}

// VerifyRows is VerifyTable for rows wherever they are and of whatever sizes.
func VerifyRows(ctx context.Context, rule Rule, variant Variant, rows int, row func(int) (key, message, signature []byte), verdicts []Verdict) error {
	// rows whose sizes fit go into one table; which they are
	fits := make([]int, 0, rows)
	size := 0
	for i := range rows {
		key, message, signature := row(i)
		if verdicts[i] = lengths(variant, key, message, signature); verdicts[i] == Valid {
			fits = append(fits, i)
			size += len(message)
		}
	}
	table := Table{
		Keys:       make([]byte, 0, 32*len(fits)),
		Signatures: make([]byte, 0, 64*len(fits)),
		Messages:   make([]byte, 0, size),
		Offsets:    make([]int64, 1, len(fits)+1),
	}
	for _, i := range fits {
		key, message, signature := row(i)
		table.Keys = append(table.Keys, key...)
		table.Signatures = append(table.Signatures, signature...)
		table.Messages = append(table.Messages, message...)
		table.Offsets = append(table.Offsets, int64(len(table.Messages)))
	}
	of := verdicts
	if len(fits) != rows {
		of = make([]Verdict, len(fits))
	}
	if err := VerifyTable(ctx, rule, variant, &table, of); err != nil {
		return err
	}
	if len(fits) != rows {
		for at, i := range fits {
			verdicts[i] = of[at]
		}
	}
	return nil
}

// lengths is the verdict on what can be seen without looking at bytes.
func lengths(variant Variant, key, message, signature []byte) Verdict {
	switch {
	case len(key) != 32:
		return KeyLength
	case len(signature) != 64:
		return SignatureLength
	case variant.Kind == Digest && len(message) != 64:
		return DigestLength
	}
	return Valid
}
