package ed25519_test

import (
	"bytes"
	"crypto"
	std "crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/sigmill/sigmill/go/ed25519"
)

// seeded is a reader of bytes that are the same in every run.
func seeded(name string) *bytes.Reader {
	var out []byte
	for i := range 256 {
		digest := sha512.Sum512(fmt.Appendf(nil, "%s %d", name, i))
		out = append(out, digest[:]...)
	}
	return bytes.NewReader(out)
}

// panicOf is the text of what a call panics with.
func panicOf(call func()) (text string) {
	defer func() {
		if said := recover(); said != nil {
			text = fmt.Sprint(said)
		}
	}()
	call()
	return "no panic"
}

func TestSameAsTheStandardLibrary(t *testing.T) {
	for i := range 200 {
		a, b := seeded(fmt.Sprint("keys", i)), seeded(fmt.Sprint("keys", i))
		pub, priv, err := ed25519.GenerateKey(a)
		stdPub, stdPriv, stdErr := std.GenerateKey(b)
		if err != nil || stdErr != nil || !pub.Equal(stdPub) || !priv.Equal(stdPriv) || a.Len() != b.Len() {
			t.Fatalf("GenerateKey: %x %v, %x %v, left %d and %d", priv, err, stdPriv, stdErr, a.Len(), b.Len())
		}
		message := bytes.Repeat([]byte{byte(i)}, i)
		signature := ed25519.Sign(priv, message)
		if !bytes.Equal(signature, std.Sign(priv, message)) {
			t.Fatalf("Sign of %d bytes", i)
		}
		digest := sha512.Sum512(message)
		for _, opts := range []*ed25519.Options{{}, {Context: "one"}, {Hash: crypto.SHA512}, {Hash: crypto.SHA512, Context: strings.Repeat("c", 255)}} {
			signed := message
			if opts.Hash != 0 {
				signed = digest[:]
			}
			expanded, err := ed25519.NewExpandedPrivateKey(priv)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := expanded.Sign(nil, signed, opts)
			theirs, stdErr := priv.Sign(nil, signed, opts)
			if err != nil || stdErr != nil || !bytes.Equal(ours, theirs) {
				t.Fatalf("%v: %x %v, %x %v", opts, ours, err, theirs, stdErr)
			}
			for bit := range 5 {
				damaged := bytes.Clone(theirs)
				if bit > 0 {
					damaged[(i*7+bit*13)%64] ^= 1 << bit
				}
				err, stdErr := ed25519.VerifyWithOptions(pub, signed, damaged, opts), std.VerifyWithOptions(pub, signed, damaged, opts)
				if fmt.Sprint(err) != fmt.Sprint(stdErr) {
					t.Fatalf("%v, bit %d: %v, %v", opts, bit, err, stdErr)
				}
			}
		}
	}
}

