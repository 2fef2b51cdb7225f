package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
	"fingerpost/oaipmh"
)

// Repository is a harvested source and what was learnt about it.
type Repository struct {
	ID       string
	OAIURL   string
	Identify oaipmh.Identify
	Formats  []oaipmh.MetadataFormat // what it offers
	Prefixes []string                // of the formats worth harvesting
	Offered  Offered                 // what was learnt about the other formats
	Mapping  bridge.Learned          // what its records taught the mapping
	MappedBy string                  // version of the mapping that all its objects went through
	Probed   int64                   // Modified of the object up to which all URLs were asked about
	Pause    Pause                   // the zero Pause if the repository may be asked
	Unasked  int                     // requests about files that the last harvest has left for now
}

// Pause says until when a repository is not asked, and why. The zero Pause is
// none.
type Pause struct {
	At     time.Time // of the answer that asked for it
	Until  time.Time
	Reason string // a sentence
	// Refused is set if access was refused (HTTP status 403, or a bot shield).
	// If not, Retry-After asked for the pause.
	Refused bool
}

// Active reports whether the pause lasts at the time now. A pause from the
// future does not: the clock was wrong when it began.
func (p Pause) Active(now time.Time) bool {
	return now.Before(p.Until) && p.At.Before(now.Add(time.Hour))
}

// Offered says in which formats a repository offers every record, beside those
// that are harvested, as far as a sample of its records can tell.
type Offered struct {
	Of       []oaipmh.MetadataFormat // that the repository is asked about, by prefix
	Prefixes []string                // of those, that every record seems to be available in
	At       time.Time               // of the answers; the zero time before there are any
}

// Counts are the figures of one repository.
type Counts struct {
	Objects     int // live
	Deleted     int
	Quarantined int
}

type repositories struct{ *core }

// SaveRepository saves a repository and what was learnt about it, and its Brief.
func (s repositories) SaveRepository(ctx context.Context, r Repository) error {
	err := s.engine.Update(ctx, r.ID, func(tx engine.Tx) error {
		if err := s.saveBrief(tx, &r); err != nil {
			return err
		}
		return putDocument(tx, engine.Repository, r.ID, r)
	})
	return wrap(err, "save repository %s", r.ID)
}

// Repository returns a repository that was saved.
func (s repositories) Repository(ctx context.Context, id string) (r Repository, err error) {
	err = s.engine.View(ctx, id, func(rows engine.Rows) error {
		found, err := readDocument(rows, engine.Repository, id, &r)
		if err == nil && !found {
			err = ErrNotFound
		}
		return err
	})
	return r, wrap(err, "read repository %s", id)
}

// Repositories returns those that were saved, by ID.
func (s repositories) Repositories(ctx context.Context) (out []Repository, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		out, err = readDocuments[Repository](rows, engine.Repository, everything)
		slices.Reverse(out)
		return err
	})
	return out, wrap(err, "read the repositories")
}

// Counts returns the figures of a repository.
func (s repositories) Counts(ctx context.Context, repository string) (c Counts, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		t, err := rows.Totals()
		c = Counts{int(t.Objects), int(t.Deleted), int(t.Quarantined)}
		return err
	})
	return c, wrap(err, "count the objects of %s", repository)
}

// Coverage counts the links of a repository's live objects. It was counted as
// they were saved.
func (s repositories) Coverage(ctx context.Context, repository string) (c bridge.Coverage, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		t, err := rows.Totals()
		c = bridge.CoverageOf(int(t.Objects), t.Linked)
		return err
	})
	return c, wrap(err, "count the links of %s", repository)
}

// Modified is when a repository was last modified: the newest Object.Modified, or a
// newer one of records that could not be mapped; 0 if it is empty.
func (s repositories) Modified(ctx context.Context, repository string) (modified int64, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		modified, err = rows.Clock()
		return err
	})
	return modified, wrap(err, "read when %s was modified", repository)
}

// Clock says when a repository changed. The zero Clock is that of a repository
// of which nothing is stored.
type Clock struct {
	Modified int64 // the newest Object.Modified; 0 if there is none
	Version  int64 // how often SaveRepository saved it
}

// Clocks returns those of all repositories, by ID: whoever has read a
// repository need not read it again while its Clock stays.
func (s repositories) Clocks(ctx context.Context) (out map[string]Clock, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		all, err := rows.Clocks()
		out = make(map[string]Clock, len(all))
		for _, c := range all {
			out[c.Repository] = Clock{c.Modified, c.Version}
		}
		return err
	})
	return out, wrap(err, "read when the repositories were modified")
}

// wrap says what was done when an error occurred.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
