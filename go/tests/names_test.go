package tests

import (
	"bytes"
	"crypto"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/hdevalence/ed25519consensus"
	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519/extra/cache"
	"github.com/sigmill/sigmill/go/ed25519"
	ourconsensus "github.com/sigmill/sigmill/go/ed25519consensus"
	ourvoi "github.com/sigmill/sigmill/go/voi"
	ourcache "github.com/sigmill/sigmill/go/voi/extra/cache"
)

// said is a verdict, or what was panicked with.
func said(call func() bool) (answer string) {
	defer func() {
		if value := recover(); value != nil {
			answer = fmt.Sprint(value)
		}
	}()
	return fmt.Sprint(call())
}

// Under each of the 32 verification options of curve25519-voi the package with its names says what it says, of every
// vector, in every way; those for which there is no rule are refused.
func TestVoiNamesAreVoi(t *testing.T) {
	all := vectors(t)
	for bits := range 32 {
		asks := voi.VerifyOptions{
			AllowSmallOrderA: bits&1 != 0, AllowSmallOrderR: bits&2 != 0, AllowNonCanonicalA: bits&4 != 0,
			AllowNonCanonicalR: bits&8 != 0, CofactorlessVerify: bits&16 != 0,
		}
		t.Run(fmt.Sprintf("%+v", asks), func(t *testing.T) {
			t.Parallel()
			ourAsks := ourvoi.VerifyOptions(asks)
			checked, valid, refused := 0, 0, 0
			for _, of := range all {
				for i := range of {
					if testing.Short() && i%4 != 0 {
						continue
					}
					v := &of[i]
					opts := &voi.Options{Hash: v.opts.Hash, Context: v.opts.Context, Verify: &asks}
					our := &ourvoi.Options{Hash: v.opts.Hash, Context: v.opts.Context, Verify: &ourAsks}
					theirs, ours := voi.NewBatchVerifier(), ourvoi.NewBatchVerifier()
					ways := map[string][2]string{
						"alone": {
							said(func() bool { return voi.VerifyWithOptions(v.key, v.message, v.signature, opts) }),
							said(func() bool { return ourvoi.VerifyWithOptions(v.key, v.message, v.signature, our) }),
						},
						"cached": {
							said(func() bool {
								return cache.NewVerifier(cache.NewLRUCache(1)).VerifyWithOptions(v.key, v.message, v.signature, opts)
							}),
							said(func() bool {
								return ourcache.NewVerifier(ourcache.NewLRUCache(1)).VerifyWithOptions(v.key, v.message, v.signature, our)
							}),
						},
						"batch": {
							said(func() bool {
								theirs.AddWithOptions(v.key, v.message, v.signature, opts)
								theirs.AddWithOptions(v.key, v.message, v.signature, opts)
								ok, _ := theirs.Verify(nil)
								return ok
							}),
							said(func() bool {
								ours.AddWithOptions(v.key, v.message, v.signature, our)
								ours.AddWithOptions(v.key, v.message, v.signature, our)
								ok, _ := ours.Verify(nil)
								return ok
							}),
						},
						"only": {
							said(func() bool { return theirs.VerifyBatchOnly(nil) }),
							said(func() bool { return ours.VerifyBatchOnly(nil) }),
						},
					}
					// a batch that had to refuse its rows has no verdict of them; the order of a map is random
					hasNoRule := strings.Contains(ways["alone"][1], "no rule of sigmill")
					for way, answers := range ways {
						checked++
						switch {
						case strings.Contains(answers[1], "no rule of sigmill"):
							refused++
						case answers[0] != answers[1] && !(way == "only" && hasNoRule):
							t.Errorf("%s, %s: %s, curve25519-voi says %s", v.name, way, answers[1], answers[0])
						case answers[1] == "true":
							valid++
						}
					}
				}
			}
			t.Logf("voi names,%s,%d,%d,%d", ed25519.Implementation(), checked, valid, refused)
			if refused == 0 && valid == 0 && !(asks.AllowNonCanonicalR && asks.CofactorlessVerify) {
				t.Error("nothing is valid")
			}
		})
	}
}

