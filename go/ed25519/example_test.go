package ed25519_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sigmill/sigmill/go/ed25519"
)

// one is a key from a fixed seed, for examples.
func one() (ed25519.PublicKey, ed25519.PrivateKey) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	return private.Public().(ed25519.PublicKey), private
}

func Example() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	signature := ed25519.Sign(private, []byte("attack at dawn"))
	fmt.Println(ed25519.Verify(public, []byte("attack at dawn"), signature))
	fmt.Println(ed25519.Verify(public, []byte("attack at dusk"), signature))
	// Output:
	// true
	// false
}

func ExampleVerifyWithRule() {
	// the key is the point of order 1: under it, anybody can sign anything
	key, signature := make(ed25519.PublicKey, 32), make([]byte, 64)
	key[0], signature[0] = 1, 1
	for _, rule := range ed25519.Rules() {
		fmt.Println(rule, ed25519.VerifyWithRule(rule, key, []byte("anything"), signature, nil))
	}
	// Output:
	// common <nil>
	// rfc8032_exact <nil>
	// rfc8032 <nil>
	// zip215 <nil>
	// strict ed25519: the public key has small order
	// no_small_key ed25519: the public key has small order
	// no_small ed25519: the public key has small order
	// legacy <nil>
}

func ExampleVerifyBatchContext() {
	public, private := one()
	signature := ed25519.Sign(private, []byte("a"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the caller has gone
	verdicts, err := ed25519.VerifyBatchContext(ctx, ed25519.RuleCommon, []ed25519.PublicKey{public}, [][]byte{[]byte("a")}, [][]byte{signature})
	fmt.Println(len(verdicts), err)
	// Output: 0 context canceled
}

func ExampleParseRule() {
	rule, err := ed25519.ParseRule("zip215")
	fmt.Println(rule == ed25519.RuleZIP215, err)
	_, err = ed25519.ParseRule("strictest")
	fmt.Println(err)
	// Output:
	// true <nil>
	// ed25519: no rule is called "strictest"
}

func ExampleVerifyBatch() {
	public, private := one()
	messages := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	signatures, err := ed25519.SignBatch([]ed25519.PrivateKey{private}, messages)
	if err != nil {
		panic(err)
	}
	signatures[1] = signatures[0]
	keys := []ed25519.PublicKey{public, public, public}
	verdicts, err := ed25519.VerifyBatch(ed25519.RuleZIP215, keys, messages, signatures)
	fmt.Println(verdicts[0].Valid(), verdicts[1].Valid(), verdicts[2].Valid())
	fmt.Println(err)
	fmt.Println(errors.Is(err, ed25519.Equation))
	// Output:
	// true false true
	// ed25519: row 1: the signature is not one of this message under this key
	// true
}

func ExampleBatchVerifier() {
	public, private := one()
	batch := ed25519.NewBatchVerifier(ed25519.RuleNoSmallKey, 2)
	batch.Add(public, []byte("a"), ed25519.Sign(private, []byte("a")))
	batch.Add(public, []byte("b"), ed25519.Sign(private, []byte("a")))
	fmt.Println(batch.Verify())
	batch.Reset()
	batch.Add(public, []byte("a"), ed25519.Sign(private, []byte("a")))
	fmt.Println(batch.Verify())
	// Output:
	// false [true false]
	// true [true]
}

func ExamplePreparedKey() {
	public, private := one()
	key, err := ed25519.NewPreparedKey(public)
	if err != nil {
		panic(err)
	}
	for _, message := range []string{"one", "two"} {
		signature := ed25519.Sign(private, []byte(message))
		fmt.Println(key.Verify(ed25519.RuleStrict, []byte(message), signature, nil))
	}
	// Output:
	// <nil>
	// <nil>
}

func ExampleExpandedPrivateKey() {
	public, private := one()
	key, err := ed25519.NewExpandedPrivateKey(private)
	if err != nil {
		panic(err)
	}
	defer key.Wipe()
	fmt.Println(ed25519.Verify(public, []byte("message"), key.SignMessage([]byte("message"))))
	// Output: true
}

func ExampleVerifyColumns() {
	public, private := one()
	keys := ed25519.Column{Values: append(append([]byte(nil), public...), public...), Offsets: []int64{0, 32, 64}}
	messages := ed25519.Column{Values: []byte("onetwo"), Offsets: []int64{0, 3, 6}}
	signatures := ed25519.Column{Offsets: []int64{0, 64, 128}}
	for _, message := range []string{"one", "two"} {
		signatures.Values = append(signatures.Values, ed25519.Sign(private, []byte(message))...)
	}
	verdicts, err := ed25519.VerifyColumns(ed25519.RuleCommon, keys, messages, signatures)
	fmt.Println(len(verdicts), err)
	// Output: 2 <nil>
}
