package harvest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"

	"github.com/cespare/xxhash/v2"
)

// sourceStore is what a Scheduler needs of the table of sources.
type sourceStore interface {
	SyncSources(ctx context.Context, configured []store.Source) error
	SaveSource(ctx context.Context, source store.Source) error
	LookAt(ctx context.Context, repository string) error
	LookAtHost(ctx context.Context, host string) error
	DueHosts(ctx context.Context, before time.Time) ([]store.DueHost, error)
	DueSources(ctx context.Context, host string, before time.Time, n int) ([]store.Source, error)
}

// Row is a Job as the table of sources has it before anything is known of the
// source.
func (j Job) Row() store.Source {
	r := j.Repository
	sum := xxhash.Sum64String(fmt.Sprintf("%q", []any{j.Settings, r.OAIURL, r.Prefixes, r.Sets, codeVersion()}))
	return store.Source{Repository: r.ID, Host: hostOf(r.OAIURL), Settings: fmt.Sprintf("%016x", sum)}
}

// codeVersion is that of the mapping: another one maps again what is kept.
var codeVersion = sync.OnceValue(func() string {
	mapping, err := bridge.NewMapping("", bridge.Learned{}, bridge.Settings{})
	if err != nil {
		return ""
	}
	return mapping.Version()
})

// Look finds out what is known of a source, and what comes next.
func (a *Agenda) Look(ctx context.Context, j Job, now time.Time) (store.Source, Next, error) {
	s := j.Row()
	p, kept, err := a.state(ctx, j)
	if err != nil {
		return s, Next{}, err
	}
	next, err := a.postponed(ctx, j, firstOfAll(j, p, kept, now), now)
	if err != nil {
		return s, next, err
	}
	again, err := stale(j.Repository, kept)
	if err != nil {
		return s, next, err
	}
	if again {
		next = Next{At: now, Why: ForMapping}
	}
	counts, err := a.Store.Counts(ctx, j.Repository.ID)
	if err != nil {
		return s, next, err
	}
	s.Objects, s.Deleted, s.Quarantined = counts.Objects, counts.Deleted, counts.Quarantined
	prefixes := j.Repository.Prefixes
	if len(prefixes) == 0 {
		prefixes = kept.Prefixes
	}
	stands := store.StandingOf(p.runs, prefixes, j.Repository.Sets)
	s.State, s.Reason, s.Failures, s.Class = stands.Worst.State, stands.Worst.Reason, stands.Failures, string(stands.Class)
	s.Began, s.Complete = stands.Newest.Started, stands.Complete
	if s.Due, s.Why = next.At, string(next.Why); next.At.IsZero() {
		s.Due = store.Never
	}
	return s, next, nil
}
