package main

import (
	"runtime/debug"
	"testing"
)

// A build names the commit that it was made from, without being told.
func TestBuildNamesItsCommit(t *testing.T) {
	const commit = "c11bd7e0c5a1b2c3d4e5f60718293a4b5c6d7e8f"
	from := func(module, revision, modified string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: module}, Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "amd64"},
		}}
		if revision != "" {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: "vcs.revision", Value: revision}, debug.BuildSetting{Key: "vcs.modified", Value: modified})
		}
		return info
	}
	tests := []struct {
		name    string
		info    *debug.BuildInfo
		release string
		want    string
	}{
		{"a commit", from("v0.0.0-20300102030405-c11bd7e0c5a1", commit, "false"), "",
			"fingerpost c11bd7e0c5a1 (commit c11bd7e0c5a1, go1.26.8, linux/amd64)"},
		{"a modified commit", from("v0.0.0-20300102030405-c11bd7e0c5a1+dirty", commit, "true"), "",
			"fingerpost c11bd7e0c5a1+dirty (commit c11bd7e0c5a1+dirty, go1.26.8, linux/amd64)"},
		{"a commit behind a tag", from("v1.2.1-0.20300102030405-c11bd7e0c5a1", commit, "false"), "",
			"fingerpost c11bd7e0c5a1 (commit c11bd7e0c5a1, go1.26.8, linux/amd64)"},
		{"a tag", from("v1.2.0", commit, "false"), "", "fingerpost 1.2.0 (commit c11bd7e0c5a1, go1.26.8, linux/amd64)"},
		{"an image with its release", from("(devel)", "", ""), "1.2.0", "fingerpost 1.2.0 (go1.26.8, linux/amd64)"},
		{"a source without Git", from("(devel)", "", ""), "", "fingerpost unknown (go1.26.8, linux/amd64)"},
	}
	for _, tt := range tests {
		if got := buildOf(tt.info, tt.release).String(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