func TestConsensusNamesAreConsensus(t *testing.T) {
	checked, valid := 0, 0
	for _, of := range vectors(t) {
		for i := range of {
			v := &of[i]
			theirs, ours := ed25519consensus.NewBatchVerifier(), ourconsensus.NewBatchVerifier()
			for range 3 {
				theirs.Add(v.key, v.message, v.signature)
				ours.Add(v.key, v.message, v.signature)
			}
			for way, answers := range map[string][2]bool{
				"alone": {
					ed25519consensus.Verify(v.key, v.message, v.signature), ourconsensus.Verify(v.key, v.message, v.signature),
				},
				"batch": {theirs.Verify(), ours.Verify()},
			} {
				checked++
				if answers[0] != answers[1] {
					t.Errorf("%s, %s: %v, ed25519consensus says %v", v.name, way, answers[1], answers[0])
				}
				if answers[1] {
					valid++
				}
			}
		}
	}
	t.Logf("consensus names,%s,%d,%d", ed25519.Implementation(), checked, valid)
	if checked < 1000 || valid < 300 {
		t.Errorf("%d of %d valid", valid, checked)
	}
}

// Keys, signatures (with random bytes as well) and what is refused of signing are those of the originals.
func TestVoiNamesSignAsVoi(t *testing.T) {
	for i := range 40 {
		source := bytes.Repeat([]byte{byte(i), 3, byte(i * i)}, 40)
		pub, priv, err := voi.GenerateKey(bytes.NewReader(source))
		ourPub, ourPriv, ourErr := ourvoi.GenerateKey(bytes.NewReader(source))
		if err != nil || ourErr != nil || !bytes.Equal(pub, ourPub) || !bytes.Equal(priv, ourPriv) {
			t.Fatalf("keys of %x", source)
		}
		for _, size := range []int{0, 1, 64, 300, 300_000} {
			message := bytes.Repeat([]byte{byte(size), 7}, size)[:size]
			for _, hash := range []crypto.Hash{0, crypto.SHA512, crypto.SHA256} {
				for _, context := range []string{"", "c", strings.Repeat("c", 255), strings.Repeat("c", 256)} {
					for bits := range 4 {
						opts := &voi.Options{Hash: hash, Context: context, AddedRandomness: bits&1 != 0, SelfVerify: bits&2 != 0}
						our := &ourvoi.Options{Hash: hash, Context: context, AddedRandomness: bits&1 != 0, SelfVerify: bits&2 != 0}
						signature, err := priv.Sign(bytes.NewReader(source), message, opts)
						ourSignature, ourErr := ourPriv.Sign(bytes.NewReader(source), message, our)
						if fmt.Sprint(err) != fmt.Sprint(ourErr) || !bytes.Equal(signature, ourSignature) {
							t.Errorf("%d bytes, %+v: %x %v, curve25519-voi: %x %v", size, our, ourSignature, ourErr, signature, err)
						}
					}
				}
			}
			if !bytes.Equal(voi.Sign(priv, message), ourvoi.Sign(ourPriv, message)) {
				t.Errorf("Sign of %d bytes", size)
			}
		}
		for _, opts := range []*voi.Options{{AddedRandomness: true}, {Verify: &voi.VerifyOptions{AllowNonCanonicalR: true, CofactorlessVerify: true}}, {Verify: &voi.VerifyOptions{AllowSmallOrderA: true}}} {
			our := &ourvoi.Options{AddedRandomness: opts.AddedRandomness, Verify: (*ourvoi.VerifyOptions)(opts.Verify)}
			signature, err := priv.Sign(bytes.NewReader(source[:31]), nil, opts)
			ourSignature, ourErr := ourPriv.Sign(bytes.NewReader(source[:31]), nil, our)
			if fmt.Sprint(err) != fmt.Sprint(ourErr) || !bytes.Equal(signature, ourSignature) {
				t.Errorf("%+v: %x %v, curve25519-voi: %x %v", our, ourSignature, ourErr, signature, err)
			}
		}
	}
}

