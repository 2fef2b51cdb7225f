package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Any file either is refused or gives a configuration that, printed, loads to
// the same. Files that name further files are left aside: what those hold is
// not the input's matter.
func FuzzLoad(f *testing.F) {
	example, err := Example()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, s := range []string{small, "", "---\n---\n", "repositories: [", "repositories:\n - &a {oai_url: *a}\n", "? {a: b}\n: c\n", "listen: !!binary aGVsbG8=\n",
		"repositories:\n  - <<: {id: x}\n    oai_url: http://x\n", "%YAML 9.9\n", "a: |\n\tb", "repositories:\n  - id: x\n    politeness: {timeout: &t 3s, overlap: *t}\n"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := loadBytes(dir, src)
		if err != nil || refersToFiles(c) {
			return
		}
		printed, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := loadBytes(dir, printed)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		twice, err := again.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(printed), string(twice)); diff != "" {
			t.Fatalf("-once +twice:\n%s", diff)
		}
	})
}

func loadBytes(dir string, src []byte) (Config, error) {
	file := filepath.Join(dir, "fingerpost.yaml")
	if err := os.WriteFile(file, src, 0o600); err != nil {
		return Config{}, err
	}
	return Load(file, nil)
}

func refersToFiles(c Config) bool {
	for _, r := range c.Repositories {
		if r.Politeness.PasswordFile != "" || r.Politeness.CAFile != "" {
			return true
		}
	}
	return false
}
