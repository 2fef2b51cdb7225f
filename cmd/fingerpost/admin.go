package main

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/server/dashboard"
	"fingerpost/server/edge"
	"fingerpost/server/verify"
)

// surveyedForPage is from how many addresses a page of the dashboard learns the
// pattern of a repository's pages: it must not take long.
const surveyedForPage = 1000

// newBoard makes the dashboard, with the metrics of the other parts.
func newBoard(e *edges, metrics ...prometheus.Collector) *dashboard.Dashboard {
	c := dashboard.Config{
		Version: version(), Log: e.log, Metrics: metrics, Hosts: e.AdminHosts,
		Verify: verify.NewForm(version(), newVerifier, time.Now),
		Repository: func(id string) (dashboard.Repository, bool) {
			r, ok := e.Repository(id)
			return shownRepository(e.Config, r), ok
		},
		Servers: edge.Servers(), Snippet: e.shownSnippet, Unreachable: onlyHere(e.Config),
	}
	if host, _, err := net.SplitHostPort(e.AdminListen); err == nil {
		c.Hosts = append(slices.Clip(c.Hosts), host)
	}
	return dashboard.New(c, e.db)
}

func shownRepository(c config.Config, r config.Repository) dashboard.Repository {
	page := strings.TrimRight(c.PublicURL, "/") + "/" + r.ID + "/"
	return dashboard.Repository{
		ID: r.ID, Name: r.Name, OAIURL: r.OAIURL, Prefixes: r.Formats, Sets: r.Sets,
		Page: page, Signmap: page + "signmap.xml", Robots: page + "robots.txt",
	}
}

// shownSnippet is what `fingerpost snippet` prints, from fewer addresses.
func (e *edges) shownSnippet(ctx context.Context, id, server string) (string, error) {
	r, _ := e.Repository(id) // it is shown: it is configured
	site, err := e.webSite(ctx, r, surveyedForPage)
	if err != nil {
		return "", err
	}
	return edge.Snippet(server, "", site)
}

// nextFunc returns when the next run of a repository is due, after the current
// one if there is one.
type nextFunc = func(ctx context.Context, id string, underWay bool) (harvest.Next, error)

func nextRuns(s *session) nextFunc {
	agenda := &harvest.Agenda{Store: s.db}
	return func(ctx context.Context, id string, underWay bool) (harvest.Next, error) {
		r, _ := s.Repository(id)
		job, err := jobOf(r)
		if err != nil {
			return harvest.Next{}, err
		}
		return agenda.Next(ctx, job, time.Now(), underWay)
	}
}

// isLocked reports whether a run has locked a repository, or a gateway the data
// folder (servingLock). If that cannot be found out, it may be so.
func isLocked(ctx context.Context, db *store.DB, id string) bool {
	unlock, err := db.Lock(ctx, id)
	if err != nil {
		return true
	}
	unlock()
	return false
}

// serveAdmin serves the dashboard until ctx ends; without admin_listen there
// is none.
func serveAdmin(ctx context.Context, address string, d *dashboard.Dashboard, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	listener, err := listen("admin_listen", address)
	if err != nil {
		return err
	}
	log.Info("serve: dashboard and metrics", "address", listener.Addr().String())
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, d.Close)()
	group.Go(func() error { return serveOn(ctx, listener, d, documentTime) })
	return group.Wait()
}