func TestErrorsAndPanicsAreThoseOfTheStandardLibrary(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	message := []byte("message")
	signature := ed25519.Sign(priv, message)
	for _, size := range []int{0, 1, 31, 32, 33, 63, 64, 65, 1000} {
		key, long := make([]byte, size), append(bytes.Clone(priv), make([]byte, size)...)[:size]
		for name, call := range map[string][2]func(){
			"NewKeyFromSeed": {func() { ed25519.NewKeyFromSeed(key) }, func() { std.NewKeyFromSeed(key) }},
			"Sign":           {func() { ed25519.Sign(long, message) }, func() { std.Sign(long, message) }},
			"Verify":         {func() { ed25519.Verify(key, message, signature) }, func() { std.Verify(key, message, signature) }},
			"VerifyWithOptions": {
				func() { ed25519.VerifyWithOptions(key, message, signature, &ed25519.Options{}) },
				func() { std.VerifyWithOptions(key, message, signature, &std.Options{}) },
			},
		} {
			if ours, theirs := panicOf(call[0]), panicOf(call[1]); ours != theirs {
				t.Errorf("%s, %d bytes: %q, must be %q", name, size, ours, theirs)
			}
		}
		ours := ed25519.VerifyWithOptions(pub, message, key, &ed25519.Options{})
		theirs := std.VerifyWithOptions(pub, message, key, &std.Options{})
		if fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("a signature of %d bytes: %v, must be %v", size, ours, theirs)
		}
	}
	digest := sha512.Sum512(message)
	for _, opts := range []*ed25519.Options{
		{Hash: crypto.SHA256}, {Context: strings.Repeat("c", 256)}, {Hash: crypto.SHA512, Context: strings.Repeat("c", 256)}, {Hash: crypto.SHA512},
	} {
		for _, signed := range [][]byte{message, digest[:]} {
			if err := ed25519.VerifyWithRule(ed25519.RuleCommon, pub, signed, signature, opts); err == nil {
				t.Errorf("%v: VerifyWithRule says valid", opts)
			}
		}
	}
	if _, _, err := ed25519.GenerateKey(iotest.ErrReader(errors.New("empty"))); err == nil || err.Error() != "empty" {
		t.Errorf("GenerateKey without bytes: %v", err)
	}
	if said := panicOf(func() { ed25519.VerifyWithRule(0, pub, message, signature, nil) }); said != "ed25519: no verification rule: rule 0" {
		t.Errorf("rule 0: %s", said)
	}
	if said := panicOf(func() { ed25519.NewBatchVerifier(9, 1) }); said != "ed25519: no verification rule: rule 9" {
		t.Errorf("rule 9: %s", said)
	}
}

// A function that signs with a public key of the caller's gives the secret away with two signatures of one message.
func TestSignDoesNotBelieveThePublicHalf(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	crossed := append(bytes.Clone(priv[:32]), other...)
	message := []byte("message")
	signature := ed25519.Sign(crossed, message)
	if !bytes.Equal(signature, ed25519.Sign(priv, message)) || !ed25519.Verify(pub, message, signature) {
		t.Error("the second half has changed the signature")
	}
	signatures, err := ed25519.SignBatch([]ed25519.PrivateKey{crossed, priv}, [][]byte{message, message})
	if err != nil || !bytes.Equal(signatures[0], signature) || !bytes.Equal(signatures[1], signature) {
		t.Errorf("SignBatch: %x, %v", signatures, err)
	}
	expanded, err := ed25519.NewExpandedPrivateKey(crossed)
	if err != nil {
		t.Fatal(err)
	}
	if !pub.Equal(expanded.Public()) || !bytes.Equal(expanded.SignMessage(message), signature) {
		t.Error("an expanded key believes the second half")
	}
	if !ed25519.PublicKey(other).Equal(ed25519.PrivateKey(crossed).Public()) {
		t.Error("Public is the stored half, as in the standard library")
	}
	expanded.Wipe()
	if said := panicOf(func() { expanded.SignMessage(message) }); said != "ed25519: the expanded key has been wiped" {
		t.Errorf("after Wipe: %s", said)
	}
	if _, err := expanded.Sign(nil, message, crypto.Hash(0)); err == nil {
		t.Error("after Wipe it signs")
	}
	expanded.Wipe()
}

// The standard library's containers take our keys.
func TestContainersTakeKeys(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil || !priv.Equal(parsed) {
		t.Errorf("PKCS#8: %v", err)
	}
	der, err = x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := x509.ParsePKIXPublicKey(der); err != nil || !pub.Equal(key) {
		t.Errorf("SPKI: %v", err)
	}
	expanded, err := ed25519.NewExpandedPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, expanded)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := x509.ParseCertificateRequest(request); err != nil || parsed.CheckSignature() != nil {
		t.Errorf("a request signed by an expanded key: %v", err)
	}
}

