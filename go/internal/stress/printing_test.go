package main

import (
	"bytes"
	"crypto"
	stdecdsa "crypto/ecdsa"
	std "crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/sigmill/sigmill/go/ecdsa"
	"github.com/sigmill/sigmill/go/ed25519"
	oasis "github.com/sigmill/sigmill/go/oasis"
	voi "github.com/sigmill/sigmill/go/voi"
	"github.com/sigmill/sigmill/go/x25519"
)

// shown reports how a text shows some of a secret: six bytes of it in hexadecimal, decimal or as they are, 64 bits of it as a
// number, or all of it in base64 or as a number.
func shown(text string, secret []byte) string {
	dense := strings.ToLower(strings.NewReplacer(" ", "", ",", "", "0x", "", "0X", "", `\x`, "").Replace(text))
	spaced := strings.NewReplacer(",", " ", "  ", " ").Replace(text)
	words := " " + strings.NewReplacer("[", " ", "]", " ", "{", " ", "}", " ", ",", " ").Replace(text) + " "
	for i := 0; i+6 <= len(secret); i++ {
		piece := secret[i : i+6]
		switch {
		case strings.Contains(text, string(piece)):
			return "as it is"
		case strings.Contains(dense, hex.EncodeToString(piece)):
			return "in hexadecimal"
		case strings.Contains(spaced, strings.Trim(fmt.Sprint(piece), "[]")):
			return "in decimal"
		case i+8 > len(secret):
		case strings.Contains(words, fmt.Sprintf(" %d ", binary.LittleEndian.Uint64(secret[i:]))),
			strings.Contains(dense, fmt.Sprintf("%016x", binary.LittleEndian.Uint64(secret[i:]))):
			return "in words"
		}
	}
	backwards := slices.Clone(secret)
	slices.Reverse(backwards)
	switch {
	case strings.Contains(text, base64.StdEncoding.EncodeToString(secret[:len(secret)/3*3])):
		return "in base64"
	case strings.Contains(text, new(big.Int).SetBytes(secret).String()), strings.Contains(text, new(big.Int).SetBytes(backwards).String()):
		return "as a number"
	}
	return ""
}

// prints are all ways that fmt, encoders and log/slog have to write a value.
func prints(value any) map[string]string {
	out := map[string]string{}
	for _, verb := range "vTtbcdoOqxXUeEfFgGspwz" {
		for _, flags := range []string{"", "+", "#", "80.3"} {
			format := "%" + flags + string(verb)
			out[format] = fmt.Sprintf(format, value)
		}
	}
	out["Sprint"] = fmt.Sprint(value)
	encoded := func(name string, encode func(*bytes.Buffer) error) {
		defer func() { recover() }() // templates do not take what reflection has found
		var buffer bytes.Buffer
		encode(&buffer)
		out[name] = buffer.String()
	}
	encoded("gob", func(b *bytes.Buffer) error { return gob.NewEncoder(b).Encode(value) })
	encoded("json", func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(value) })
	encoded("xml", func(b *bytes.Buffer) error { return xml.NewEncoder(b).Encode(value) })
	encoded("binary", func(b *bytes.Buffer) error { return binary.Write(b, binary.LittleEndian, value) })
	encoded("template", func(b *bytes.Buffer) error {
		return template.Must(template.New("").Parse("{{.}} {{print .}} {{html .}}")).Execute(b, value)
	})
	encoded("slog, text", func(b *bytes.Buffer) error { slog.New(slog.NewTextHandler(b, nil)).Info("", "key", value); return nil })
	encoded("slog, json", func(b *bytes.Buffer) error { slog.New(slog.NewJSONHandler(b, nil)).Info("", "key", value); return nil })
	return out
}

// secretsOf are what no text may have of a secret: the bytes, and for Ed25519 what is derived of them.
func secretsOf(secret []byte) [][]byte {
	hash := sha512.Sum512(secret)
	backwards := slices.Clone(secret)
	slices.Reverse(backwards)
	return [][]byte{secret, backwards, hash[:32], hash[32:]}
}

