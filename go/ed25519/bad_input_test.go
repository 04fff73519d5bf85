package ed25519_test

import (
	"bytes"
	"context"
	"crypto"
	std "crypto/ed25519"
	"crypto/sha512"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519"
)

// sizes of keys and signatures, and what the rest of the bytes is.
var sizes = []int{0, 1, 31, 32, 33, 63, 64, 65, 1000}

// resized is a value cut, or with zeros behind; of no bytes it is nil.
func resized(value []byte, size int) []byte {
	if size == 0 {
		return nil
	}
	return append(bytes.Clone(value), make([]byte, size)...)[:size]
}

// Whatever is wrong, and however much at once, VerifyWithOptions and Sign say what the standard library says.
func TestFaultsAreToldAsByTheStandardLibrary(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(seeded("faults"))
	if err != nil {
		t.Fatal(err)
	}
	noPoint := bytes.Clone(pub)
	for noPoint[0] = 0; std.VerifyWithOptions(noPoint, nil, make([]byte, 64), &std.Options{}).Error() != "ed25519: bad public key"; noPoint[0]++ {
	}
	expanded, err := ed25519.NewExpandedPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha512.Sum512(nil)
	checked, told := 0, map[string]bool{}
	same := func(what string, ours, theirs func() error) {
		t.Helper()
		said := [2]string{}
		for i, call := range []func() error{ours, theirs} {
			said[i] = panicOf(func() {
				if err := call(); err != nil {
					panic(err)
				}
			})
		}
		checked++
		told[said[1]] = true
		if said[0] != said[1] {
			t.Errorf("%s: %q, must be %q", what, said[0], said[1])
		}
	}
	options := []*ed25519.Options{nil}
	for _, hash := range []crypto.Hash{0, crypto.SHA256, crypto.SHA512} {
		for _, size := range []int{0, 1, 255, 256, 1000} {
			options = append(options, &ed25519.Options{Hash: hash, Context: strings.Repeat("c", size)})
		}
	}
	for _, message := range [][]byte{nil, {}, []byte("message"), digest[:]} {
		for _, opts := range options {
			for _, key := range [][]byte{pub, noPoint, nil, pub[:31]} {
				for _, size := range []int{0, 63, 64, 65} {
					signature := resized(ed25519.Sign(priv, message), size)
					same(fmt.Sprintf("key %x, message %x, signature of %d bytes, %v", key, message, size, opts),
						func() error { return ed25519.VerifyWithOptions(key, message, signature, opts) },
						func() error { return std.VerifyWithOptions(key, message, signature, opts) })
				}
			}
			signing := func(signer crypto.Signer) func() error {
				return func() error {
					_, err := signer.Sign(nil, message, opts)
					return err
				}
			}
			same(fmt.Sprintf("signing %x, %v", message, opts), signing(expanded), signing(priv))
		}
		same("signing without options", func() error { _, err := expanded.Sign(nil, message, nil); return err },
			func() error { _, err := priv.Sign(nil, message, nil); return err })
	}
	if checked < 1000 || len(told) < 15 {
		t.Errorf("%d calls, %d answers: %v", checked, len(told), told)
	}
}

