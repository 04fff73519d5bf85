// Command proxy lays a module out in a folder as a module proxy serves it, for GOPROXY=file://FOLDER, and prints the size of
// its zip in bytes.
//
//	proxy MODULE_FOLDER VERSION FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: proxy MODULE_FOLDER VERSION FOLDER")
		os.Exit(2)
	}
	size, err := lay(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
	fmt.Println(size)
}

func lay(from, version, to string) (int64, error) {
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return 0, err
	}
	path := modfile.ModulePath(mod)
	escaped, err := module.EscapePath(path)
	if err != nil {
		return 0, err
	}
	to = filepath.Join(to, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return 0, err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Now().UTC()})
	if err != nil {
		return 0, err
	}
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(to, name), content, 0o666); err != nil {
			return 0, err
		}
	}
	file, err := os.Create(filepath.Join(to, version+".zip"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	// without the modules that lie in it, as the real thing
	if err := zip.CreateFromDir(file, module.Version{Path: path, Version: version}, from); err != nil {
		return 0, err
	}
	at, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return at.Size(), file.Close()
}
