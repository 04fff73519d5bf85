// Package frozen compares the public functions with the frozen vectors of the repository. It is a module of its own, as the
// vectors are not in the other's zip.
package frozen

import (
	"bytes"
	"crypto"
	"crypto/sha512"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/sigmill/sigmill/go/ed25519"
)

// frozen is a row of vectors/ed25519/verify.csv, with the verdict of each rule by its name.
type frozen struct {
	id                      string
	key, message, signature []byte
	opts                    crypto.SignerOpts
	expected                map[string]string
}

// readLines are those of a file of the frozen vectors, its header first.
func readLines(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open("../../../vectors/ed25519/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func readFrozen(t *testing.T) []frozen {
	t.Helper()
	lines := readLines(t, "verify.csv")
	bytesOf := func(cell string) []byte {
		out, err := hex.DecodeString(cell)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	every := 1
	if testing.Short() && ed25519.Implementation() == "pure Go" {
		every = 5
	}
	var rows []frozen
	for i, cells := range lines[1:] {
		if i%every != 0 {
			continue
		}
		row := frozen{id: cells[0], key: bytesOf(cells[5]), message: bytesOf(cells[6]), signature: bytesOf(cells[7]),
			expected: map[string]string{}}
		switch context := string(bytesOf(cells[4])); {
		case cells[3] == "ctx" && i%2 == 0 || cells[3] == "ctx" && context == "":
			row.opts = &ed25519.ContextOptions{Context: context}
		case cells[3] == "ctx":
			row.opts = &ed25519.Options{Context: context}
		case cells[3] == "ph":
			digest := sha512.Sum512(row.message)
			row.opts, row.message = &ed25519.Options{Hash: crypto.SHA512, Context: context}, digest[:]
		}
		for i, rule := range lines[0][8:] {
			row.expected[rule] = cells[8+i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Every function of the package that verifies has the frozen verdict, with its reason, of each row under each rule. The
// lines that begin with "matrix" are read by go/check.
func TestFrozenVerdicts(t *testing.T) {
	rows := readFrozen(t)
	for _, rule := range ed25519.Rules() {
		checked, differing := 0, 0
		is := func(row *frozen, way string, got ed25519.Verdict) {
			checked++
			if expected := row.expected[rule.String()]; got.String() != expected {
				differing++
				t.Errorf("row %s, %v, %s: %v, must be %s", row.id, rule, way, got, expected)
			}
		}
		// ended is the verdict of an error
		ended := func(row *frozen, err error) (verdict ed25519.Verdict) {
			if err != nil && !errors.As(err, &verdict) {
				t.Fatalf("row %s: %v", row.id, err)
			}
			return verdict
		}
		batch := ed25519.NewBatchVerifier(rule, len(rows))
		var pure []*frozen
		var keys []ed25519.PublicKey
		var messages, signatures [][]byte
		columns := [3]ed25519.Column{{Offsets: []int64{0}}, {Offsets: []int64{0}}, {Offsets: []int64{0}}}
		for i := range rows {
			row := &rows[i]
			is(row, "VerifyWithRule", ended(row, ed25519.VerifyWithRule(rule, row.key, row.message, row.signature, row.opts)))
			if prepared, err := ed25519.NewPreparedKey(row.key); err == nil {
				is(row, "PreparedKey", ended(row, prepared.Verify(rule, row.message, row.signature, row.opts)))
				batch.AddPrepared(prepared, row.message, row.signature, row.opts)
			} else {
				if len(row.signature) == ed25519.SignatureSize {
					is(row, "NewPreparedKey", ended(row, err))
				}
				batch.AddWithOptions(row.key, row.message, row.signature, row.opts)
			}
			if row.opts != nil {
				continue
			}
			pure, keys, messages, signatures = append(pure, row), append(keys, row.key), append(messages, row.message), append(signatures, row.signature)
			for at, value := range [][]byte{row.key, row.message, row.signature} {
				columns[at].Values = append(columns[at].Values, value...)
				columns[at].Offsets = append(columns[at].Offsets, int64(len(columns[at].Values)))
			}
		}
		verdicts, err := batch.Verdicts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, each := batch.Verify()
		for i, verdict := range verdicts {
			is(&rows[i], "BatchVerifier", verdict)
			if each[i] != verdict.Valid() {
				t.Errorf("row %s, %v: Verify says %v, Verdicts %v", rows[i].id, rule, each[i], verdict)
			}
		}
		inSlices, _ := ed25519.VerifyBatch(rule, keys, messages, signatures)
		inColumns, _ := ed25519.VerifyColumns(rule, columns[0], columns[1], columns[2])
		for i, row := range pure {
			is(row, "VerifyBatch", inSlices[i])
			is(row, "VerifyColumns", inColumns[i])
		}
		t.Logf("matrix,%s,%s,package,%v,%d,%d", ed25519.Implementation(), runtime.GOARCH, rule, checked, differing)
		if checked < 4*len(rows) || len(rows) < 400 {
			t.Errorf("%v: only %d verdicts of %d rows", rule, checked, len(rows))
		}
	}
}

// Which encodings are keys, and what the rules say of a key before they look at anything else: those that are not canonical,
// of large order among them, are keys under the rules that do not ask for it.
func TestFrozenEncodings(t *testing.T) {
	canonical := []ed25519.Rule{ed25519.RuleRFC8032Exact, ed25519.RuleRFC8032, ed25519.RuleNoSmallKey}
	large := []ed25519.Rule{ed25519.RuleStrict, ed25519.RuleNoSmallKey, ed25519.RuleNoSmall}
	lines := readLines(t, "decode.csv")
	refused := map[ed25519.Verdict]int{}
	for _, cells := range lines[1:] {
		encoding, err := hex.DecodeString(cells[0])
		if err != nil {
			t.Fatal(err)
		}
		decodes, isCanonical, small := cells[1] == "1", cells[2] == "1", cells[3] == "1"
		if _, err := ed25519.NewPreparedKey(encoding); (err == nil) != decodes {
			t.Errorf("%s: NewPreparedKey: %v", cells[0], err)
		}
		for _, rule := range ed25519.Rules() {
			expected := ed25519.Valid
			switch {
			case !decodes:
				expected = ed25519.KeyNotAPoint
			case !isCanonical && slices.Contains(canonical, rule):
				expected = ed25519.KeyNotCanonical
			case small && slices.Contains(large, rule):
				expected = ed25519.KeySmallOrder
			}
			// R is the point of order 2, which is canonical; S is out of range
			signature := append(append([]byte{0xec}, bytes.Repeat([]byte{0xff}, 30)...), 0x7f)
			signature = append(signature, bytes.Repeat([]byte{0xff}, 32)...)
			got := ed25519.VerifyWithRule(rule, encoding, nil, signature, nil)
			ofKey := errors.Is(got, ed25519.KeyNotAPoint) || errors.Is(got, ed25519.KeyNotCanonical) || errors.Is(got, ed25519.KeySmallOrder)
			if ofKey != (expected != ed25519.Valid) || ofKey && got != expected {
				t.Errorf("%s, %v: %v, must be %v", cells[0], rule, got, expected)
			}
			refused[expected]++
		}
	}
	if len(lines) < 215 || refused[ed25519.Valid] < 500 || refused[ed25519.KeyNotCanonical] < 60 || refused[ed25519.KeySmallOrder] < 30 || refused[ed25519.KeyNotAPoint] < 400 {
		t.Errorf("%d lines, %v", len(lines), refused)
	}
}
