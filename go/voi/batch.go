package ed25519

import (
	"context"
	"errors"
	"io"

	"github.com/sigmill/sigmill/go/internal/core"
)

// BatchVerifier collects signatures and verifies them together. Each has the verdict that it has alone, whatever the others
// are. Keys, messages and signatures are copied when they are added. Not for several goroutines at once.
type BatchVerifier struct {
	entries []entry
	groups  []group
	number  map[meaning]int // of a group
	// anyInvalid: a row that cannot be valid; anyCofactorless: one that asks for the exact equation
	anyInvalid, anyCofactorless bool
}

// meaning is what the rows of a group have in common.
type meaning struct {
	rule    core.Rule
	variant core.Variant
}

// group is rows that are verified alike.
type group struct {
	meaning
	table core.Table
}

// entry is where a row is; a group below 0 is none: the row is not valid.
type entry struct{ group, row int }

// mostRoom is for how many rows room is made before they are there: who states a number need not have them.
const mostRoom = 1 << 16

// NewBatchVerifier makes an empty one.
func NewBatchVerifier() *BatchVerifier { return &BatchVerifier{} }

// NewBatchVerifierWithCapacity makes an empty one with room for so many signatures, but at most 65536.
func NewBatchVerifierWithCapacity(n int) *BatchVerifier {
	return &BatchVerifier{entries: make([]entry, 0, min(max(n, 0), mostRoom))}
}

// Add adds a signature with the default options.
func (v *BatchVerifier) Add(publicKey PublicKey, message, sig []byte) {
	v.AddWithOptions(publicKey, message, sig, optionsDefault)
}

// AddWithOptions adds a signature. Keys, signatures, digests, contexts and hashes that cannot be make a row that is not valid;
// so do verification options that the original refuses. It panics if opts is nil, or if no rule has the verdicts of its
// [VerifyOptions].
func (v *BatchVerifier) AddWithOptions(publicKey PublicKey, message, sig []byte, opts *Options) {
	rule, variant, err := opts.meant(message)
	var none noRuleError
	if errors.As(err, &none) {
		panic(err)
	}
	if err != nil || len(publicKey) != PublicKeySize || len(sig) != SignatureSize {
		v.anyInvalid = true
		v.entries = append(v.entries, entry{group: -1})
		return
	}
	v.anyCofactorless = v.anyCofactorless || !rule.Asks().Cofactored
	at := v.groupOf(meaning{rule, variant})
	of := &v.groups[at].table
	v.entries = append(v.entries, entry{group: at, row: of.Rows()})
	of.Append(publicKey, message, sig)
}

// groupOf is the number of the group with this meaning, which is made if there is none.
func (v *BatchVerifier) groupOf(meant meaning) int {
	if len(v.entries) > 0 {
		last := v.entries[len(v.entries)-1].group
		if last >= 0 && v.groups[last].meaning == meant {
			return last
		}
	}
	at, there := v.number[meant]
	if !there {
		room := 0
		if len(v.groups) == 0 {
			room = cap(v.entries)
		}
		at = len(v.groups)
		v.groups = append(v.groups, group{meant, core.NewTable(room)})
		if v.number == nil {
			v.number = make(map[meaning]int, 1)
		}
		v.number[meant] = at
	}
	return at
}

// AddExpanded is [BatchVerifier.Add] with a prepared key.
func (v *BatchVerifier) AddExpanded(publicKey *ExpandedPublicKey, message, sig []byte) {
	v.AddExpandedWithOptions(publicKey, message, sig, optionsDefault)
}

// AddExpandedWithOptions is [BatchVerifier.AddWithOptions] with a prepared key; nil, and one that [NewExpandedPublicKey] has not
// made, make a row that is not valid.
func (v *BatchVerifier) AddExpandedWithOptions(publicKey *ExpandedPublicKey, message, sig []byte, opts *Options) {
	var key PublicKey
	if publicKey != nil && publicKey.prepared != nil {
		key = publicKey.bytes[:]
	}
	v.AddWithOptions(key, message, sig, opts)
}

// VerifyBatchOnly reports whether all signatures are valid. It is false for a batch of none, and for one that has a
// signature whose options ask for the cofactorless equation, as in the original. Of rand, if it is not nil and there is
// something to be verified, 32 bytes are read, and it panics if they cannot be; what verification needs of randomness is the
// system's in any case. Time depends on all inputs.
func (v *BatchVerifier) VerifyBatchOnly(rand io.Reader) bool {
	if len(v.entries) == 0 || v.anyInvalid || v.anyCofactorless {
		return false
	}
	readSome(rand)
	for i := range v.groups {
		for _, verdict := range v.groups[i].verdicts() {
			if verdict != core.Valid {
				return false
			}
		}
	}
	return true
}

// Verify reports whether all signatures are valid, and which. A batch of none is not valid. rand is as of
// [BatchVerifier.VerifyBatchOnly]. Time depends on all inputs.
func (v *BatchVerifier) Verify(rand io.Reader) (bool, []bool) {
	if len(v.entries) == 0 {
		return false, nil
	}
	if !v.anyInvalid && !v.anyCofactorless {
		readSome(rand)
	}
	verdicts := make([][]core.Verdict, len(v.groups))
	for i := range v.groups {
		verdicts[i] = v.groups[i].verdicts()
	}
	all, valid := true, make([]bool, len(v.entries))
	for i, at := range v.entries {
		valid[i] = at.group >= 0 && verdicts[at.group][at.row] == core.Valid
		all = all && valid[i]
	}
	return all, valid
}

// verdicts are those of all rows, in their order.
func (g *group) verdicts() []core.Verdict {
	verdicts := make([]core.Verdict, g.table.Rows())
	// its error is that of a context which is done: this one never is
	if err := core.VerifyTable(context.Background(), g.rule, g.variant, &g.table, verdicts); err != nil {
		panic(err)
	}
	return verdicts
}

// readSome takes what the original would from a source of random bytes: tests see it, and a source that fails.
func readSome(rand io.Reader) {
	if rand == nil {
		return
	}
	if _, err := io.ReadFull(rand, make([]byte, 32)); err != nil {
		panic("ed25519: failed to initialize random scalar generator: " + err.Error())
	}
}

// ForceNoPublicKeyExpansion changes nothing here, and returns v: keys are never prepared when they are added.
func (v *BatchVerifier) ForceNoPublicKeyExpansion() *BatchVerifier { return v }

// Reset takes all signatures out, keeps the room, and returns v.
func (v *BatchVerifier) Reset() *BatchVerifier {
	if len(v.groups) > 1 { // contexts may be new ones each time
		v.groups, v.number = v.groups[:1], map[meaning]int{v.groups[0].meaning: 0}
	}
	for i := range v.groups {
		v.groups[i].table.Reset()
	}
	v.entries, v.anyInvalid, v.anyCofactorless = v.entries[:0], false, false
	return v
}
