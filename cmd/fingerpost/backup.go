package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
)

func backupCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database, while the gateway runs",
		Long: `Write a copy of the database to FILE, which must not exist. The gateway may
run at the same time. Everything else in the data folder is made from the
database and needs no backup.

To restore a copy, stop the gateway, remove the files beside the database whose
names end in -wal and -shm (they would damage the copy), replace the database
with the copy, and start the gateway.`,
		Example: "  fingerpost backup /srv/backup/fingerpost.db --data /var/lib/fingerpost",
		Args:    cobra.ExactArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			if err := s.db.Backup(ctx, args[0]); err != nil {
				return &configError{err}
			}
			return nil
		}),
	}
}

// watchDatabase logs an error if the file that was opened as the database has
// been removed or replaced: SQLite continues with it, and all new data is lost.
func watchDatabase(ctx context.Context, file string, look <-chan time.Time, log *slog.Logger) {
	opened, err := os.Stat(file)
	if err != nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
		}
		now, err := os.Stat(file)
		if err == nil && !os.SameFile(opened, now) || errors.Is(err, fs.ErrNotExist) {
			log.Error("serve: the database was removed or replaced while the gateway runs, which serves the old one and loses what it harvests: stop the gateway, restore the database as `fingerpost backup --help` says, and start it", "database", file)
			return
		}
	}
}