func TestBatches(t *testing.T) {
	const rows = 70
	publics, privates, err := ed25519.GenerateKeys(seeded("batch"), rows)
	if err != nil {
		t.Fatal(err)
	}
	messages := make([][]byte, rows)
	for i := range messages {
		messages[i] = bytes.Repeat([]byte("m"), i)
	}
	signatures, err := ed25519.SignBatch(privates, messages)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range ed25519.Rules() {
		if parsed, err := ed25519.ParseRule(rule.String()); err != nil || parsed != rule {
			t.Errorf("%v: %v, %v", rule, parsed, err)
		}
		verdicts, err := ed25519.VerifyBatch(rule, publics, messages, signatures)
		if err != nil || len(verdicts) != rows {
			t.Fatalf("%v: %v", rule, err)
		}
		// damaged, of another size, and missing
		wrong := append([][]byte(nil), signatures...)
		wrong[3] = append(bytes.Clone(wrong[3][:63]), 0xff)
		wrong[9] = wrong[10]
		wrong[20], wrong[21] = nil, append(bytes.Clone(wrong[21]), 0)
		keys := append([]ed25519.PublicKey(nil), publics...)
		keys[30] = keys[30][:31]
		verdicts, err = ed25519.VerifyBatch(rule, keys, messages, wrong)
		var refused *ed25519.NotAllValidError
		if !errors.As(err, &refused) || refused.Row != 3 || refused.Verdict != ed25519.SOutOfRange || !errors.Is(err, ed25519.SOutOfRange) {
			t.Errorf("%v: %v", rule, err)
		}
		expected := map[int]ed25519.Verdict{3: ed25519.SOutOfRange, 9: ed25519.Equation, 20: ed25519.SignatureLength, 21: ed25519.SignatureLength, 30: ed25519.KeyLength}
		for i, verdict := range verdicts {
			single := ed25519.VerifyWithRule(rule, keys[i], messages[i], wrong[i], nil)
			if verdict != expected[i] || fmt.Sprint(single) != fmt.Sprint(verdict.Err()) {
				t.Errorf("%v, row %d: %v, alone %v", rule, i, verdict, single)
			}
		}
		// incrementally, in several variants
		batch := ed25519.NewBatchVerifier(rule, 0)
		if all, each := batch.Verify(); all || len(each) != 0 {
			t.Error("a batch of none")
		}
		for round := range 2 {
			for i := range rows {
				if i%2 == 0 {
					batch.Add(publics[i], messages[i], signatures[i])
					continue
				}
				prepared, err := ed25519.NewPreparedKey(publics[i])
				if err != nil {
					t.Fatal(err)
				}
				opts := &ed25519.Options{Hash: crypto.SHA512, Context: "c"}
				digest := sha512.Sum512(messages[i])
				signature, err := privates[i].Sign(nil, digest[:], opts)
				if err != nil {
					t.Fatal(err)
				}
				if err := prepared.Verify(rule, digest[:], signature, opts); err != nil {
					t.Error(err)
				}
				batch.AddPrepared(prepared, digest[:], signature, opts)
			}
			if all, each := batch.Verify(); !all || len(each) != rows || batch.Len() != rows {
				t.Errorf("%v: %v", rule, each)
			}
			batch.AddWithOptions(publics[0], messages[0], signatures[0], &ed25519.Options{Context: strings.Repeat("c", 256)})
			batch.AddWithOptions(publics[0], messages[0], signatures[0], &ed25519.Options{Hash: crypto.SHA512})
			all, each := batch.Verify()
			verdicts, err := batch.Verdicts(t.Context())
			if err != nil || all || each[rows] || each[rows+1] || !each[rows-1] || verdicts[rows+1] != ed25519.DigestLength {
				t.Errorf("%v: options that cannot be: %v", rule, each[rows:])
			}
			batch.Reset()
			if batch.Len() != 0 {
				t.Errorf("round %d: Reset leaves %d", round, batch.Len())
			}
		}
	}
	if _, err := ed25519.VerifyBatch(ed25519.RuleCommon, publics, messages[1:], signatures); err == nil {
		t.Error("lengths that differ")
	}
	if verdicts, err := ed25519.VerifyBatch(ed25519.RuleCommon, nil, nil, nil); err != nil || len(verdicts) != 0 {
		t.Errorf("no rows: %v", err)
	}
	if _, err := ed25519.SignBatch(privates, messages[1:]); err == nil {
		t.Error("keys and messages that differ in number")
	}
	if _, err := ed25519.SignBatch([]ed25519.PrivateKey{privates[0][:63]}, messages); err == nil || err.Error() != "ed25519: row 0: bad private key length: 63" {
		t.Errorf("a short key: %v", err)
	}
	if signatures, err := ed25519.SignBatch(privates[:1], messages); err != nil || !ed25519.Verify(publics[0], messages[69], signatures[69]) {
		t.Errorf("one key: %v", err)
	}
}

