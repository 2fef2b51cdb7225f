package recorded

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFilesOfSeveralFolders(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	want := []File{{"ojs", filepath.Join(a, "ojs", "1.xml")}, {"dspace", filepath.Join(b, "dspace", "1.xml")}, {"ojs", filepath.Join(b, "ojs", "2.xml")}}
	for _, name := range []string{filepath.Join(a, "INDEX.tsv"), want[0].Path, want[1].Path, want[2].Path} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FINGERPOST_SAMPLES", a+string(os.PathListSeparator)+b)
	if got := Files(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSkippedOnlyWhereItMayBe(t *testing.T) {
	t.Setenv("FINGERPOST_SAMPLES", "")
	t.Setenv("FINGERPOST_CI", "")
	skipped := false
	t.Run("without", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Files(t)
	})
	if !skipped {
		t.Error("a test without recorded answers is not skipped")
	}
}
