package tests

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	"crypto/sha3"
	_ "crypto/sha512"
	"crypto/x509"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	oasis "github.com/sigmill/sigmill/go/oasis"
	oasisx "github.com/sigmill/sigmill/go/oasis/x25519"
	"github.com/sigmill/sigmill/go/x25519"
)

// Wycheproof's vectors at one commit.
const wycheproof = "github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a"

// set is a file of Wycheproof's: of each kind of file what is used here.
type set struct {
	NumberOfTests int
	TestGroups    []struct {
		PublicKey    struct{ PK hexBytes }
		PublicKeyDER hexBytes
		SHA          string
		Tests        []struct {
			TcID                    int
			Comment, Result         string
			Flags                   []string
			Msg, Sig                hexBytes
			Public, Private, Shared hexBytes
		}
	}
}

// checked compares how many cases were seen with what the file says it has.
func (s *set) checked(t *testing.T, seen, valid int) {
	t.Helper()
	if seen != s.NumberOfTests || valid == 0 || valid == seen {
		t.Errorf("%d cases of %d, %d valid", seen, s.NumberOfTests, valid)
	}
	t.Logf("%d cases, %d valid", seen, valid)
}

// label is that of a case. Three are valid under one rule each, by design (docs/rules.md): an R of ZIP 215, and S of at
// least the order.
func label(rule ed25519.Rule, number int, result string) bool {
	switch {
	case rule == ed25519.RuleZIP215 && number == 151, rule == ed25519.RuleLegacy && (number == 63 || number == 85):
		return result == "invalid"
	}
	return result == "valid"
}

func TestWycheproofEd25519(t *testing.T) {
	var s set
	readJSON(t, &s, folder(t, wycheproof), "testvectors_v1", "ed25519_test.json")
	for _, rule := range ed25519.Rules() {
		batch := ed25519.NewBatchVerifier(rule, s.NumberOfTests)
		var labels []bool
		seen, valid := 0, 0
		for _, group := range s.TestGroups {
			key := ed25519.PublicKey(group.PublicKey.PK)
			prepared, err := ed25519.NewPreparedKey(key)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range group.Tests {
				label := label(rule, test.TcID, test.Result)
				alone := ed25519.VerifyWithRule(rule, key, test.Msg, test.Sig, nil)
				again := prepared.Verify(rule, test.Msg, test.Sig, nil)
				if (alone == nil) != label || (again == nil) != label {
					t.Errorf("%v, case %d (%s): %v and %v, labelled %s", rule, test.TcID, test.Comment, alone, again, test.Result)
				}
				batch.Add(key, test.Msg, test.Sig)
				labels = append(labels, label)
				seen++
				if label {
					valid++
				}
			}
		}
		_, each := batch.Verify()
		for i, label := range labels {
			if each[i] != label {
				t.Errorf("%v, the batch's row %d: %v", rule, i, each[i])
			}
		}
		s.checked(t, seen, valid)
	}
	for _, group := range s.TestGroups {
		for _, test := range group.Tests {
			for rule, opts := range map[ed25519.Rule]*oasis.Options{ed25519.RuleNoSmall: {}, ed25519.RuleZIP215: {ZIP215Verify: true}} {
				got := oasis.VerifyWithOptions(oasis.PublicKey(group.PublicKey.PK), test.Msg, test.Sig, opts)
				if got != label(rule, test.TcID, test.Result) {
					t.Errorf("oasis, %v, case %d (%s): %v", rule, test.TcID, test.Comment, got)
				}
			}
		}
	}
}

