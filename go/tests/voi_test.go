package tests

import (
	"bytes"
	"crypto"
	"crypto/sha512"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/sigmill/sigmill/go/ed25519"
)

// presets are the rules that curve25519-voi's options can say, its own four first.
var presets = []struct {
	name string
	rule ed25519.Rule
	asks *voi.VerifyOptions
}{
	{"VerifyOptionsDefault", ed25519.RuleNoSmallKey, voi.VerifyOptionsDefault},
	{"VerifyOptionsStdLib", ed25519.RuleCommon, voi.VerifyOptionsStdLib},
	{"VerifyOptionsFIPS_186_5", ed25519.RuleRFC8032, voi.VerifyOptionsFIPS_186_5},
	{"VerifyOptionsZIP_215", ed25519.RuleZIP215, voi.VerifyOptionsZIP_215},
	{"of rfc8032_exact", ed25519.RuleRFC8032Exact, &voi.VerifyOptions{AllowSmallOrderA: true, AllowSmallOrderR: true, CofactorlessVerify: true}},
	{"of strict", ed25519.RuleStrict, &voi.VerifyOptions{AllowNonCanonicalA: true, CofactorlessVerify: true}},
	{"of no_small", ed25519.RuleNoSmall, &voi.VerifyOptions{AllowNonCanonicalA: true}},
}

// vector is something to verify.
type vector struct {
	name                    string
	key, message, signature []byte
	opts                    ed25519.Options
}

// voiFolder is where its vectors lie.
func voiFolder(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/oasisprotocol/curve25519-voi").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "primitives", "ed25519", "testdata")
}

