package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/postgres"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/config"
)

// session is a configuration with its store open.
type session struct {
	config.Config
	db   *store.DB
	file string // the configuration file, if any
}

// begin reads the configuration and opens the store.
func (a *app) begin(ctx context.Context, oaiURL string) (*session, error) {
	c, err := a.settings(ctx, oaiURL, a.log)
	if err != nil {
		return nil, err
	}
	db, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &session{Config: c, db: db, file: a.file}, nil
}

// open opens the store, whose folder it makes if need be.
func open(ctx context.Context, c config.Config) (*store.DB, error) {
	if err := os.MkdirAll(c.Data, 0o750); err != nil {
		return nil, &configError{fmt.Errorf("the data folder %s cannot be made (%w): name another with --data, or let this user write there", c.Data, cause(err))}
	}
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, &configError{err}
	}
	return db, nil
}

// openDatabase opens the database with its engine.
func openDatabase(ctx context.Context, c config.Config) (*store.DB, error) {
	if c.Shared() {
		return postgres.Open(ctx, c.Database, c.DatabasePassword.Reveal())
	}
	return sqlite.Open(ctx, c.Database)
}

// withStore is what a command does that needs no more than the configuration
// and the store, which is open as long as do runs.
func (a *app) withStore(do func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.begin(cmd.Context(), "")
		if err != nil {
			return err
		}
		defer s.db.Close()
		return do(cmd.Context(), s, args)
	}
}

// only returns the repositories with these names; all for none.
func (s *session) only(names []string) ([]config.Repository, error) {
	if len(names) == 0 {
		return slices.Collect(s.All()), nil
	}
	var out []config.Repository
	for _, n := range names {
		r, ok := s.Repository(n)
		if !ok {
			return nil, &usageError{fmt.Errorf("there is no repository %q: %s", n, s.known())}
		}
		out = append(out, r)
	}
	return out, nil
}

// one returns the named repository, or the only one.
func (s *session) one(names []string) (config.Repository, error) {
	chosen, err := s.only(names)
	if err != nil {
		return config.Repository{}, err
	}
	if len(chosen) != 1 {
		return config.Repository{}, &usageError{errors.New("name one repository: " + s.known())}
	}
	return chosen[0], nil
}

// mostNamed is how many repositories a message names.
const mostNamed = 50

func (s *session) known() string {
	var ids []string
	for r := range s.All() {
		if len(ids) == mostNamed {
			ids = append(ids, fmt.Sprintf("and %d others", s.Len()-mostNamed))
			break
		}
		ids = append(ids, r.ID)
	}
	return "the configuration names " + strings.Join(ids, ", ")
}

// harvested reports whether a repository was ever harvested to an end: then
// there is something to serve, however many runs have failed since.
func harvested(ctx context.Context, r *store.DB, id string) bool {
	for n := 10; n <= 1000; n *= 10 { // most often the newest run tells
		runs, err := r.Runs(ctx, id, n)
		switch {
		case err != nil:
			return false
		case slices.ContainsFunc(runs, func(run store.Run) bool { return run.State == store.Complete || run.State == store.Incomplete }):
			return true
		case len(runs) < n:
			return false
		}
	}
	return false
}
