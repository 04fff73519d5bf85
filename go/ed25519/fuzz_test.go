package ed25519_test

import (
	"bytes"
	"crypto"
	std "crypto/ed25519"
	"crypto/sha512"
	"fmt"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519"
)

func FuzzVerify(f *testing.F) {
	_, priv, err := ed25519.GenerateKey(seeded("fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(priv.Seed(), []byte("message"), ed25519.Sign(priv, []byte("message")), false)
	f.Add(priv.Seed(), []byte{}, make([]byte, 64), true)
	f.Fuzz(func(t *testing.T, key, message, signature []byte, isSeed bool) {
		if len(key) != 32 {
			return
		}
		if isSeed {
			key = std.NewKeyFromSeed(key)[32:]
		}
		ours, theirs := ed25519.Verify(key, message, signature), std.Verify(key, message, signature)
		if ours != theirs {
			t.Errorf("%v, the standard library says %v", ours, theirs)
		}
		common := ed25519.VerifyWithRule(ed25519.RuleCommon, key, message, signature, nil)
		if (common == nil) != theirs {
			t.Errorf("%v, the standard library says %v", common, theirs)
		}
		batch := ed25519.NewBatchVerifier(ed25519.RuleCommon, 5)
		for range 5 {
			batch.Add(key, message, signature)
		}
		if all, _ := batch.Verify(); all != theirs {
			t.Errorf("a batch: %v, the standard library says %v", all, theirs)
		}
	})
}

// Every way of signing gives the standard library's signature, and every way of verifying takes it, but not for another
// message.
func FuzzSign(f *testing.F) {
	f.Add(make([]byte, 32), []byte("message"), "", uint8(0))
	f.Add(bytes.Repeat([]byte{0xff}, 32), []byte{}, "context", uint8(1))
	f.Fuzz(func(t *testing.T, seed, message []byte, context string, kind uint8) {
		if len(seed) != 32 {
			return
		}
		opts := &ed25519.Options{Context: context}
		signed := message
		if kind%2 == 1 {
			digest := sha512.Sum512(message)
			opts.Hash, signed = crypto.SHA512, digest[:]
		}
		private := ed25519.NewKeyFromSeed(seed)
		if !private.Equal(std.NewKeyFromSeed(seed)) {
			t.Fatalf("the key of %x", seed)
		}
		theirs, stdErr := private.Sign(nil, signed, opts)
		expanded, err := ed25519.NewExpandedPrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := expanded.Sign(nil, signed, opts)
		if !bytes.Equal(ours, theirs) || fmt.Sprint(err) != fmt.Sprint(stdErr) {
			t.Fatalf("%x %v, must be %x %v", ours, err, theirs, stdErr)
		}
		if err != nil {
			return
		}
		if *opts == (ed25519.Options{}) {
			together, err := ed25519.SignBatch([]ed25519.PrivateKey{private, private}, [][]byte{nil, message})
			if err != nil || !bytes.Equal(together[1], ours) || !bytes.Equal(ed25519.Sign(private, message), ours) {
				t.Errorf("Sign, or SignBatch: %x %v", together, err)
			}
		}
		other := append(bytes.Clone(signed), 0)
		if kind%2 == 1 {
			other = bytes.Clone(signed)
			other[63] ^= 1
		}
		public := private.Public().(ed25519.PublicKey)
		for _, rule := range ed25519.Rules() {
			if err := ed25519.VerifyWithRule(rule, public, signed, ours, opts); err != nil {
				t.Errorf("%v: %v", rule, err)
			}
			if ed25519.VerifyWithRule(rule, public, other, ours, opts) == nil {
				t.Errorf("%v: valid for another message", rule)
			}
		}
	})
}

// A row of a batch, a column and under a prepared key has the verdict that it has alone, under every rule, whatever its
// neighbours are.
func FuzzBatch(f *testing.F) {
	private := ed25519.NewKeyFromSeed(make([]byte, 32))
	public := private.Public().(ed25519.PublicKey)
	f.Add([]byte(public), []byte("message"), ed25519.Sign(private, []byte("message")), uint8(20), uint8(3))
	f.Add(make([]byte, 32), []byte{}, append([]byte{1}, make([]byte, 63)...), uint8(100), uint8(0))
	f.Add([]byte{}, []byte{}, []byte{}, uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, key, message, signature []byte, rows, at uint8) {
		if rows == 0 {
			return
		}
		count, row := int(rows), int(at)%int(rows)
		honest := ed25519.Sign(private, nil)
		keys, messages, signatures := make([]ed25519.PublicKey, count), make([][]byte, count), make([][]byte, count)
		for i := range count {
			keys[i], signatures[i] = public, honest
		}
		keys[row], messages[row], signatures[row] = key, message, signature
		columns := [3]ed25519.Column{{Offsets: []int64{0}}, {Offsets: []int64{0}}, {Offsets: []int64{0}}}
		for i := range count {
			for c, value := range [][]byte{keys[i], messages[i], signatures[i]} {
				columns[c].Values = append(columns[c].Values, value...)
				columns[c].Offsets = append(columns[c].Offsets, int64(len(columns[c].Values)))
			}
		}
		for _, rule := range ed25519.Rules() {
			alone := fmt.Sprint(ed25519.VerifyWithRule(rule, key, message, signature, nil))
			inBatch, _ := ed25519.VerifyBatch(rule, keys, messages, signatures)
			inColumns, _ := ed25519.VerifyColumns(rule, columns[0], columns[1], columns[2])
			for i := range count {
				expected := "<nil>"
				if i == row {
					expected = alone
				}
				if got := [2]string{fmt.Sprint(inBatch[i].Err()), fmt.Sprint(inColumns[i].Err())}; got != [2]string{expected, expected} {
					t.Errorf("%v, row %d of %d: %q, alone %s", rule, i, count, got, expected)
				}
			}
			if prepared, err := ed25519.NewPreparedKey(key); err == nil {
				if got := fmt.Sprint(prepared.Verify(rule, message, signature, nil)); got != alone {
					t.Errorf("%v, prepared: %s, alone %s", rule, got, alone)
				}
			}
		}
	})
}

// Columns of whatever bytes and offsets give verdicts, as many as there are rows and those of the rows alone, or an error.
func FuzzColumns(f *testing.F) {
	f.Add(make([]byte, 200), []byte{0, 32, 64}, []byte{0, 0, 9}, []byte{0, 64, 128})
	f.Add([]byte{}, []byte{}, []byte{0}, []byte{1, 0})
	f.Fuzz(func(t *testing.T, values, keyEnds, messageEnds, signatureEnds []byte) {
		column := func(ends []byte) ed25519.Column {
			c := ed25519.Column{Values: values}
			for _, end := range ends {
				c.Offsets = append(c.Offsets, int64(int8(end))) // some are below 0
			}
			return c
		}
		keys, messages, signatures := column(keyEnds), column(messageEnds), column(signatureEnds)
		verdicts, err := ed25519.VerifyColumns(ed25519.RuleZIP215, keys, messages, signatures)
		if verdicts == nil {
			if err == nil {
				t.Error("neither verdicts nor an error")
			}
			return
		}
		if len(verdicts) != keys.Rows() {
			t.Errorf("%d verdicts, %d rows", len(verdicts), keys.Rows())
		}
		value := func(c ed25519.Column, i int) []byte { return c.Values[c.Offsets[i]:c.Offsets[i+1]] }
		for i, verdict := range verdicts {
			if alone := ed25519.VerifyWithRule(ed25519.RuleZIP215, value(keys, i), value(messages, i), value(signatures, i), nil); fmt.Sprint(alone) != fmt.Sprint(verdict.Err()) {
				t.Errorf("row %d: %v, alone %v", i, verdict, alone)
			}
		}
	})
}
