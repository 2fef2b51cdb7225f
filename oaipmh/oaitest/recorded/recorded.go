// Package recorded finds the recorded answers of real repositories that tests
// walk. They are not part of the project, since they are not ours to publish.
package recorded

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// File is a recorded answer.
type File struct {
	Platform string // the folder that it is in
	Path     string
}

// Files returns the recorded answers in the folders that FINGERPOST_SAMPLES
// lists as PATH lists its folders. Each has a folder for each platform. Without
// them the test is skipped, but fails where nothing may be skipped.
func Files(t testing.TB) []File {
	t.Helper()
	var out []File
	for _, folder := range filepath.SplitList(os.Getenv("FINGERPOST_SAMPLES")) {
		found, err := below(folder)
		if err != nil || len(found) == 0 {
			t.Fatalf("FINGERPOST_SAMPLES names %s, which has no recorded answers (%v)", folder, err)
		}
		out = append(out, found...)
	}
	switch {
	case len(out) > 0:
	case os.Getenv("FINGERPOST_CI") != "":
		t.Fatal("FINGERPOST_CI is set, so no test may be skipped: name the folders of recorded answers in FINGERPOST_SAMPLES")
	default:
		t.Skip("FINGERPOST_SAMPLES names no folder of recorded answers")
	}
	return out
}

func below(folder string) (out []File, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		platform := filepath.Dir(path)
		if err == nil && !d.IsDir() && platform != filepath.Clean(folder) {
			out = append(out, File{Platform: filepath.Base(platform), Path: path})
		}
		return err
	})
	return out, err
}
