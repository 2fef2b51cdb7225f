package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
)

// choice says which repositories `status` prints.
type choice struct {
	failing       bool
	states        []string
	limit, offset int
}

// states are those that can be asked for. "never run" is no state of a run.
var states = []string{string(store.Complete), string(store.Incomplete), string(store.Failed), string(store.Interrupted), string(store.Running), neverRun}

const neverRun = "never run"

func (c choice) check(args []string) error {
	for _, state := range c.states {
		if !slices.Contains(states, state) {
			return &usageError{fmt.Errorf("--state %q: it is one of %s", state, strings.Join(states, ", "))}
		}
	}
	switch {
	case c.limit < 0 || c.offset < 0:
		return &usageError{fmt.Errorf("--limit and --offset are not negative")}
	case len(args) > 0 && (c.failing || len(c.states) > 0):
		return &usageError{fmt.Errorf("name repositories, or choose with --failing and --state")}
	}
	return nil
}

// of returns the repositories of a page, in the order of the configuration, and how
// many there are on all pages.
func (c choice) of(ctx context.Context, s *session, args []string) (page []config.Repository, total int, err error) {
	if len(args) > 0 {
		page, err = s.only(args)
		return page, len(page), err
	}
	is, err := c.filter(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	for r := range s.All() {
		ok, err := is(r)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		if total++; total > c.offset && (c.limit == 0 || len(page) < c.limit) {
			page = append(page, r)
		}
	}
	return page, total, nil
}

// filter returns what chooses a repository. How it stands is in the table of
// sources, unless nobody has looked since something happened.
func (c choice) filter(ctx context.Context, s *session) (func(config.Repository) (bool, error), error) {
	if !c.failing && len(c.states) == 0 {
		return func(config.Repository) (bool, error) { return true, nil }, nil
	}
	known, err := knownSources(ctx, s.db)
	if err != nil {
		return nil, err
	}
	return func(r config.Repository) (bool, error) {
		source, ok := known[r.ID]
		if !ok || source.Due.IsZero() {
			var err error
			if source, err = standing(ctx, s.db, r); err != nil {
				return false, err
			}
		}
		return c.has(source), nil
	}, nil
}

// standing looks at how a repository stands.
func standing(ctx context.Context, db *store.DB, r config.Repository) (store.Source, error) {
	runs, err := db.Runs(ctx, r.ID, 1)
	if err != nil || len(runs) == 0 { // as thousands are when they are new
		return store.Source{Repository: r.ID}, err
	}
	job, err := jobOf(r)
	if err != nil {
		return store.Source{}, err
	}
	source, _, err := (&harvest.Agenda{Store: db}).Look(ctx, job, time.Now())
	return source, err
}

func (c choice) has(s store.Source) bool {
	state := string(s.State)
	if state == "" {
		state = neverRun
	}
	return (!c.failing || s.Failures > 0) && (len(c.states) == 0 || slices.Contains(c.states, state))
}

func knownSources(ctx context.Context, db *store.DB) (map[string]store.Source, error) {
	all, _, err := db.Sources(ctx, store.SourceQuery{Limit: math.MaxInt32})
	known := make(map[string]store.Source, len(all))
	for _, source := range all {
		known[source.Repository] = source
	}
	return known, err
}

// rest says which repositories are not on the page; "" if all are.
func (c choice) rest(printed, total int) string {
	if printed == total {
		return ""
	}
	return fmt.Sprintf("%d of %d repositories, from number %d on: --offset and --limit print others (--limit 0 all), --failing and --state choose", printed, total, c.offset+1)
}
