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

func (a *app) backup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database, while the gateway runs",
		Long: `Write a copy of the database to FILE, which must not exist. The gateway may
run meanwhile. The database is all that needs to be kept: whatever else is made
in the data folder is made from it.

To put a copy back: stop the gateway, remove what stands beside the database
under its name with -wal and -shm behind it, if anything does (a gateway that
was killed leaves them, and they would spoil the copy), put the copy in the
database's place, and start the gateway.`,
		Args: cobra.ExactArgs(1),
		RunE: a.withStore(func(ctx context.Context, s *session, args []string) error {
			if err := s.db.Backup(ctx, args[0]); err != nil {
				return &configError{err}
			}
			return nil
		}),
	}
}

// watchDatabase tells if the file that was opened as the database is not there
// any more: SQLite goes on with it, and all that is kept in it is lost.
func (s *session) watchDatabase(ctx context.Context, look <-chan time.Time, log *slog.Logger) {
	opened, err := os.Stat(s.Database)
	if err != nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
		}
		now, err := os.Stat(s.Database)
		if err == nil && !os.SameFile(opened, now) || errors.Is(err, fs.ErrNotExist) {
			log.Error("serve: the database was removed or replaced under the running gateway, which still shows the old one and loses what it harvests: stop it, put back what is to be kept as `fingerpost backup --help` says, and start it", "database", s.Database)
			return
		}
	}
}
