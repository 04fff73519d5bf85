// Package tests compares the Go module with vectors and code of others. It is a module of its own, so that who uses
// the other one does not depend on them; the vectors come from the module proxy and are not in this repository.
package tests

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder is where a module lies that the proxy has been asked for.
func folder(t *testing.T, module string) string {
	t.Helper()
	output, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var found struct{ Dir, Error string }
	if wrong := json.Unmarshal(output, &found); err != nil || wrong != nil {
		t.Fatalf("%s: %v %s", module, err, found.Error)
	}
	return found.Dir
}

// read is what a file says, unpacked if it is packed.
func read(t *testing.T, path ...string) []byte {
	t.Helper()
	name := filepath.Join(path...)
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	from := io.Reader(file)
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	all, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readJSON(t *testing.T, into any, path ...string) {
	t.Helper()
	if err := json.Unmarshal(read(t, path...), into); err != nil {
		t.Fatalf("%v: %v", path, err)
	}
}

// hexBytes are bytes that are written in hexadecimal.
type hexBytes []byte

func (b *hexBytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.AppendDecode(nil, text)
	return err
}
