package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// built is what `version --json` prints.
type built struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := built{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if a.json {
				return a.print(b)
			}
			_, err := fmt.Fprintf(a.out, "fingerpost %s (%s, %s)\n", b.Version, b.Go, b.Platform)
			return err
		},
	}
}
