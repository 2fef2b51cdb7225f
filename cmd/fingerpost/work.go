package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/harvest"
	"fingerpost/config"
)

func workCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Harvest on schedule, and publish nothing",
		Long: `Harvest on schedule into a PostgreSQL database, and publish nothing. As many
workers as wanted may run, on as many machines: a repository is harvested by one of
them at a time, and a host is sent one request at a time. "fingerpost serve
--web-only" publishes what they harvest.`,
		Example: "  fingerpost work -c fingerpost.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			s, err := a.begin(ctx, "")
			if err != nil {
				return err
			}
			defer s.db.Close()
			if !s.Config.Shared() {
				return &configError{errors.New("work is for a PostgreSQL database: set database to its address, or let serve harvest, which does so with the file of SQLite")}
			}
			if err := checkAddresses(ctx, s); err != nil {
				return err
			}
			a.log.Info("work: begun", "repositories", s.Len(), "workers", s.Workers)
			scheduler := schedulerOf(s, a.log)
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return work(ctx, scheduler, s.Config) })
			changed := func() { reschedule(ctx, scheduler, s.Config) }
			group.Go(func() error { watchSources(ctx, s.Config, time.Tick(sourcesCheck), a.log, changed); return nil })
			err = group.Wait()
			a.log.Info("work: stopped")
			return err
		},
	}
}

// reschedule harvests what is configured now.
func reschedule(ctx context.Context, s *harvest.Scheduler, c config.Config) {
	if err := s.Set(ctx, jobs(c, s.Log)); err != nil && ctx.Err() == nil {
		s.Log.Error("harvest: the sources stay as they were", "error", err)
	}
}

// work harvests what is configured until ctx ends.
func work(ctx context.Context, s *harvest.Scheduler, c config.Config) error {
	if err := s.Set(ctx, jobs(c, s.Log)); err != nil && ctx.Err() == nil {
		return err
	}
	s.Run(ctx)
	return nil
}
