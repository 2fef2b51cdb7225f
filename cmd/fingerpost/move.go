package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
)

// moved is what is printed of a repository that was copied.
type moved struct {
	Repository  string `json:"repository"`
	Objects     int    `json:"objects"`
	Deleted     int    `json:"deleted"`
	Quarantined int    `json:"quarantined"`
}

func moveCommand(a *app) *cobra.Command {
	var target config.Config
	var passwordFile string
	cmd := &cobra.Command{
		Use:   "move --to DATABASE",
		Short: "Copy everything into another database, and compare",
		Long: `Copy everything that is stored into another database, such as from the file of
SQLite to PostgreSQL or back, and compare the two. Links, their addresses and
their dates stay as they are. The database that is copied is not changed.

Stop the gateway first: it would go on harvesting into the old database. An
interrupted move goes on when the command is started again. When it has ended,
set "database" in the configuration to the new one, and start the gateway.`,
		Example: "  fingerpost move --to postgres://fingerpost@db.example.edu/fingerpost --password-file /run/secrets/db\n  fingerpost move --to /var/lib/fingerpost/fingerpost.db",
		Args:    cobra.NoArgs,
		RunE: a.withStore(func(ctx context.Context, s *session, _ []string) error {
			if passwordFile != "" {
				text, err := os.ReadFile(passwordFile)
				if err != nil {
					return &configError{fmt.Errorf("--password-file %s cannot be read: name a file that this user may read: %w", passwordFile, err)}
				}
				target.DatabasePassword = config.Secret(strings.TrimRight(string(text), "\r\n"))
			}
			return a.move(ctx, s, target)
		}),
	}
	cmd.Flags().StringVar(&target.Database, "to", "", "the `database`: a file, or postgres://USER@HOST/DATABASE")
	cmd.Flags().StringVar(&passwordFile, "password-file", "", "a `file` that holds the password of the PostgreSQL user")
	_ = cmd.MarkFlagRequired("to")
	return cmd
}

// move copies every repository of a store into another.
func (a *app) move(ctx context.Context, s *session, target config.Config) error {
	if target.Database == s.Database {
		return &usageError{errors.New("--to names the database that is in use: name another")}
	}
	if err := config.CheckDatabase(target.Database); err != nil {
		return &usageError{fmt.Errorf("--to %w", err)}
	}
	to, err := openDatabase(ctx, target)
	if err != nil {
		return &configError{err}
	}
	defer to.Close()
	unlock, err := s.db.Lock(ctx, servingLock)
	if err != nil {
		return fmt.Errorf("stop the gateway first, which goes on harvesting into the old database: %w", err)
	}
	defer unlock()
	if err := s.db.CopyRestraints(ctx, to); err != nil {
		return err
	}
	repositories, err := s.db.Repositories(ctx)
	if err != nil {
		return err
	}
	bars := newProgress(a.output, a.log)
	defer bars.stop()
	var done []moved
	for _, r := range repositories {
		m, err := moveOne(ctx, s.db, to, r.ID, bars)
		if err != nil {
			return err
		}
		done = append(done, m)
	}
	bars.stop()
	return a.printMoved(done, target.Database)
}

// moveOne copies one repository and compares the copy.
func moveOne(ctx context.Context, from, to *store.DB, id string, bars *progress) (moved, error) {
	for _, db := range []*store.DB{from, to} {
		unlock, err := db.Lock(ctx, id)
		if err != nil {
			return moved{}, err
		}
		defer unlock()
	}
	n, err := from.Counts(ctx, id)
	if err != nil {
		return moved{}, err
	}
	count := func(what string) func(int) {
		p := harvest.Progress{Run: store.Run{Repository: id, Prefix: what}, Total: n.Objects + n.Deleted}
		return func(objects int) {
			p.Pages++
			p.Read += objects
			p.Records = p.Read
			bars.show(p)
		}
	}
	if err := store.Copy(ctx, from, to, id, count("copied")); err != nil {
		return moved{}, err
	}
	if err := store.Differ(ctx, from, to, id, count("compared")); err != nil {
		return moved{}, fmt.Errorf("%w: empty the database that is moved to, and move again", err)
	}
	return moved{id, n.Objects, n.Deleted, n.Quarantined}, nil
}

func (a *app) printMoved(done []moved, database string) error {
	for _, m := range done {
		if a.json {
			if err := a.print(m); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.out, "%s: %d objects, %d deleted, %d in quarantine: copied and compared\n", m.Repository, m.Objects, m.Deleted, m.Quarantined)
	}
	if !a.json {
		fmt.Fprintf(a.out, "Set database: %s in the configuration, and start the gateway.\n", database)
	}
	return nil
}
