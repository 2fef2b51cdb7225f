package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// release names a build whose source has no Git repository beside it, such as
// an image: go build -ldflags "-X main.release=1.2.0".
var release string

// built is what `version --json` prints.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the commit that it was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			b := buildOf(info, release)
			if a.json {
				return a.print(b)
			}
			_, err := fmt.Fprintln(a.out, b)
			return err
		},
	}
}

// version is how this build calls itself to repositories and in metrics.
var version = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, release).Version
})

// buildOf describes a build. Its version is the release, else what Go calls it:
// the tag, or a time with the commit, and "+dirty" if a file was changed.
func buildOf(info *debug.BuildInfo, release string) built {
	b := built{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info != nil {
		b.Version = cmp.Or(release, strings.TrimPrefix(info.Main.Version, "v"))
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	if b.Version == "" || b.Version == "(devel)" { // no release name, and no Git
		b.Version = "unknown"
	}
	return b
}

func (b built) String() string {
	about := b.Go + ", " + b.Platform
	if b.Commit != "" {
		about = "commit " + b.Commit[:min(len(b.Commit), 12)] + ", " + about
	}
	return fmt.Sprintf("fingerpost %s (%s)", b.Version, about)
}
