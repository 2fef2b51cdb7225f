package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/harvest/riverqueue"
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
			group.Go(func() error { return work(ctx, s, scheduler) })
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

// work harvests what is configured until ctx ends: beside other processes where
// there may be some.
func work(ctx context.Context, s *session, scheduler *harvest.Scheduler) error {
	if err := scheduler.Set(ctx, jobs(s.Config, scheduler.Log)); err != nil {
		return unlessEnded(ctx, err)
	}
	if !s.Config.Shared() {
		scheduler.Run(ctx)
		return nil
	}
	queue, err := riverqueue.Open(ctx, s.Database, s.DatabasePassword.Reveal())
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer queue.Close()
	return queue.Run(ctx, scheduler, s.Workers)
}

// unlessEnded is an error unless ctx has ended, which is none.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
