package ed25519

import (
	"context"
	"crypto"
	"crypto/rand"
	"fmt"
	"io"
	"math"

	"github.com/sigmill/sigmill/go/internal/core"
)

// NotAllValidError says that a row of a batch is not valid.
type NotAllValidError struct {
	// Row is the first that is not, counted from 0; Verdict says why.
	Row     int
	Verdict Verdict
}

// Error names the row and the reason.
func (e *NotAllValidError) Error() string {
	return fmt.Sprintf("ed25519: row %d: %s", e.Row, core.Verdict(e.Verdict).Sentence())
}

// Unwrap is the verdict.
func (e *NotAllValidError) Unwrap() error { return e.Verdict }

// VerifyBatch verifies row i as [VerifyWithRule] would verify publicKeys[i], messages[i] and sigs[i], with the same
// verdict, faster where rows are many. The error is nil only if every row is valid: it is a [NotAllValidError] if
// one is not, and names lengths that differ, in which case there are no verdicts. Time depends on all inputs.
func VerifyBatch(rule Rule, publicKeys []PublicKey, messages, sigs [][]byte) ([]Verdict, error) {
	return VerifyBatchContext(context.Background(), rule, publicKeys, messages, sigs)
}

// VerifyBatchContext is [VerifyBatch], given up when the context is done: the error is then the context's, and there
// are no verdicts.
func VerifyBatchContext(ctx context.Context, rule Rule, publicKeys []PublicKey, messages, sigs [][]byte) ([]Verdict, error) {
	number := rule.known()
	rows := len(publicKeys)
	if len(messages) != rows || len(sigs) != rows {
		return nil, fmt.Errorf("ed25519: %d public keys, %d messages and %d signatures", rows, len(messages), len(sigs))
	}
	verdicts := make([]Verdict, rows)
	err := verifyRows(ctx, number, core.Variant{}, rows, func(i int) ([]byte, []byte, []byte) {
		return publicKeys[i], messages[i], sigs[i]
	}, verdicts)
	if err != nil {
		return nil, err
	}
	return verdicts, firstRefused(verdicts)
}

func firstRefused(verdicts []Verdict) error {
	for row, verdict := range verdicts {
		if verdict != Valid {
			return &NotAllValidError{Row: row, Verdict: verdict}
		}
	}
	return nil
}

// verifyRows verifies rows of one variant.
func verifyRows(ctx context.Context, rule core.Rule, variant core.Variant, rows int, row func(int) (key, message, sig []byte), verdicts []Verdict) error {
	of := make([]core.Verdict, rows)
	if err := core.VerifyRows(ctx, rule, variant, rows, row, of); err != nil {
		return err
	}
	for i, verdict := range of {
		verdicts[i] = Verdict(verdict)
	}
	return nil
}

// BatchVerifier collects signatures and verifies them together. Each has its verdict, whatever the others are. The zero
// value has no rule and panics when it verifies; [NewBatchVerifier] makes one. Not for several goroutines at once.
type BatchVerifier struct {
	rule    Rule
	entries []entry
}

type entry struct {
	key, message, sig []byte
	variant           core.Variant
	refused           bool // options or a prepared key that cannot be
}

// NewBatchVerifier makes a verifier of this rule with room for so many signatures, but at most 65536, as who states a
// number need not have the signatures. It panics if there is no such rule.
func NewBatchVerifier(rule Rule, capacity int) *BatchVerifier {
	rule.known()
	return &BatchVerifier{rule: rule, entries: make([]entry, 0, min(max(capacity, 0), 1<<16))}
}

// Add adds a signature of pure Ed25519. The slices are kept, not copied, until Reset.
func (b *BatchVerifier) Add(publicKey PublicKey, message, sig []byte) {
	b.entries = append(b.entries, entry{key: publicKey, message: message, sig: sig})
}

// AddWithOptions adds a signature of a variant; opts are as of [VerifyWithRule], and those that cannot be make a row that is not
// valid.
func (b *BatchVerifier) AddWithOptions(publicKey PublicKey, message, sig []byte, opts crypto.SignerOpts) {
	variant, err := variantOfAny(opts)
	b.entries = append(b.entries, entry{key: publicKey, message: message, sig: sig, variant: variant, refused: err != nil})
}

// AddPrepared is AddWithOptions with a prepared key; one that [NewPreparedKey] has not made makes a row that is not
// valid.
func (b *BatchVerifier) AddPrepared(key *PreparedKey, message, sig []byte, opts crypto.SignerOpts) {
	if key == nil || key.prepared == nil {
		b.entries = append(b.entries, entry{refused: true})
		return
	}
	b.AddWithOptions(key.bytes[:], message, sig, opts)
}

// Len is how many signatures have been added.
func (b *BatchVerifier) Len() int { return len(b.entries) }

// Verify reports whether all signatures are valid, and which. A batch of none is not valid.
func (b *BatchVerifier) Verify() (all bool, each []bool) {
	verdicts, err := b.Verdicts(context.Background())
	if err != nil {
		return false, make([]bool, len(b.entries)) // a context that is never done
	}
	each = make([]bool, len(verdicts))
	all = len(verdicts) > 0
	for i, verdict := range verdicts {
		each[i] = verdict == Valid && !b.entries[i].refused
		all = all && each[i]
	}
	return all, each
}

