package core

import (
	"bufio"
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// vectors reads a file of the frozen vectors as columns by name.
func vectors(t *testing.T, name string) (header []string, rows [][]string) {
	t.Helper()
	file, err := os.Open("../../../vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), ",")
		if header == nil {
			header = cells
			continue
		}
		if len(cells) != len(header) {
			t.Fatalf("%s: %d cells in row %d", name, len(cells), len(rows))
		}
		rows = append(rows, cells)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return header, rows
}

func unhex(t *testing.T, cell string) []byte {
	t.Helper()
	b, err := hex.DecodeString(cell)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asGiven is the variant and what is given of the message: of Ed25519ph the digest.
func asGiven(t *testing.T, name, context string, message []byte) (Variant, []byte) {
	t.Helper()
	switch name {
	case "pure":
		return Variant{}, message
	case "ctx":
		return Variant{Kind: Ctx, Context: context}, message
	case "ph":
		digest := sha512.Sum512(message)
		return Variant{Kind: Digest, Context: context}, digest[:]
	}
	t.Fatalf("variant %q", name)
	return Variant{}, nil
}

type row struct {
	id                      string
	variant                 Variant
	key, message, signature []byte
	expected                map[Rule]string
}

// verifications are the rows of verify.csv.
func verifications(t *testing.T) []row {
	t.Helper()
	header, cells := vectors(t, "ed25519/verify.csv")
	rows := make([]row, len(cells))
	for i, cell := range cells {
		r := row{id: cell[0], key: unhex(t, cell[5]), signature: unhex(t, cell[7]), expected: map[Rule]string{}}
		r.variant, r.message = asGiven(t, cell[3], string(unhex(t, cell[4])), unhex(t, cell[6]))
		for column := 8; column < len(header); column++ {
			rule := Rule(column - 7)
			if !rule.Known() || rule.Asks().Name != header[column] {
				t.Fatalf("column %d is %s", column, header[column])
			}
			r.expected[rule] = cell[column]
		}
		rows[i] = r
	}
	if len(rows) < 2290 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

func TestRulesAreThoseOfTheFile(t *testing.T) {
	_, rows := vectors(t, "rules.csv")
	if len(rows) != len(asks)-1 {
		t.Fatalf("%d rules, %d in the file", len(asks)-1, len(rows))
	}
	canonical := map[bool]string{false: "any", true: "canonical"}
	order := map[bool]string{false: "any", true: "reject_small"}
	for _, cells := range rows {
		var number Rule
		fmt.Sscan(cells[0], &number)
		a := number.Asks()
		bound, equation := "below_order", "exact"
		if a.TopBits {
			bound = "top_three_bits_clear"
		}
		if a.Cofactored {
			equation = "cofactored"
		}
		got := []string{cells[0], a.Name, bound, canonical[a.ACanonical], canonical[a.RCanonical], order[a.ALarge], order[a.RLarge], equation}
		if strings.Join(got, ",") != strings.Join(cells, ",") {
			t.Errorf("%v, in the file %v", got, cells)
		}
	}
}

// ways are those of verifying rows of one variant.
var ways = []struct {
	name string
	of   func(t *testing.T, rule Rule, rows []row) []Verdict
}{
	{"single", func(t *testing.T, rule Rule, rows []row) []Verdict {
		verdicts := make([]Verdict, len(rows))
		for i, r := range rows {
			verdicts[i] = Verify(rule, r.variant, r.key, r.message, r.signature)
		}
		return verdicts
	}},
	{"prepared", func(t *testing.T, rule Rule, rows []row) []Verdict {
		verdicts := make([]Verdict, len(rows))
		for i, r := range rows {
			if len(r.key) != 32 {
				verdicts[i] = KeyLength
			} else if prepared, decodes := Prepare(r.key); decodes {
				verdicts[i] = prepared.Verify(rule, r.variant, r.message, r.signature)
			} else if verdicts[i] = KeyNotAPoint; len(r.signature) != 64 {
				verdicts[i] = SignatureLength
			}
		}
		return verdicts
	}},
	{"batch", func(t *testing.T, rule Rule, rows []row) []Verdict {
		verdicts := make([]Verdict, len(rows))
		err := VerifyRows(t.Context(), rule, rows[0].variant, len(rows), func(i int) ([]byte, []byte, []byte) {
			return rows[i].key, rows[i].message, rows[i].signature
		}, verdicts)
		if err != nil {
			t.Fatal(err)
		}
		return verdicts
	}},
}

// Every way gives the frozen verdict, with its reason, of every row under every rule. SIGMILL_EVERY=N looks at each Nth
// row only. The lines that begin with "matrix" are read by go/check.
func TestMatrix(t *testing.T) {
	every := 1
	if text := os.Getenv("SIGMILL_EVERY"); text != "" {
		if _, err := fmt.Sscan(text, &every); err != nil || every < 1 {
			t.Fatalf("SIGMILL_EVERY=%s", text)
		}
	}
	groups := map[Variant][]row{}
	for i, r := range verifications(t) {
		if i%every == 0 {
			groups[r.variant] = append(groups[r.variant], r)
		}
	}
	for _, way := range ways {
		for rule := Common; rule.Known(); rule++ {
			checked, differing := 0, 0
			for _, group := range groups {
				for i, got := range way.of(t, rule, group) {
					checked++
					if expected := group[i].expected[rule]; got.Name() != expected {
						differing++
						t.Errorf("row %s, %s, %s: %s, must be %s", group[i].id, rule.Asks().Name, way.name, got.Name(), expected)
					}
				}
			}
			t.Logf("matrix,%s,%s,%s,%s,%d,%d", Implementation, runtime.GOARCH, way.name, rule.Asks().Name, checked, differing)
			if checked < 2290/every {
				t.Errorf("only %d rows", checked)
			}
		}
	}
}

// Tables of many rows, of a few, and in the company of rows that are valid: verdicts do not depend on it.
func TestFrozenVerdictsInTables(t *testing.T) {
	rows := verifications(t)
	for _, size := range []int{1, 3, 7, 64} {
		checked := 0
		for rule := Common; rule.Known(); rule++ {
			for variant, group := range byVariant(rows) {
				if size < 64 {
					group = group[:min(len(group), 40*size)]
				}
				for first := 0; first < len(group); first += size {
					part := group[first:min(first+size, len(group))]
					table := Table{Offsets: []int64{0}}
					for _, r := range part {
						table.Keys = append(table.Keys, r.key...)
						table.Signatures = append(table.Signatures, r.signature...)
						table.Messages = append(table.Messages, r.message...)
						table.Offsets = append(table.Offsets, int64(len(table.Messages)))
					}
					verdicts := make([]Verdict, len(part))
					if err := VerifyTable(t.Context(), rule, variant, &table, verdicts); err != nil {
						t.Fatal(err)
					}
					for i, r := range part {
						if got := verdicts[i].Name(); got != r.expected[rule] {
							t.Errorf("row %s, %s, table of %d: %s, must be %s", r.id, rule.Asks().Name, size, got, r.expected[rule])
						}
						checked++
					}
				}
			}
		}
		t.Logf("%s: %d verdicts in tables of %d rows", Implementation, checked, size)
	}
}

func byVariant(rows []row) map[Variant][]row {
	groups := map[Variant][]row{}
	for _, r := range rows {
		if len(r.key) == 32 && len(r.signature) == 64 {
			groups[r.variant] = append(groups[r.variant], r)
		}
	}
	return groups
}

func TestFrozenSignatures(t *testing.T) {
	_, rows := vectors(t, "ed25519/sign.csv")
	checked := 0
	for _, cells := range rows {
		context := string(unhex(t, cells[3]))
		if cells[2] == "ctx" && context == "" {
			continue
		}
		seed, key, expected := unhex(t, cells[4]), unhex(t, cells[5]), unhex(t, cells[7])
		variant, message := asGiven(t, cells[2], context, unhex(t, cells[6]))
		public, signature := make([]byte, 32), make([]byte, 64)
		if PublicKey(public, seed); !bytes.Equal(public, key) {
			t.Errorf("row %s: public key %x", cells[0], public)
		}
		if Sign(signature, seed, variant, message); !bytes.Equal(signature, expected) {
			t.Errorf("row %s: signature %x", cells[0], signature)
		}
		expanded := Expand(seed)
		clear(signature)
		clear(public)
		expanded.Public(public)
		expanded.Sign(signature, variant, message)
		if !bytes.Equal(signature, expected) || !bytes.Equal(public, key) {
			t.Errorf("row %s, expanded: signature %x, key %x", cells[0], signature, public)
		}
		expanded.Wipe()
		checked++
	}
	if checked < 90 {
		t.Errorf("only %d rows", checked)
	}
}