// Functions that crypto/ed25519 lacks refuse bytes of other sizes with a verdict, alone and in every form of a batch.
func TestOtherSizesAreRefused(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(seeded("sizes"))
	if err != nil {
		t.Fatal(err)
	}
	signature := ed25519.Sign(priv, nil)
	var keys []ed25519.PublicKey
	var messages, signatures [][]byte
	var expected []ed25519.Verdict
	for _, keySize := range sizes {
		for _, size := range sizes {
			keys, messages, signatures = append(keys, resized(pub, keySize)), append(messages, nil), append(signatures, resized(signature, size))
			switch {
			case keySize != 32:
				expected = append(expected, ed25519.KeyLength)
			case size != 64:
				expected = append(expected, ed25519.SignatureLength)
			default:
				expected = append(expected, ed25519.Valid)
			}
		}
		if _, err := ed25519.NewPreparedKey(resized(pub, keySize)); (err == nil) != (keySize == 32) || err != nil && err != ed25519.KeyLength {
			t.Errorf("NewPreparedKey of %d bytes: %v", keySize, err)
		}
	}
	for _, rule := range ed25519.Rules() {
		batch := ed25519.NewBatchVerifier(rule, 0)
		columns := [3]ed25519.Column{{Offsets: []int64{0}}, {Offsets: []int64{0}}, {Offsets: []int64{0}}}
		for i := range keys {
			if err := ed25519.VerifyWithRule(rule, keys[i], nil, signatures[i], nil); fmt.Sprint(err) != fmt.Sprint(expected[i].Err()) {
				t.Errorf("%v, row %d: %v, must be %v", rule, i, err, expected[i])
			}
			batch.Add(keys[i], nil, signatures[i])
			for at, value := range [][]byte{keys[i], nil, signatures[i]} {
				columns[at].Values = append(columns[at].Values, value...)
				columns[at].Offsets = append(columns[at].Offsets, int64(len(columns[at].Values)))
			}
		}
		inBatch, err := batch.Verdicts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		inSlices, _ := ed25519.VerifyBatch(rule, keys, messages, signatures)
		inColumns, _ := ed25519.VerifyColumns(rule, columns[0], columns[1], columns[2])
		for way, verdicts := range map[string][]ed25519.Verdict{"BatchVerifier": inBatch, "VerifyBatch": inSlices, "VerifyColumns": inColumns} {
			if fmt.Sprint(verdicts) != fmt.Sprint(expected) {
				t.Errorf("%v, %s: %v, must be %v", rule, way, verdicts, expected)
			}
		}
	}
}

// Arguments that do not fit together: the error says which, and there are no verdicts.
func TestArgumentsThatDoNotFit(t *testing.T) {
	publics, privates, err := ed25519.GenerateKeys(seeded("fit"), 3)
	if err != nil {
		t.Fatal(err)
	}
	three := [][]byte{nil, nil, nil}
	column := func(size int, offsets ...int64) ed25519.Column {
		return ed25519.Column{Values: make([]byte, size), Offsets: offsets}
	}
	keys, messages, signatures := column(96, 0, 32, 64, 96), column(0, 0, 0, 0, 0), column(192, 0, 64, 128, 192)
	columns := func(keys, messages, signatures ed25519.Column) func() (any, error) {
		return func() (any, error) {
			verdicts, err := ed25519.VerifyColumns(ed25519.RuleStrict, keys, messages, signatures)
			return verdicts, err
		}
	}
	batch := func(keys []ed25519.PublicKey, messages, signatures [][]byte) func() (any, error) {
		return func() (any, error) {
			verdicts, err := ed25519.VerifyBatch(ed25519.RuleStrict, keys, messages, signatures)
			return verdicts, err
		}
	}
	sign := func(keys []ed25519.PrivateKey, messages [][]byte) func() (any, error) {
		return func() (any, error) {
			signatures, err := ed25519.SignBatch(keys, messages)
			return signatures, err
		}
	}
	for expected, call := range map[string]func() (any, error){
		"ed25519: 3 public keys, 2 messages and 3 signatures":                 batch(publics, three[1:], three),
		"ed25519: 3 public keys, 3 messages and 0 signatures":                 batch(publics, three, nil),
		"ed25519: 0 public keys, 3 messages and 3 signatures":                 batch(nil, three, three),
		"ed25519: 0 private keys and 3 messages":                              sign(nil, three),
		"ed25519: 2 private keys and 3 messages":                              sign(privates[:2], three),
		"ed25519: row 1: bad private key length: 0":                           sign([]ed25519.PrivateKey{privates[0], nil, privates[2]}, three),
		"ed25519: row 2: bad private key length: 65":                          sign([]ed25519.PrivateKey{privates[0], privates[1], resized(privates[2], 65)}, three),
		"ed25519: 2 public keys, 3 messages and 3 signatures":                 columns(column(64, 0, 32, 64), messages, signatures),
		"ed25519: 3 public keys, 0 messages and 3 signatures":                 columns(keys, ed25519.Column{}, signatures),
		"ed25519: public keys: offset 0 is -1, of 96 bytes":                   columns(column(96, -1, 32, 64, 96), messages, signatures),
		"ed25519: public keys: offset 3 is 97, of 96 bytes":                   columns(column(96, 0, 32, 64, 97), messages, signatures),
		"ed25519: messages: offset 2 is 4, of 9 bytes":                        columns(keys, column(9, 0, 5, 4, 9), signatures),
		"ed25519: messages: offset 1 is 9223372036854775807, of 0 bytes":      columns(keys, column(0, 0, 1<<63-1, 0, 0), signatures),
		"ed25519: signatures: offset 0 is -9223372036854775808, of 192 bytes": columns(keys, messages, column(192, -1<<63, 64, 128, 192)),
	} {
		got, err := call()
		if err == nil || err.Error() != expected || fmt.Sprint(got) != "[]" {
			t.Errorf("%v %v, must be %s", got, err, expected)
		}
	}
	for _, none := range []ed25519.Column{{}, {Offsets: []int64{}}, {Offsets: []int64{0}}, {Values: []byte{1, 2}, Offsets: []int64{2}}} {
		if verdicts, err := ed25519.VerifyColumns(ed25519.RuleStrict, none, ed25519.Column{}, none); err != nil || len(verdicts) != 0 {
			t.Errorf("no rows, %v: %v %v", none, verdicts, err)
		}
	}
	if _, _, err := ed25519.GenerateKeys(nil, -1); err == nil {
		t.Error("-1 keys")
	}
	if said := panicOf(func() { ed25519.VerifyColumns(ed25519.Rule(77), keys, messages, signatures) }); said != "ed25519: no verification rule: rule 77" {
		t.Errorf("rule 77: %s", said)
	}
}

