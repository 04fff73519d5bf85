// Command texts prints the version of the interface between this module's Go sources and the texts beside
// internal/core, which go/generate makes of the library. The version is a hash of everything on which both must agree, so
// that it cannot be forgotten: types, numbers and functions of sigmill.h, the functions of calls.h, and those of them
// that cgo.go calls. Comments, blanks and attributes do not change it.
//
//	texts SIGMILL.H CALLS.H CGO.GO
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: texts SIGMILL.H CALLS.H CGO.GO")
		os.Exit(2)
	}
	version, err := versionOfFiles(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
	fmt.Println(version)
}

// versionOfFiles reads the three sources of the interface.
func versionOfFiles(header, calls, cgo string) (string, error) {
	var texts [3]string
	for i, name := range []string{header, calls, cgo} {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		texts[i] = string(text)
	}
	return versionOf(texts[0], texts[1], texts[2]), nil
}

var called = regexp.MustCompile(`(?m)^#cgo noescape (\w+)$`)

func versionOf(header, calls, cgo string) string {
	var names []string
	for _, found := range called.FindAllStringSubmatch(cgo, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	hash := sha256.New()
	for _, part := range []string{declarations(header), declarations(calls), strings.Join(names, " ")} {
		fmt.Fprintf(hash, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	continued = regexp.MustCompile(`\\\n`)
	directive = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	define    = regexp.MustCompile(`^#\s*define\s+(\w+)(?:\s+(.*))?$`)
	attribute = regexp.MustCompile(`__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\(\w+\)|extern "C" \{`)
)

// declarations is a header without what may change while its interface remains: comments, blanks, conditions, and macros
// that stand for attributes.
func declarations(text string) string {
	text = comment.ReplaceAllString(text, " ")
	text = continued.ReplaceAllString(text, " ")
	var numbers, attributes []string
	plain := func(text string) string {
		text = attribute.ReplaceAllString(text, " ")
		for _, name := range attributes {
			text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(text, " ")
		}
		return text
	}
	text = directive.ReplaceAllStringFunc(text, func(line string) string {
		found := define.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case found == nil:
		case strings.TrimSpace(plain(found[2])) == "":
			attributes = append(attributes, found[1])
		default:
			numbers = append(numbers, found[1]+" "+found[2])
		}
		return ""
	})
	return strings.Join(strings.Fields(strings.Join(numbers, "; ")+"; "+plain(text)), " ")
}
