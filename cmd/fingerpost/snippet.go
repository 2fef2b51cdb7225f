package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/server/edge"
)

// surveyed is from how many addresses of a repository its host and the pattern of
// its pages are learned.
const surveyed = 50_000

func snippetCommand(a *app) *cobra.Command {
	var mode, gateway, origin, dir string
	cmd := &cobra.Command{
		Use:   "snippet " + strings.Join(edge.Servers(), "|") + " [REPOSITORY]",
		Short: "Print the web server configuration that adds the links to a repository's pages",
		Long: `Print the configuration with which the web server in front of a repository adds
the links to its landing pages, files and metadata. With --mode lookup it asks
the gateway for the links of each page, with --mode map it reads the files that
"export map" writes. The configuration fits the addresses of the harvested
objects. If the gateway fails, pages are served as before.`,
		Example: `  fingerpost snippet nginx --data data
  fingerpost snippet haproxy main -c fingerpost.yaml --dir /var/lib/fingerpost/edge`,
		Args: cobra.RangeArgs(1, 2),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			a.warnOnlyHere(s)
			r, err := s.one(args[1:])
			if err != nil {
				return err
			}
			e, err := newEdges(s, nil)
			if err != nil {
				return err
			}
			site, err := e.webSite(ctx, r, surveyed)
			if err != nil {
				return err
			}
			site.Gateway, site.Origin, site.Dir = cmp.Or(gateway, site.Gateway), cmp.Or(origin, site.Origin), cmp.Or(dir, site.Dir)
			text, err := edge.Snippet(args[0], mode, site)
			if err != nil {
				return &usageError{err}
			}
			_, err = fmt.Fprint(a.out, text)
			return err
		}),
	}
	cmd.Flags().StringVar(&mode, "mode", "", "lookup or map (default what the web server does best)")
	cmd.Flags().StringVar(&gateway, "gateway", "", "`host:port` at which the web server reaches the gateway (default from listen)")
	cmd.Flags().StringVar(&origin, "origin", "", "`host:port` of the repository's own web server (default edge.origin, or 127.0.0.1:8000)")
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` that \"export map\" writes to (default edge.maps, or edge/REPOSITORY in the data folder)")
	return cmd
}

// webSite describes a repository's web server by its pages and the configuration.
func (e *edges) webSite(ctx context.Context, r config.Repository, addresses int) (edge.Site, error) {
	base, urls, err := e.survey(ctx, r, addresses)
	if err != nil {
		return edge.Site{}, fmt.Errorf("look at the pages of %s: %w", r.ID, err)
	}
	dir, err := filepath.Abs(mapFolders{e.Config, r}.first())
	if err != nil {
		return edge.Site{}, fmt.Errorf("find the folder for exported links: %w", err)
	}
	return edge.Site{
		ID: r.ID, Base: base, Hosts: r.Mapping.Hosts, Pattern: edge.Pattern(urls), Dir: dir,
		Gateway: reachable(e.Listen), Origin: cmp.Or(hostPort(r.Edge.Origin), "127.0.0.1:8000"),
		Signmap: signmapOf(e.Config, r),
	}, nil
}

// survey returns scheme and host of a repository's pages, and enough of the
// addresses there that have links. Before the first harvest, scheme and host are those of the
// OAI-PMH interface.
func (e *edges) survey(ctx context.Context, r config.Repository, enough int) (base string, urls []string, err error) {
	var pages, all []string
	for o, err := range e.db.Objects(ctx, r.ID, 0) {
		if err != nil {
			return "", nil, err
		}
		if !o.LandingPage.Resolve {
			pages = append(pages, o.LandingPage.URL)
		}
		for _, item := range o.Items {
			pages = append(pages, item.URL)
		}
		for _, l := range e.ofPages(ctx, o) {
			if len(all) == 0 || all[len(all)-1] != l.Anchor {
				all = append(all, l.Anchor)
			}
		}
		if len(all) >= enough {
			break
		}
	}
	base = cmp.Or(edge.Base(pages), edge.Base([]string{r.OAIURL}))
	return base, slices.DeleteFunc(all, func(u string) bool { return !strings.EqualFold(webHost(u), webHost(base)) }), nil
}

// ofPages returns the links of an object, without those of the gateway's copies of
// its metadata.
func (e *edges) ofPages(ctx context.Context, o store.Object) linkset.LinkSet {
	return slices.DeleteFunc(e.site.Published(ctx, o).Links, func(l linkset.Link) bool {
		return strings.HasPrefix(l.Anchor, e.PublicURL+"/")
	})
}

// hostPort returns host and port of a web address; "" if it is invalid.
func hostPort(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Host == "" || u.Port() != "":
		return u.Host
	case u.Scheme == "https":
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// reachable turns an address to listen on into one to connect to.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
