package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/config"
)

// damageCheck is how often `serve` looks for damage in the database.
const damageCheck = 24 * time.Hour

// damageNote is the file beside the database in which the other commands read
// that it is damaged. They do not look themselves: all of it would be read.
func damageNote(c config.Config) string {
	if c.Shared() {
		return filepath.Join(c.Data, "database.damaged")
	}
	return c.Database + ".damaged"
}

// damageIn says what is damaged and what to do; "" if nothing is known to be.
func damageIn(c config.Config) string {
	sentence, _ := os.ReadFile(damageNote(c)) // without it, no check found damage
	return string(sentence)
}

// examineDatabase looks for damage: *store.DamagedError. It leaves a note of
// what it finds, and removes that of an earlier check.
func examineDatabase(ctx context.Context, s *session) error {
	err := s.db.Check(ctx)
	switch {
	case is[*store.DamagedError](err):
		return errors.Join(err, os.WriteFile(damageNote(s.Config), []byte(err.Error()), 0o640))
	case err != nil:
		return err
	}
	if err := os.Remove(damageNote(s.Config)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// watchForDamage examines the database at once, and again at each tick.
func watchForDamage(ctx context.Context, s *session, again <-chan time.Time, log *slog.Logger) {
	for ctx.Err() == nil {
		if err := examineDatabase(ctx, s); err != nil && ctx.Err() == nil {
			log.Error("serve: the database was examined", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-again:
		}
	}
}

// readyUndamaged is what /readyz says: the public reads no path of this machine.
func (g *gateway) readyUndamaged() (bool, string) {
	if damageIn(g.Config) != "" {
		return false, "the database is damaged: see the log or `fingerpost status`"
	}
	return g.ready.state()
}
