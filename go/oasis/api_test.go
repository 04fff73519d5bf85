package ed25519_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

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

func TestAPIIsTheDocumentedOne(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for path, expected := range documented {
		pkg, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		named := func(other *types.Package) string {
			if other == pkg {
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
				method := methods.At(i).Obj().(*types.Func)
				if !method.Exported() {
					continue
				}
				signature := method.Type().(*types.Signature)
				plain := strings.TrimPrefix(types.TypeString(signature, named), "func")
				found = append(found, "method ("+types.TypeString(signature.Recv().Type(), named)+") "+method.Name()+plain)
			}
		}
		slices.Sort(found)
		if !slices.Equal(found, expected) {
			t.Errorf("%s has\n%s\nmust have\n%s", path, strings.Join(found, "\n"), strings.Join(expected, "\n"))
		}
	}
}