// The exported names of github.com/oasisprotocol/ed25519 and its extra/x25519 as their documentation has them, written
// down here: no module proxy serves the original any more. Four are ours: they keep keys from being printed.
var documented = map[string][]string{
	"github.com/sigmill/sigmill/go/oasis": {
		"const ContextMaxSize untyped int = 255",
		"const PrivateKeySize untyped int = 64",
		"const PublicKeySize untyped int = 32",
		"const SeedSize untyped int = 32",
		"const SignatureSize untyped int = 64",
		"func GenerateKey(rand io.Reader) (PublicKey, PrivateKey, error)",
		"func NewKeyFromSeed(seed []byte) PrivateKey",
		"func Sign(privateKey PrivateKey, message []byte) []byte",
		"func Verify(publicKey PublicKey, message []byte, sig []byte) bool",
		"func VerifyBatch(rand io.Reader, publicKeys []PublicKey, messages [][]byte, sigs [][]byte, opts *Options) (bool, []bool, error)",
		"func VerifyWithOptions(publicKey PublicKey, message []byte, sig []byte, opts *Options) bool",
		"method (*Options) HashFunc() crypto.Hash",
		"method (PrivateKey) Equal(x crypto.PrivateKey) bool",
		"method (PrivateKey) Format(state fmt.State, _ rune)",
		"method (PrivateKey) GoString() string",
		"method (PrivateKey) LogValue() slog.Value",
		"method (PrivateKey) Public() crypto.PublicKey",
		"method (PrivateKey) Seed() []byte",
		"method (PrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) (signature []byte, err error)",
		"method (PrivateKey) String() string",
		"method (PublicKey) Equal(x crypto.PublicKey) bool",
		"type Options struct{Hash crypto.Hash; Context string; ZIP215Verify bool}",
		"type PrivateKey []byte",
		"type PublicKey []byte",
	},
	"github.com/sigmill/sigmill/go/oasis/x25519": {
		"const PointSize untyped int = 32",
		"const ScalarSize untyped int = 32",
		"func EdPrivateKeyToX25519(privateKey ed25519.PrivateKey) []byte",
		"func EdPublicKeyToX25519(publicKey ed25519.PublicKey) ([]byte, bool)",
		"func ScalarBaseMult(dst *[32]byte, in *[32]byte)",
		"func ScalarMult(dst *[32]byte, in *[32]byte, base *[32]byte)",
		"func X25519(scalar []byte, point []byte) ([]byte, error)",
		"var Basepoint []byte",
	},
}

func TestNamesAreTheDocumentedOnes(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for path, expected := range documented {
		if found := namesOf(t, from, path); !slices.Equal(found, expected) {
			t.Errorf("%s has\n%s\nmust have\n%s", path, strings.Join(found, "\n"), strings.Join(expected, "\n"))
		}
	}
}

// namesOf returns the exported names of a package with their types, sorted. Structs with fields that are not exported, which
// are each package's own, have none.
func namesOf(t *testing.T, from types.Importer, path string) []string {
	pkg, err := from.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	named := func(other *types.Package) string {
		if other == pkg || other.Name() == "curve" { // of curve25519-voi: one type, which stands in the package here
			return ""
		}
		return other.Name()
	}
	var found []string
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		text := types.ObjectString(object, named)
		if structure, of := object.Type().Underlying().(*types.Struct); of && structure.NumFields() > 0 && !structure.Field(0).Exported() {
			text = "type " + name
		}
		if constant, is := object.(*types.Const); is {
			text += " = " + constant.Val().ExactString()
		}
		found = append(found, text)
		typed, is := object.(*types.TypeName)
		if !is {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(typed.Type()))
		for i := range methods.Len() {
			if method := methods.At(i).Obj().(*types.Func); method.Exported() {
				signature := method.Type().(*types.Signature)
				plain := strings.TrimPrefix(types.TypeString(signature, named), "func")
				found = append(found, "method ("+types.TypeString(signature.Recv().Type(), named)+") "+method.Name()+plain)
			}
		}
	}
	slices.Sort(found)
	return found
}

// Every name of the originals is there, with its type. What is ours alone keeps keys from being printed, and stands for a
// type of another package.
func TestNamesAreAllThere(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for ours, originals := range map[string]string{
		"github.com/sigmill/sigmill/go/voi":              "github.com/oasisprotocol/curve25519-voi/primitives/ed25519",
		"github.com/sigmill/sigmill/go/voi/extra/cache":  "github.com/oasisprotocol/curve25519-voi/primitives/ed25519/extra/cache",
		"github.com/sigmill/sigmill/go/ed25519consensus": "github.com/hdevalence/ed25519consensus",
	} {
		here, there := namesOf(t, from, ours), namesOf(t, from, originals)
		for i := range here {
			here[i] = strings.ReplaceAll(here[i], "ed25519.CompressedEdwardsY", "CompressedEdwardsY")
		}
		for _, name := range there {
			if !slices.Contains(here, name) {
				t.Errorf("%s lacks %s; it has\n%s", ours, name, strings.Join(here, "\n"))
			}
		}
		if len(there) < 4 {
			t.Errorf("%s has %d names", originals, len(there))
		}
	}
}
