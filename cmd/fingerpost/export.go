package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"fingerpost/server/edge"
)

func exportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the links to files",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(exportMapCommand(a))
	return cmd
}

func exportMapCommand(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "map [REPOSITORY]",
		Short: "Write the links of all pages to files that web servers read",
		Long: fmt.Sprintf(`Write the links of all landing pages, files and metadata of a repository to files
that web servers read: %s (Apache, HAProxy) and %s (nginx). Each is
replaced as a whole. "fingerpost snippet" prints the matching configuration.

From then on "fingerpost serve" renews them when it starts and after each run that
changed something, until the folder is removed.`, edge.MapFile, edge.NginxFile),
		Example: "  fingerpost export map --to /var/lib/fingerpost/edge",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			r, err := s.one(args)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = mapFolders{s.Config, r}.first()
			}
			a.warnOnlyHere(s)
			e, err := newEdges(s, nil)
			if err != nil {
				return err
			}
			written, err := e.exportMaps(ctx, r, dir)
			if err != nil {
				return err
			}
			if closed := closedTo(dir); closed != "" {
				a.log.Warn("export map: web servers cannot read the maps: run chmod o+x on the folder, or choose another with --to", "maps", dir, "folder", closed)
			}
			if a.json {
				return a.print(written)
			}
			_, err = fmt.Fprintf(a.out, "%s: %d pages written; %d on other hosts and %d that do not fit were left out\n", dir, written.Pages, written.Foreign, written.Refused)
			return err
		}),
	}
	cmd.Flags().StringVar(&dir, "to", "", "`folder` to write to (default edge.maps, or where they are, or edge/REPOSITORY in the data folder)")
	return cmd
}
