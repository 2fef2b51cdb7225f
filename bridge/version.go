package bridge

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// Version changes when the same record may be mapped to another Object than
// before: with the code and its tables, with what was learned, and with the
// settings. Kept records are then mapped again.
func (m Mapping) Version() string {
	return m.version
}

func (m Mapping) fingerprint() (string, error) {
	version, err := codeVersion()
	if err != nil {
		return "", err
	}
	said, err := json.Marshal(struct {
		Code     string
		BaseURL  string
		Learned  Learned
		Settings Settings
	}{version, m.baseURL, m.learned, m.settings})
	if err != nil {
		return "", fmt.Errorf("version of the mapping: %w", err)
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8]), nil
}

//go:embed *.go
var code embed.FS

// codeVersion is a digest of everything that a mapping is made of but its
// settings: the code of this package and of those it rests on, their tables,
// and the versions of the libraries.
var codeVersion = sync.OnceValues(func() (string, error) {
	digest := sha256.New()
	for _, files := range []fs.FS{
		code, crosswalk.Code, element.Code, identifier.Code, landingpage.Code, linkset.Code, text.Code, uri.Code, vocabulary.Code,
	} {
		if err := addFiles(digest, files); err != nil {
			return "", fmt.Errorf("version of the mapping's code: %w", err)
		}
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, library := range build.Deps {
			switch library.Path {
			case "github.com/beevik/etree", "golang.org/x/net", "golang.org/x/text":
				fmt.Fprintln(digest, library.Path, library.Version, library.Sum)
			}
		}
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
})

// addFiles adds the files of a package to a digest, but for its tests.
func addFiles(digest hash.Hash, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(files, name)
		fmt.Fprintf(digest, "%s %d\n%s", name, len(content), content)
		return err
	})
}
