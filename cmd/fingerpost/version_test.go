package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A build names the commit that it was made from, without being told.
func TestBuildNamesItsCommit(t *testing.T) {
	const commit = "c11bd7e0c5a1b2c3d4e5f60718293a4b5c6d7e8f"
	tests := []struct{ name, module, commit, release, want string }{
		{"a commit", "v0.0.0-20300102030405-c11bd7e0c5a1", commit, "", "0.0.0-20300102030405-c11bd7e0c5a1 (commit c11bd7e0c5a1, "},
		{"a modified commit", "v0.0.0-20300102030405-c11bd7e0c5a1+dirty", commit, "", "0.0.0-20300102030405-c11bd7e0c5a1+dirty (commit c11bd7e0c5a1, "},
		{"a tag", "v1.2.0", commit, "", "1.2.0 (commit c11bd7e0c5a1, "},
		{"an image with its release", "(devel)", "", "1.2.0", "1.2.0 ("},
		{"a source without Git", "(devel)", "", "", "unknown ("},
	}
	for _, tt := range tests {
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.module}}
		if tt.commit != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: tt.commit}}
		}
		want := "fingerpost " + tt.want + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
		if got := buildOf(info, tt.release).String(); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, want)
		}
	}
}
