package core

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// pieces are how many rows are worked on together, by one goroutine: large ones are faster as long as rows are valid, and
// one row that is not costs another look at all of its piece.
type pieces struct{ large, small int }

// Rate is the rate of refused rows of a table as far as it is known, a number of the library's. Goroutines that store
// theirs at the same time keep one of them.
type Rate = atomic.Uint64

// Pieces is how many rows VerifyPiece has, as long as all are valid, and where some are not.
func Pieces(rule Rule) (large, small int) {
	size := piecesOf(rule)
	return size.large, size.small
}

// carefulPieces is how many pieces without a refused row it takes until they are large again.
const carefulPieces = 8

// inPieces has work done on rows, in pieces that leave the scheduler its turn, on as many goroutines as there are
// processors and pieces. work reports whether it has refused no row. The context's error is returned if that is done
// before all pieces are begun.
func inPieces(ctx context.Context, rows int, size pieces, work func(first, rows int) bool) error {
	processors := runtime.GOMAXPROCS(0)
	// as many large ones as processors, or a multiple of it
	turns := max(1, (rows+size.large*processors-1)/(size.large*processors))
	large := max(size.small, (rows+turns*processors-1)/(turns*processors))
	var lock sync.Mutex
	next, careful := 0, 0
	// take gives the next piece to who has had one, with what came of that
	take := func(smooth bool) (first, count int) {
		lock.Lock()
		defer lock.Unlock()
		if !smooth {
			careful = carefulPieces
		} else if careful > 0 {
			careful--
		}
		first, count = next, min(large, rows-next)
		if careful > 0 {
			count = min(count, size.small)
		}
		next += count
		return first, count
	}
	do := func() {
		for smooth := true; ctx.Err() == nil; {
			first, count := take(smooth)
			if count == 0 {
				return
			}
			smooth = work(first, count)
			runtime.Gosched() // timers, too, have waited
		}
	}
	var others sync.WaitGroup
	for range min(processors, (rows+large-1)/large) - 1 {
		others.Add(1)
		go func() {
			defer others.Done()
			do()
		}()
	}
	do()
	others.Wait()
	if next < rows {
		return ctx.Err()
	}
	return nil
}

// VerifyTable writes the verdict of each row under a known rule, on as many goroutines as there are processors. It
// returns the context's error if that is done before all rows are; verdicts mean nothing then. Time depends on all
// inputs.
func VerifyTable(ctx context.Context, rule Rule, variant Variant, table *Table, verdicts []Verdict) error {
	var givenUp atomic.Bool
	var rate Rate
	pause := func() bool {
		runtime.Gosched()
		if ctx.Err() != nil {
			givenUp.Store(true)
			return false
		}
		return true
	}
	err := inPieces(ctx, table.Rows(), piecesOf(rule), func(first, rows int) bool {
		return VerifyPiece(rule, variant, table, first, verdicts[first:first+rows], &rate, pause)
	})
	if givenUp.Load() {
		return ctx.Err()
	}
	return err
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
	table := NewTable(len(fits))
	table.Messages = make([]byte, 0, size)
	for _, i := range fits {
		table.Append(row(i))
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

// PublicKeys writes the public keys of seeds of 32 bytes that lie one after the other, on as many goroutines as there are
// processors. Constant time but for the number of seeds.
func PublicKeys(out, seeds []byte) {
	inPieces(context.Background(), len(seeds)/32, signPieces(), func(first, rows int) bool {
		publicKeysPiece(out[32*first:32*(first+rows)], seeds[32*first:32*(first+rows)])
		return true
	})
}

// SignRows writes the signatures of messages one after the other, pure Ed25519, with seeds[i] for row i or with the only
// one, on as many goroutines as there are processors. Constant time but for sizes.
func SignRows(seeds, messages [][]byte, out []byte) {
	var one *Expanded
	if len(seeds) == 1 {
		one = Expand(seeds[0])
		defer one.Wipe()
	}
	inPieces(context.Background(), len(messages), signPieces(), func(first, rows int) bool {
		of := seeds
		if one == nil {
			of = seeds[first : first+rows]
		}
		signPiece(one, of, messages[first:first+rows], out[64*first:64*(first+rows)])
		return true
	})
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