// vectors are all of curve25519-voi's, by file, and our frozen ones.
func vectors(t *testing.T) map[string][]vector {
	t.Helper()
	from, all := voiFolder(t), map[string][]vector{}
	add := func(file string, v vector) {
		v.name = fmt.Sprintf("%s %d", file, len(all[file]))
		all[file] = append(all[file], v)
	}

	// "Taming the many EdDSAs"
	var speccheck []struct {
		Message, Signature hexBytes
		PubKey             hexBytes `json:"pub_key"`
	}
	readJSON(t, &speccheck, from, "speccheck_cases.json.gz")
	for _, c := range speccheck {
		add("speccheck", vector{key: c.PubKey, message: c.Message, signature: c.Signature})
	}
	var grid [][2]hexBytes
	readJSON(t, &grid, from, "zip215.json.gz")
	for _, c := range grid {
		add("zip215", vector{key: c[0], message: []byte("Zcash"), signature: c[1]})
	}
	var edges []struct {
		A, R, S hexBytes
		M       string
	}
	readJSON(t, &edges, from, "ed25519vectors.json.gz")
	for _, c := range edges {
		add("ed25519vectors", vector{key: c.A, message: []byte(c.M), signature: append(bytes.Clone(c.R), c.S...)})
	}
	var older struct {
		TestGroups []struct {
			Key   struct{ PK hexBytes }
			Tests []struct{ Msg, Sig hexBytes }
		}
	}
	readJSON(t, &older, from, "eddsa_test.json.gz")
	for _, group := range older.TestGroups {
		for _, c := range group.Tests {
			add("eddsa_test", vector{key: group.Key.PK, message: c.Msg, signature: c.Sig})
		}
	}
	var contexts []struct {
		Message, Context, Signature hexBytes
		PublicKey                   hexBytes `json:"public_key"`
	}
	readJSON(t, &contexts, from, "rfc8032_ctx.json.gz")
	for _, c := range contexts {
		v := vector{key: c.PublicKey, message: c.Message, signature: c.Signature, opts: ed25519.Options{Context: string(c.Context)}}
		add("rfc8032_ctx", v)
		v.opts.Context += "!"
		add("rfc8032_ctx", v)
	}
	for line := range strings.Lines(string(read(t, from, "sign.input.gz"))) {
		cells := strings.Split(line, ":")
		var parts [3][]byte // key, message, and the signature with the message behind
		for i := range parts {
			var err error
			if parts[i], err = hex.DecodeString(cells[1+i]); err != nil {
				t.Fatal(err)
			}
		}
		add("sign.input", vector{key: parts[0], message: parts[1], signature: parts[2][:64]})
	}

	frozen, err := csv.NewReader(bytes.NewReader(read(t, "..", "..", "vectors", "ed25519", "verify.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, cells := range frozen[1:] {
		if testing.Short() && i%8 != 0 {
			continue
		}
		var parts [4][]byte // context, key, message, signature
		for i := range parts {
			if parts[i], err = hex.DecodeString(cells[4+i]); err != nil {
				t.Fatal(err)
			}
		}
		v := vector{key: parts[1], message: parts[2], signature: parts[3], opts: ed25519.Options{Context: string(parts[0])}}
		if cells[3] == "ph" {
			digest := sha512.Sum512(v.message)
			v.opts.Hash, v.message = crypto.SHA512, digest[:]
		}
		if cells[3] == "ctx" && v.opts.Context == "" {
			continue // neither library's options have a name for it
		}
		add("frozen", v)
	}
	return all
}

// theirs are curve25519-voi's verdicts: alone, with an expanded key, and of a batch that has the signature four times.
func theirs(t *testing.T, v *vector, asks *voi.VerifyOptions) [3]bool {
	t.Helper()
	opts := &voi.Options{Hash: v.opts.Hash, Context: v.opts.Context, Verify: asks}
	var out [3]bool
	if len(v.key) == voi.PublicKeySize { // it panics for others
		out[0] = voi.VerifyWithOptions(v.key, v.message, v.signature, opts)
	}
	if key, err := voi.NewExpandedPublicKey(v.key); err == nil {
		out[1] = voi.VerifyExpandedWithOptions(key, v.message, v.signature, opts)
	}
	batch := voi.NewBatchVerifier()
	for range 4 {
		batch.AddWithOptions(v.key, v.message, v.signature, opts)
	}
	all, each := batch.Verify(nil)
	out[2] = all
	for i, one := range each {
		if one != all {
			t.Errorf("%s: curve25519-voi's batch of one signature four times: row %d is %v, all is %v", v.name, i, one, all)
		}
	}
	return out
}

// ours are this module's, in the same ways.
func ours(v *vector, rule ed25519.Rule) [3]bool {
	out := [3]bool{0: ed25519.VerifyWithRule(rule, v.key, v.message, v.signature, &v.opts) == nil}
	if key, err := ed25519.NewPreparedKey(v.key); err == nil {
		out[1] = key.Verify(rule, v.message, v.signature, &v.opts) == nil
	}
	batch := ed25519.NewBatchVerifier(rule, 4)
	for range 4 {
		batch.AddWithOptions(v.key, v.message, v.signature, &v.opts)
	}
	out[2], _ = batch.Verify()
	return out
}

// Where a rule of curve25519-voi has a name here, the verdicts are the same on every vector of its own and of ours, alone,
// prepared and in a batch.
func TestVerdictsAreThoseOfCurve25519Voi(t *testing.T) {
	all := vectors(t)
	for _, preset := range presets {
		t.Run(preset.name, func(t *testing.T) {
			t.Parallel()
			checked, valid, differing := 0, 0, 0
			for _, of := range all {
				for i := range of {
					our, their := ours(&of[i], preset.rule), theirs(t, &of[i], preset.asks)
					for way, name := range []string{"alone", "prepared", "batch"} {
						checked++
						if our[way] {
							valid++
						}
						if our[way] != their[way] {
							differing++
							t.Errorf("%s, %s: %v, curve25519-voi says %v", of[i].name, name, our[way], their[way])
						}
					}
				}
			}
			t.Logf("voi,%s,%s,%v,%d,%d,%d", ed25519.Implementation(), preset.name, preset.rule, checked, valid, differing)
		})
	}
	for file, least := range map[string]int{
		"speccheck": 12, "zip215": 196, "ed25519vectors": 768, "eddsa_test": 145, "rfc8032_ctx": 6, "sign.input": 128, "frozen": 280,
	} {
		if len(all[file]) < least {
			t.Errorf("%s: %d vectors, not %d", file, len(all[file]), least)
		}
	}
}
