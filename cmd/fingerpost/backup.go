package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) backup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database, while the gateway runs",
		Long: `Write a copy of the database to FILE, which must not exist. The gateway may
run meanwhile. The database is all that needs to be kept: whatever else is made
in the data folder is made from it. To restore it, stop the gateway and put the
copy in the place of the database.`,
		Args: cobra.ExactArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			if err := s.db.Backup(ctx, args[0]); err != nil {
				return &configError{err}
			}
			return nil
		}),
	}
}
