package ed25519_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"reflect"
	"testing"
)

// Every exported name of crypto/ed25519 is here, of the same kind and type, with the same methods.
func TestAPIIsThatOfTheStandardLibrary(t *testing.T) {
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	std, err := from.Import("crypto/ed25519")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := from.Import("github.com/sigmill/sigmill/go/ed25519")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range std.Scope().Names() {
		theirs := std.Scope().Lookup(name)
		if !theirs.Exported() {
			continue
		}
		checked++
		own := ours.Scope().Lookup(name)
		if own == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		if reflect.TypeOf(own) != reflect.TypeOf(theirs) {
			t.Errorf("%s is a %T, must be a %T", name, own, theirs)
			continue
		}
		if _, a := theirs.(*types.TypeName); a {
			// one type under two names
			if !types.Identical(types.Unalias(own.Type()), theirs.Type()) {
				t.Errorf("%s is another type", name)
			}
			continue
		}
		if c, a := theirs.(*types.Const); a && own.(*types.Const).Val().ExactString() != c.Val().ExactString() {
			t.Errorf("%s is another constant", name)
		}
		if !types.Identical(own.Type(), theirs.Type()) {
			t.Errorf("%s is %s, must be %s", name, own.Type(), theirs.Type())
		}
	}
	if checked < 12 {
		t.Errorf("only %d names", checked)
	}
	t.Logf("%d names", checked)
}
