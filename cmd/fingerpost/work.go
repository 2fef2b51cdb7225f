package main

import (
	"errors"

	"github.com/spf13/cobra"
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
			jobs, err := jobs(s.Config)
			if err != nil {
				return err
			}
			if err := checkAddresses(ctx, s); err != nil {
				return err
			}
			a.log.Info("work: begun", "repositories", len(jobs), "workers", s.Workers)
			schedulerOf(s, jobs, a.log).Run(ctx)
			a.log.Info("work: stopped")
			return nil
		},
	}
}