// The zero value is no key: 32 zeros are the encoding of a point of order 4, for which anybody can sign under some rules.
func TestPreparedKeysThatNobodyMade(t *testing.T) {
	for _, key := range []*ed25519.PreparedKey{nil, new(ed25519.PreparedKey)} {
		identity := append([]byte{1}, make([]byte, 63)...)
		zeros := make([]byte, 32)
		for i := range byte(32) {
			message := []byte{i}
			if key.Verify(ed25519.RuleZIP215, message, identity, nil) == nil {
				t.Errorf("%v: valid by Verify", key)
			}
			if ed25519.VerifyWithRule(ed25519.RuleZIP215, zeros, message, identity, nil) != nil {
				t.Fatal("32 zeros no longer verify: the test tests nothing")
			}
			batch := ed25519.NewBatchVerifier(ed25519.RuleZIP215, 1)
			batch.AddPrepared(key, message, identity, nil)
			if all, each := batch.Verify(); all || each[0] {
				t.Errorf("%v: valid in a batch", key)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	publics, privates, err := ed25519.GenerateKeys(nil, 5)
	if err != nil {
		t.Fatal(err)
	}
	column := func(values ...[]byte) ed25519.Column {
		c := ed25519.Column{Values: []byte("before"), Offsets: []int64{6}}
		for _, value := range values {
			c.Values = append(c.Values, value...)
			c.Offsets = append(c.Offsets, int64(len(c.Values)))
		}
		return c
	}
	var keys, messages, signatures [][]byte
	for i, private := range privates {
		message := bytes.Repeat([]byte{1}, i)
		keys, messages, signatures = append(keys, publics[i]), append(messages, message), append(signatures, ed25519.Sign(private, message))
	}
	verdicts, err := ed25519.VerifyColumns(ed25519.RuleZIP215, column(keys...), column(messages...), column(signatures...))
	if err != nil || len(verdicts) != 5 {
		t.Fatalf("%v %v", verdicts, err)
	}
	messages[4] = nil
	verdicts, err = ed25519.VerifyColumns(ed25519.RuleZIP215, column(keys...), column(messages...), column(signatures...))
	if err == nil || verdicts[4] != ed25519.Equation || verdicts[3] != ed25519.Valid {
		t.Fatalf("%v %v", verdicts, err)
	}
	for _, offsets := range [][]int64{{0, 1, 2, 3, 4, 1 << 40}, {0, 3, 2, 3, 4, 5}, {-1, 0, 0, 0, 0, 0}} {
		bad := ed25519.Column{Values: make([]byte, 10), Offsets: offsets}
		if _, err := ed25519.VerifyColumns(ed25519.RuleZIP215, column(keys...), bad, column(signatures...)); err == nil || !strings.Contains(err.Error(), "messages: offset") {
			t.Errorf("offsets %v: %v", offsets, err)
		}
	}
	if _, err := ed25519.VerifyColumns(ed25519.RuleZIP215, column(keys...), ed25519.Column{}, column(signatures...)); err == nil {
		t.Error("no messages")
	}
}

func TestManyGoroutines(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := ed25519.NewPreparedKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	expanded, err := ed25519.NewExpandedPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for worker := range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 50 {
				message := fmt.Appendf(nil, "%d %d", worker, i)
				signature := expanded.SignMessage(message)
				if err := prepared.Verify(ed25519.RuleStrict, message, signature, nil); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
}
