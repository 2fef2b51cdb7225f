package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"fingerpost/config"
	"fingerpost/server"
	"fingerpost/server/edge"
)

func (a *app) export() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the links to files",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.exportMap())
	return cmd
}

func (a *app) exportMap() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "map [REPOSITORY]",
		Short: "Write the links of all pages to files that web servers read",
		Long: fmt.Sprintf(`Write the links of all landing pages, files and metadata of a repository to files
that web servers read: %s (Apache, HAProxy) and %s (nginx). Each is
replaced as a whole. "fingerpost snippet" prints the configuration that reads them.`, edge.MapFile, edge.NginxFile),
		Example: "  fingerpost export map --to /var/lib/fingerpost/edge",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			r, err := s.one(args)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = s.mapDir(r)
			}
			a.warnOnlyHere(s)
			site, err := s.public(nil, nil)
			if err != nil {
				return err
			}
			e, err := s.writeMaps(ctx, site, r, dir)
			if err != nil {
				return err
			}
			if a.json {
				return a.print(e)
			}
			_, err = fmt.Fprintf(a.out, "%s: %d pages written; %d on other hosts and %d that do not fit were left out\n", dir, e.Pages, e.Foreign, e.Refused)
			return err
		}),
	}
	cmd.Flags().StringVar(&dir, "to", "", "`folder` to write to (default edge.maps, or edge/REPOSITORY in the data folder)")
	return cmd
}

// mapDir is where the files for web servers are if nobody says otherwise.
func (s *session) mapDir(r config.Repository) string {
	return cmp.Or(r.Edge.Maps, filepath.Join(s.Data, "edge", r.ID))
}

// writeMaps writes the files for web servers in front of a repository.
func (s *session) writeMaps(ctx context.Context, site *server.Server, r config.Repository, dir string) (edge.Exported, error) {
	base, _, err := s.survey(ctx, r)
	if err != nil {
		return edge.Exported{}, fmt.Errorf("look at the pages of %s: %w", r.ID, err)
	}
	hosts := append([]string{webHost(base), webHost(r.OAIURL)}, r.Mapping.Hosts...)
	return edge.Export(ctx, dir, hosts, s.pages(ctx, site, r))
}

func webHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}

// pages yields all that has links in a repository, with what the lookup answers.
func (s *session) pages(ctx context.Context, site *server.Server, r config.Repository) iter.Seq2[edge.Page, error] {
	return func(yield func(edge.Page, error) bool) {
		for a, err := range site.Answers(ctx, r.ID) {
			var p edge.Page
			if err == nil {
				p = edge.Page{URI: a.URI, Links: a.InHeader}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}
