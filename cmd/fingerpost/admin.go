package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"fingerpost/config"
	"fingerpost/server/dashboard"
)

// overdue is how late a harvest may begin before somebody should look: some
// wait for others, or for a repository that asked for a pause.
const overdue = time.Hour

// admin makes the dashboard, which harvests must tell of themselves.
func (s *session) admin(log *slog.Logger) (*dashboard.Dashboard, error) {
	c := dashboard.Config{Version: version, Log: log, Held: s.held}
	schedules := map[string]config.Schedule{}
	for _, r := range s.Repositories {
		schedule, err := r.Harvests()
		if err != nil {
			return nil, &configError{fmt.Errorf("schedule of repository %s: %w", r.ID, err)}
		}
		schedules[r.ID] = schedule
		page := strings.TrimRight(s.PublicURL, "/") + "/" + r.ID + "/"
		c.Repositories = append(c.Repositories, dashboard.Repository{
			ID: r.ID, Name: r.Name, OAIURL: r.OAIURL,
			Page: page, Signmap: page + "signmap.xml", Robots: page + "robots.txt",
		})
	}
	c.Next = func(id string) time.Time { return schedules[id].Next(time.Now()) }
	c.Missed = func(id string, last time.Time) time.Time {
		due := schedules[id].Next(last)
		if due.IsZero() || time.Since(due) < overdue {
			return time.Time{}
		}
		return due
	}
	return dashboard.New(c, s.db), nil
}

// held tells whether a run holds a repository, as one may if that cannot be
// found out.
func (s *session) held(ctx context.Context, id string) bool {
	unlock, err := s.db.Lock(ctx, id)
	if err != nil {
		return true
	}
	unlock()
	return false
}

// serveAdmin serves the dashboard until ctx ends; without admin_listen there
// is none.
func (s *session) serveAdmin(ctx context.Context, d *dashboard.Dashboard, log *slog.Logger) error {
	if s.AdminListen == "" {
		return nil
	}
	listener, err := listen("admin_listen", s.AdminListen)
	if err != nil {
		return err
	}
	log.Info("serve: dashboard and metrics", "address", listener.Addr().String())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { d.Run(ctx); return nil })
	group.Go(func() error { return serveOn(ctx, listener, d, documentTime) })
	return group.Wait()
}