// Verdicts verifies and says why. Of a row whose options or prepared key cannot be, it says Equation. The error is the context's, if
// that is done before; there are no verdicts then.
func (b *BatchVerifier) Verdicts(ctx context.Context) ([]Verdict, error) {
	number := b.rule.known()
	verdicts := make([]Verdict, len(b.entries))
	groups := make(map[core.Variant][]int, 1)
	for i := range b.entries {
		if b.entries[i].refused {
			verdicts[i] = Equation
			continue
		}
		groups[b.entries[i].variant] = append(groups[b.entries[i].variant], i)
	}
	for variant, group := range groups {
		of := make([]Verdict, len(group))
		err := verifyRows(ctx, number, variant, len(group), func(at int) ([]byte, []byte, []byte) {
			e := &b.entries[group[at]]
			return e.key, e.message, e.sig
		}, of)
		if err != nil {
			return nil, err
		}
		for at, i := range group {
			verdicts[i] = of[at]
		}
	}
	return verdicts, nil
}

// Reset forgets the signatures and keeps the room.
func (b *BatchVerifier) Reset() {
	clear(b.entries)
	b.entries = b.entries[:0]
}

// Column is byte strings in one buffer, as Apache Arrow's large binary arrays have them: value i is
// Values[Offsets[i]:Offsets[i+1]], so that there is one offset more than there are values. The module go/arrow makes
// columns of arrow-go's arrays.
type Column struct {
	Values  []byte
	Offsets []int64
}

// Rows is how many values there are.
func (c Column) Rows() int { return max(len(c.Offsets)-1, 0) }

func (c Column) check(name string) error {
	for i, end := range c.Offsets {
		if end < 0 || end > int64(len(c.Values)) || i > 0 && end < c.Offsets[i-1] {
			return fmt.Errorf("ed25519: %s: offset %d is %d, of %d bytes", name, i, end, len(c.Values))
		}
	}
	return nil
}

func (c Column) value(i int) []byte { return c.Values[c.Offsets[i]:c.Offsets[i+1]] }

// VerifyColumns is [VerifyBatch] for columns.
func VerifyColumns(rule Rule, publicKeys, messages, sigs Column) ([]Verdict, error) {
	number := rule.known()
	rows := publicKeys.Rows()
	if messages.Rows() != rows || sigs.Rows() != rows {
		return nil, fmt.Errorf("ed25519: %d public keys, %d messages and %d signatures", rows, messages.Rows(), sigs.Rows())
	}
	for _, err := range []error{publicKeys.check("public keys"), messages.check("messages"), sigs.check("signatures")} {
		if err != nil {
			return nil, err
		}
	}
	verdicts := make([]Verdict, rows)
	err := verifyRows(context.Background(), number, core.Variant{}, rows, func(i int) ([]byte, []byte, []byte) {
		return publicKeys.value(i), messages.value(i), sigs.value(i)
	}, verdicts)
	if err != nil {
		return nil, err
	}
	return verdicts, firstRefused(verdicts)
}

// SignBatch signs messages[i] with the seed half of privateKeys[i], or all with privateKeys[0] if there is one. The
// error names lengths that differ and the row of a key that does not have [PrivateKeySize] bytes; there are no
// signatures then. Constant time but for sizes.
func SignBatch(privateKeys []PrivateKey, messages [][]byte) ([][]byte, error) {
	if len(privateKeys) != len(messages) && len(privateKeys) != 1 {
		return nil, fmt.Errorf("ed25519: %d private keys and %d messages", len(privateKeys), len(messages))
	}
	seeds := make([][]byte, len(privateKeys))
	for row, key := range privateKeys {
		if len(key) != PrivateKeySize {
			return nil, fmt.Errorf("ed25519: row %d: bad private key length: %d", row, len(key))
		}
		seeds[row] = key[:SeedSize]
	}
	signatures, bytes := make([][]byte, len(messages)), make([]byte, SignatureSize*len(messages))
	core.SignRows(seeds, messages, bytes)
	for i := range signatures {
		signatures[i] = bytes[SignatureSize*i : SignatureSize*(i+1) : SignatureSize*(i+1)]
	}
	return signatures, nil
}

// mostKeys is how many are made at once; on 32-bit processors their sizes are numbers, too.
const mostKeys = min(math.MaxInt32, math.MaxInt/256)

// GenerateKeys makes n key pairs, as n calls of [GenerateKey] with the same random would. Memory is taken as random gives
// bytes. The error is that of random, or names an n below 0, or above 2^31 - 1.
func GenerateKeys(random io.Reader, n int) ([]PublicKey, []PrivateKey, error) {
	if n < 0 || n > mostKeys {
		return nil, nil, fmt.Errorf("ed25519: %d keys; 0 to %d can be made at once", n, mostKeys)
	}
	var seeds []byte
	if random == nil {
		seeds = make([]byte, SeedSize*n)
		rand.Read(seeds)
	} else {
		seeds = make([]byte, 0, SeedSize*min(n, 4096))
		for begin := range n {
			if begin *= SeedSize; begin == cap(seeds) {
				grown := append(make([]byte, 0, 2*begin), seeds...)
				clear(seeds)
				seeds = grown
			}
			seeds = seeds[:begin+SeedSize]
			if _, err := io.ReadFull(random, seeds[begin:]); err != nil {
				return nil, nil, err
			}
		}
	}
	keys := make([]byte, PublicKeySize*n)
	core.PublicKeys(keys, seeds)
	publics, privates := make([]PublicKey, n), make([]PrivateKey, n)
	for i := range n {
		public := keys[PublicKeySize*i : PublicKeySize*(i+1) : PublicKeySize*(i+1)]
		publics[i], privates[i] = public, append(append(make(PrivateKey, 0, PrivateKeySize), seeds[SeedSize*i:SeedSize*(i+1)]...), public...)
	}
	clear(seeds)
	return publics, privates, nil
}
