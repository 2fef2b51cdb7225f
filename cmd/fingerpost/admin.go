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
	"fingerpost/server/dashboard"
	"fingerpost/server/verify"
)

// newBoard makes the dashboard, to which harvests report, with the metrics of the
// other parts.
func newBoard(s *session, log *slog.Logger, metrics ...prometheus.Collector) (*dashboard.Dashboard, error) {
	c := dashboard.Config{
		Version: version(), Log: log, Metrics: metrics, Hosts: s.AdminHosts,
		Verify: verify.NewForm(version(), newVerifier, time.Now),
		Locked: func(ctx context.Context, id string) bool { return isLocked(ctx, s.db, id) },
	}
	if host, _, err := net.SplitHostPort(s.AdminListen); err == nil {
		c.Hosts = append(slices.Clip(c.Hosts), host)
	}
	var err error
	if c.Next, err = nextRuns(s); err != nil {
		return nil, err
	}
	for r := range s.All() {
		page := strings.TrimRight(s.PublicURL, "/") + "/" + r.ID + "/"
		c.Repositories = append(c.Repositories, dashboard.Repository{
			ID: r.ID, Name: r.Name, OAIURL: r.OAIURL, Prefixes: r.Formats, Sets: r.Sets,
			Page: page, Signmap: page + "signmap.xml", Robots: page + "robots.txt",
		})
	}
	return dashboard.New(c, s.db), nil
}

// nextFunc returns when the next run of a repository is due, after the current
// one if there is one.
type nextFunc = func(ctx context.Context, id string, underWay bool) (dashboard.Next, error)

func nextRuns(s *session) (nextFunc, error) {
	jobs := map[string]harvest.Job{}
	for r := range s.All() {
		job, err := jobOf(r)
		if err != nil {
			return nil, err
		}
		jobs[r.ID] = job
	}
	agenda := &harvest.Agenda{Store: s.db}
	return func(ctx context.Context, id string, underWay bool) (dashboard.Next, error) {
		next, err := agenda.Next(ctx, jobs[id], time.Now(), underWay)
		return dashboard.Next{At: next.At, Why: string(next.Why), Pause: next.Pause.Reason}, err
	}, nil
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
	group.Go(func() error { d.Run(ctx); return nil })
	group.Go(func() error { return serveOn(ctx, listener, d, documentTime) })
	return group.Wait()
}
