// Package ed25519consensus is github.com/hdevalence/ed25519consensus by sigmill: change the import path to
// github.com/sigmill/sigmill/go/ed25519consensus. Verdicts are those of ZIP 215, the rule zip215 of docs/rules.md, alone and in a
// batch.
package ed25519consensus

import (
	"context"
	"crypto/ed25519"

	"github.com/sigmill/sigmill/go/internal/core"
)

// Verify reports whether a signature is valid under the rule of ZIP 215. Keys and signatures of other sizes are not. Time
// depends on all inputs.
func Verify(publicKey ed25519.PublicKey, message, sig []byte) bool {
	return core.Verify(core.ZIP215, core.Variant{}, publicKey, message, sig) == core.Valid
}

// BatchVerifier collects signatures and verifies them together. Keys, messages and signatures are copied when they are added.
// Not for several goroutines at once.
type BatchVerifier struct {
	table core.Table
	bad   bool // a row has another size than it can have
}

// NewBatchVerifier makes an empty one.
func NewBatchVerifier() BatchVerifier { return NewPreallocatedBatchVerifier(0) }

// mostRoom is for how many rows room is made before they are there: who states a number need not have them.
const mostRoom = 1 << 16

// NewPreallocatedBatchVerifier makes an empty one with room for so many signatures, but at most 65536.
func NewPreallocatedBatchVerifier(size int) BatchVerifier {
	return BatchVerifier{table: core.NewTable(min(max(size, 0), mostRoom))}
}

// Add adds a signature. One whose key or signature has another size makes the batch one that is not valid.
func (v *BatchVerifier) Add(publicKey ed25519.PublicKey, message, sig []byte) {
	if len(publicKey) != ed25519.PublicKeySize || len(sig) != ed25519.SignatureSize {
		v.bad = true
		return
	}
	v.table.Append(publicKey, message, sig)
}

// Verify reports whether all signatures are valid; a batch of none is not. Time depends on all inputs.
func (v *BatchVerifier) Verify() bool {
	if v.bad || v.table.Rows() == 0 {
		return false
	}
	verdicts := make([]core.Verdict, v.table.Rows())
	// its error is that of a context which is done: this one never is
	if err := core.VerifyTable(context.Background(), core.ZIP215, core.Variant{}, &v.table, verdicts); err != nil {
		panic(err)
	}
	for _, verdict := range verdicts {
		if verdict != core.Valid {
			return false
		}
	}
	return true
}