// Zero values are no keys, wiped ones neither: they sign nothing and have no public key that somebody could know the
// secret of.
func TestKeysThatNobodyMade(t *testing.T) {
	const notMade = "ed25519: a key that was not made by its function"
	zero := new(ed25519.ExpandedPrivateKey)
	for name, call := range map[string]func(){
		"Public":      func() { zero.Public() },
		"SignMessage": func() { zero.SignMessage(nil) },
		"after Wipe":  func() { zero.Wipe(); zero.SignMessage(nil) },
	} {
		if said := panicOf(call); said != notMade {
			t.Errorf("ExpandedPrivateKey{}: %s: %s", name, said)
		}
	}
	if signature, err := zero.Sign(nil, nil, crypto.Hash(0)); err == nil || err.Error() != notMade || signature != nil {
		t.Errorf("ExpandedPrivateKey{}: Sign: %x %v", signature, err)
	}
	for _, size := range []int{0, 32, 63, 65} {
		if _, err := ed25519.NewExpandedPrivateKey(make([]byte, size)); err == nil || err.Error() != fmt.Sprint("ed25519: bad private key length: ", size) {
			t.Errorf("NewExpandedPrivateKey of %d bytes: %v", size, err)
		}
	}
	_, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	wiped, err := ed25519.NewExpandedPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	before := wiped.Public()
	wiped.Wipe()
	if !before.(ed25519.PublicKey).Equal(wiped.Public()) {
		t.Error("Wipe has changed the public key")
	}
	prepared := new(ed25519.PreparedKey)
	if err := prepared.Verify(ed25519.RuleStrict, nil, make([]byte, 64), nil); err == nil || err.Error() != notMade {
		t.Errorf("PreparedKey{}: %v", err)
	}
	var batch ed25519.BatchVerifier
	batch.Add(make([]byte, 32), nil, make([]byte, 64))
	if said := panicOf(func() { batch.Verify() }); said != "ed25519: no verification rule: rule 0" {
		t.Errorf("BatchVerifier{}: %s", said)
	}
}

