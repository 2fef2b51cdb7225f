package main

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// release names a build whose source has no Git repository beside it, such as
// an image: go build -ldflags "-X main.release=1.2.0".
var release string

// built is what `version --json` prints.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the commit that it was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json {
				return a.print(b)
			}
			_, err := fmt.Fprintln(a.out, b)
			return err
		},
	}
}

// version is how this build calls itself to repositories and in metrics.
func version() string { return thisBuild().Version }

func thisBuild() built {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, release)
}

// buildOf describes a build. Its version is the release, else the commit, else
// what Go calls the module.
func buildOf(info *debug.BuildInfo, release string) built {
	if info == nil {
		return built{Version: cmp.Or(release, unknown)}
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	b := built{
		Commit: settings["vcs.revision"], Modified: settings["vcs.modified"] == "true",
		Go: info.GoVersion, Platform: settings["GOOS"] + "/" + settings["GOARCH"],
	}
	b.Version = cmp.Or(release, tag(info.Main.Version), b.commit(), unknown)
	return b
}

// unknown is the version of a build without a release name and without a
// Git repository.
const unknown = "unknown"

// invented is what Go calls a commit that has no tag.
var invented = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{12}`)

// tag is the commit's version tag; "" if it has none.
func tag(module string) string {
	number, found := strings.CutPrefix(module, "v")
	if !found || invented.MatchString(module) {
		return ""
	}
	return number
}

// commit abbreviates the commit, and marks one whose files were changed as Go
// does.
func (b built) commit() string {
	short := b.Commit[:min(len(b.Commit), 12)]
	if b.Modified {
		short += "+dirty"
	}
	return short
}

func (b built) String() string {
	about := []string{b.Go, b.Platform}
	if b.Commit != "" {
		about = slices.Insert(about, 0, "commit "+b.commit())
	}
	return fmt.Sprintf("fingerpost %s (%s)", b.Version, strings.Join(about, ", "))
}
