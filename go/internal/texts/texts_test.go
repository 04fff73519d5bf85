package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const core = "../core/"

// listed are the lines of texts.txt, which go/generate writes beside the texts: commit, interface, and a name with the
// hash of that file's bytes.
func listed(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(core + "texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); !strings.HasPrefix(line, "#") && len(words) == 2 {
			lines[words[0]] = words[1]
		}
	}
	return lines
}

// The texts were made for the interface that the Go sources beside them use. In the repository the header is that of the
// library, as it is now; elsewhere there is only the copy that was made together with the texts.
func TestInterfaceOfTheTexts(t *testing.T) {
	header := "../../../capi/include/sigmill.h"
	if _, err := os.Stat(header); errors.Is(err, fs.ErrNotExist) {
		header = core + "sigmill.h"
	}
	sources, err := versionOfFiles(header, core+"calls.h", core+"cgo.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := listed(t)
	if texts := lines["interface"]; texts != sources {
		t.Errorf("the texts in go/internal/core have interface %s, made from commit %s; the sources have %s: "+
			"commit the sources, run `make release-go`, and commit what it writes", texts, lines["commit"], sources)
	}
}

// Every text is the one that was made, and none is missing.
func TestTextsAreThoseThatWereMade(t *testing.T) {
	lines := listed(t)
	want := []string{"sigmill.h"}
	if lines["commit"] != "none" { // a copy of the module, for tests, has only the texts that they run
		want = append(want, "image_entries.go", "image_tables.h", "image_words.h", "sigmill_linux_amd64.S", "sigmill_linux_arm64.S")
	}
	for _, pattern := range []string{"sigmill_linux_*.S", "image_*.h", "image_entries.go"} {
		found, err := filepath.Glob(core + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			want = append(want, filepath.Base(name))
		}
	}
	slices.Sort(want)
	for _, name := range slices.Compact(want) {
		text, err := os.ReadFile(core + name)
		if err != nil {
			t.Error(err)
			continue
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != lines[name] {
			t.Errorf("go/internal/core/%s is not the text that go/generate made: its SHA-256 is %x, in texts.txt %q", name, sum, lines[name])
		}
	}
}

func TestVersionOf(t *testing.T) {
	const header = `/* a comment */
#if defined(_WIN32)
#define API __declspec(dllimport)
#else
#define API
#endif
#define SIZE 32 // bytes
enum numbers { A = 1, B = 2 };
API int f(int a, const char *b);
`
	const calls, cgo = "CALL int go_f(int a) { return f(a, 0); }", "#cgo noescape go_f\n#cgo nocallback go_f\n"
	version := versionOf(header, calls, cgo)
	change := func(text, old, new string) string {
		t.Helper()
		if strings.Count(text, old) != 1 {
			t.Fatalf("%q is not once in the text", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, same := range [][2]string{
		{"/* a comment */", "/* another,\n of two lines */"},
		{"// bytes", ""},
		{"API int f", "API\n  int f"},
		{"API int f", "__attribute__((warn_unused_result)) int f"},
		{"API int f", "#define CHECKED API __attribute__((visibility(\"default\"), warn_unused_result))\nCHECKED int f"},
	} {
		if got := versionOf(change(header, same[0], same[1]), calls, cgo); got != version {
			t.Errorf("%q for %q is another interface", same[1], same[0])
		}
	}
	for _, other := range [][2]string{
		{"B = 2", "B = 3"},
		{"SIZE 32", "SIZE 48"},
		{"int a, const char *b", "const char *b, int a"},
		{"API int f", "API int g(void);\nAPI int f"},
	} {
		if versionOf(change(header, other[0], other[1]), calls, cgo) == version {
			t.Errorf("%q for %q is the same interface", other[1], other[0])
		}
	}
	if versionOf(header, change(calls, "f(a, 0)", "f(a, \"\")"), cgo) == version {
		t.Error("another function in calls.h is the same interface")
	}
	if versionOf(header, calls, cgo+"#cgo noescape go_g\n") == version {
		t.Error("another function that is called is the same interface")
	}
}