// A million rows without a message, and one of 64 MiB.
func TestManyRowsAndLongMessages(t *testing.T) {
	rows, size := 1_000_000, 64<<20
	if testing.Short() || ed25519.Implementation() == "pure Go" {
		rows, size = 10_000, 1<<20
	}
	pub, priv, err := ed25519.GenerateKey(seeded("many"))
	if err != nil {
		t.Fatal(err)
	}
	signature := ed25519.Sign(priv, nil)
	keys, messages, signatures := make([]ed25519.PublicKey, rows), make([][]byte, rows), make([][]byte, rows)
	for i := range rows {
		keys[i], signatures[i] = pub, signature
	}
	signatures[rows-1] = resized(signature, 63)
	signatures[rows/2] = append([]byte{signature[0] ^ 1}, signature[1:]...)
	verdicts, err := ed25519.VerifyBatch(ed25519.RuleCommon, keys, messages, signatures)
	refused := 0
	for i, verdict := range verdicts {
		if verdict != ed25519.Valid {
			refused++
			if i != rows/2 && i != rows-1 {
				t.Errorf("row %d: %v", i, verdict)
			}
		}
	}
	var first *ed25519.NotAllValidError
	if !errors.As(err, &first) || first.Row != rows/2 || refused != 2 || verdicts[rows-1] != ed25519.SignatureLength || len(verdicts) != rows {
		t.Errorf("%d refused: %v", refused, err)
	}
	long := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	signature = ed25519.Sign(priv, long)
	if !bytes.Equal(signature, std.Sign(priv, long)) || !ed25519.Verify(pub, long, signature) {
		t.Errorf("a message of %d bytes", size)
	}
	long[size-1] ^= 1
	if ed25519.Verify(pub, long, signature) {
		t.Errorf("the last bit of %d bytes is not looked at", size)
	}
	if verdicts, err := ed25519.VerifyBatch(ed25519.RuleZIP215, keys[:2], [][]byte{nil, long}, [][]byte{ed25519.Sign(priv, nil), signature}); err == nil || verdicts[0] != ed25519.Valid || verdicts[1] != ed25519.Equation {
		t.Errorf("a long message in a batch: %v", verdicts)
	}
}

// A context that is done ends a batch, before it begins and while it runs.
// late is a context whose deadline comes when it has been asked once, however fast the machine is.
type late struct {
	context.Context
	asked atomic.Bool
}

func (l *late) Err() error {
	if l.asked.Swap(true) {
		return context.DeadlineExceeded
	}
	return nil
}

func TestContextsThatAreDone(t *testing.T) {
	const rows = 20_000
	pub, priv, err := ed25519.GenerateKey(seeded("done"))
	if err != nil {
		t.Fatal(err)
	}
	signature := ed25519.Sign(priv, nil)
	keys, messages, signatures := make([]ed25519.PublicKey, rows), make([][]byte, rows), make([][]byte, rows)
	batch := ed25519.NewBatchVerifier(ed25519.RuleStrict, rows)
	for i := range rows {
		keys[i], signatures[i] = pub, signature
		batch.Add(pub, nil, signature)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for expected, ctx := range map[error]func() context.Context{
		context.Canceled:         func() context.Context { return done },
		context.DeadlineExceeded: func() context.Context { return &late{Context: t.Context()} },
	} {
		if verdicts, err := ed25519.VerifyBatchContext(ctx(), ed25519.RuleStrict, keys, messages, signatures); !errors.Is(err, expected) || verdicts != nil {
			t.Errorf("VerifyBatchContext: %d verdicts, %v, must be %v", len(verdicts), err, expected)
		}
		if verdicts, err := batch.Verdicts(ctx()); !errors.Is(err, expected) || verdicts != nil {
			t.Errorf("Verdicts: %d verdicts, %v, must be %v", len(verdicts), err, expected)
		}
	}
	if verdicts, err := batch.Verdicts(t.Context()); err != nil || len(verdicts) != rows {
		t.Errorf("after that: %v", err)
	}
}