// holders are what a program may have a key in.
func holders[K any](key *K) map[string]any {
	type named struct {
		Key   K
		Other *K
	}
	type hidden struct {
		key   K
		other *K
		any   any
	}
	type deep struct{ hidden hidden }
	type embedding struct{ hidden }
	return map[string]any{
		"value": *key, "pointer": key, "pointer to pointer": &key, "named": named{*key, key}, "pointer to named": &named{*key, key},
		"hidden": hidden{*key, key, *key}, "hidden pointer": &hidden{*key, key, key}, "deep": deep{hidden{*key, key, key}},
		"embedding": embedding{hidden{*key, key, key}}, "slice": []K{*key}, "pointers": []*K{key}, "array": [1]K{*key},
		"map": map[string]K{"a": *key}, "map of pointers": map[int]*K{1: key}, "map of any": map[any]any{1: *key, 2: key},
		"slice of hidden": []hidden{{*key, key, key}}, "field by reflection": reflect.ValueOf(hidden{*key, key, key}).Field(0),
		"pointer by reflection": reflect.ValueOf(hidden{*key, key, key}).Field(1), "error": fmt.Errorf("%w: %v", errors.ErrUnsupported, key),
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	_, private, _ := std.GenerateKey(source{})
	secret := private[:32]
	ec := must(stdecdsa.GenerateKey(elliptic.P256(), source{}))
	ecSecret := ec.D.FillBytes(make([]byte, 32))
	expanded, signer := must(ed25519.NewExpandedPrivateKey(private)), must(ecdsa.NewSigner(ec))
	agreeing := must(x25519.NewPrivateKey(secret))
	check := func(name, holder string, value any, secret []byte) {
		for way, text := range prints(value) {
			for _, secret := range secretsOf(secret) {
				if how := shown(text, secret); how != "" {
					t.Errorf("%s, %s, by %s: the secret is shown %s: %.200q", name, holder, way, how, text)
					return
				}
			}
		}
	}
	for holder, value := range holders(expanded) {
		check("ed25519.ExpandedPrivateKey", holder, value, secret)
	}
	for holder, value := range holders(signer) {
		check("ecdsa.Signer", holder, value, ecSecret)
	}
	for holder, value := range holders(agreeing) {
		check("x25519.PrivateKey", holder, value, secret)
	}
	check("crypto.Signer", "interface", struct{ signer crypto.Signer }{expanded}, secret)
	// slices of bytes, which encoders encode, and fmt prints where it looks for no methods: for the verbs p and w
	old, new := oasis.PrivateKey(private), voi.PrivateKey(private)
	asBytes := map[string]any{
		"oasis, value": old, "oasis, pointer": &old, "oasis, slice": []oasis.PrivateKey{old}, "oasis, named": struct{ Key oasis.PrivateKey }{old},
		"voi, value": new, "voi, pointer": &new, "voi, slice": []voi.PrivateKey{new}, "voi, named": struct{ Key voi.PrivateKey }{new},
	}
	for holder, value := range asBytes {
		for way, text := range prints(value) {
			var encoded bool
			switch way {
			case "gob", "json", "xml", "binary":
				encoded = true
			case "slog, json":
				encoded = !strings.HasSuffix(holder, "value") && !strings.HasSuffix(holder, "pointer")
			}
			if how := shown(text, secret); how != "" && !encoded && !strings.HasSuffix(way, "p") && !strings.HasSuffix(way, "w") {
				t.Errorf("PrivateKey of %s, by %s: the secret is shown %s: %.200q", holder, way, how, text)
			}
		}
	}
	// what the README excepts, and no more: where fmt calls no methods
	type oasisHidden struct{ key oasis.PrivateKey }
	type voiHidden struct{ key voi.PrivateKey }
	for verb, values := range map[string][]any{"%v": {oasisHidden{old}}, "%x": {voiHidden{new}}, "%w": {old, new}} {
		for _, value := range values {
			if text := fmt.Sprintf(verb, value); shown(text, secret) == "" {
				t.Errorf("go/README.md says that fmt prints the key by %s: %.200q", verb, text)
			}
		}
	}
	for _, said := range []string{fmt.Sprintf("%v %x %+v %#v", expanded, *expanded, agreeing, signer), expanded.String() + signer.GoString()} {
		if !strings.Contains(said, "ed25519.ExpandedPrivateKey(secret)") || !strings.Contains(said, "ecdsa.Signer(secret)") {
			t.Error(said)
		}
	}
	if said := fmt.Sprint((*x25519.PrivateKey)(nil), x25519.PrivateKey{}, ecdsa.Signer{}); said != "<nil> x25519.PrivateKey(secret) ecdsa.Signer(secret)" {
		t.Error(said)
	}
	// the check sees what it is for
	type open struct{ bytes [32]byte }
	type inWords struct{ words [4]uint64 }
	seen := 0
	for way, text := range prints(open{[32]byte(secret)}) {
		if shown(text, secret) != "" {
			seen++
		} else if slices.Contains([]string{"%v", "%x", "%d", "%#v", "%X", "Sprint", "slog, text"}, way) {
			t.Errorf("%s: a secret is not seen in %q", way, text)
		}
	}
	words := inWords{}
	binary.Decode(secret, binary.LittleEndian, &words.words)
	for _, verb := range []string{"%v", "%d", "%x"} {
		if shown(fmt.Sprintf(verb, words), secret) == "" {
			t.Errorf("%s: a secret in words is not seen", verb)
		}
	}
	if shown(fmt.Sprint(ec.D), ecSecret) == "" || shown(string(must(json.Marshal(secret))), secret) == "" {
		t.Error("a number or base64 is not seen")
	}
	t.Logf("%d ways to print", seen)
}