func TestWycheproofX25519(t *testing.T) {
	var s set
	readJSON(t, &s, folder(t, wycheproof), "testvectors_v1", "x25519_test.json")
	seen, agreed := 0, 0
	for _, group := range s.TestGroups {
		for _, test := range group.Tests {
			seen++
			// what is of small order has no secret; every other case has its own, acceptable as it may be
			small := bytes.Equal(test.Shared, make([]byte, 32))
			private, err := x25519.NewPrivateKey(test.Private)
			if err != nil {
				t.Fatal(err)
			}
			public, err := x25519.NewPublicKey(test.Public)
			if err != nil {
				t.Fatal(err)
			}
			shared, err := private.ECDH(public)
			again, otherErr := oasisx.X25519(test.Private, test.Public)
			if small {
				if err == nil || otherErr == nil || shared != nil || again != nil {
					t.Errorf("case %d (%s): %x %x, must be errors", test.TcID, test.Comment, shared, again)
				}
				continue
			}
			agreed++
			if !bytes.Equal(shared, test.Shared) || !bytes.Equal(again, test.Shared) {
				t.Errorf("case %d (%s): %x %v, %x %v, must be %x", test.TcID, test.Comment, shared, err, again, otherErr, test.Shared)
			}
		}
	}
	s.checked(t, seen, agreed)
}

var hashes = map[string]func([]byte) []byte{
	"SHA-256":  of(crypto.SHA256),
	"SHA-384":  of(crypto.SHA384),
	"SHA-512":  of(crypto.SHA512),
	"SHA3-256": of(crypto.SHA3_256),
	"SHA3-384": of(crypto.SHA3_384),
	"SHA3-512": of(crypto.SHA3_512),
	"SHAKE128": func(message []byte) []byte { return sha3.SumSHAKE128(message, 32) },
	"SHAKE256": func(message []byte) []byte { return sha3.SumSHAKE256(message, 64) },
}

func of(hash crypto.Hash) func([]byte) []byte {
	return func(message []byte) []byte {
		h := hash.New()
		h.Write(message)
		return h.Sum(nil)
	}
}

func TestWycheproofECDSA(t *testing.T) {
	at := filepath.Join(folder(t, wycheproof), "testvectors_v1")
	files, err := filepath.Glob(filepath.Join(at, "ecdsa_secp*_test.json"))
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), "_test.json")
		if !strings.HasPrefix(name, "ecdsa_secp256r1_") && !strings.HasPrefix(name, "ecdsa_secp384r1_") {
			continue
		}
		sets++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s set
			readJSON(t, &s, file)
			opts := &ecdsa.Options{}
			if strings.HasSuffix(name, "_p1363") {
				opts.Encoding = ecdsa.Fixed
			}
			seen, valid := 0, 0
			var keys []*ecdsa.PublicKey
			var digests, signatures [][]byte
			var labels []bool
			for _, group := range s.TestGroups {
				parsed, err := x509.ParsePKIXPublicKey(group.PublicKeyDER)
				if err != nil {
					t.Fatal(err)
				}
				key, hash := parsed.(*stdecdsa.PublicKey), hashes[group.SHA]
				if hash == nil {
					t.Fatalf("no hash is called %s", group.SHA)
				}
				for _, test := range group.Tests {
					label, digest := test.Result == "valid", hash(test.Msg)
					if err := ecdsa.VerifyWithOptions(key, digest, test.Sig, opts); (err == nil) != label {
						t.Errorf("case %d (%s): %v, labelled %s", test.TcID, test.Comment, err, test.Result)
					}
					if opts.Encoding == ecdsa.ASN1 && stdecdsa.VerifyASN1(key, digest, test.Sig) != ecdsa.VerifyASN1(key, digest, test.Sig) {
						t.Errorf("case %d (%s): not as the standard library", test.TcID, test.Comment)
					}
					keys, digests, signatures, labels = append(keys, key), append(digests, digest), append(signatures, test.Sig), append(labels, label)
					seen++
					if label {
						valid++
					}
				}
			}
			verdicts, _ := ecdsa.VerifyBatch(keys, digests, signatures, opts)
			for i, verdict := range verdicts {
				if verdict.Valid() != labels[i] {
					t.Errorf("row %d of the batch: %v", i, verdict)
				}
			}
			s.checked(t, seen, valid)
		})
	}
	if sets < 17 {
		t.Errorf("%d sets", sets)
	}
}
