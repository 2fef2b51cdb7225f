package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// freshness is how old a snapshot gets before the store is asked for changes.
// While it is asked, the snapshot may be used until it is twice as old: that
// is how long a change may go unseen.
const freshness = time.Second

// askingTime is how long the store may take to answer.
const askingTime = 10 * time.Second

// snapshot is what the store said of all repositories a moment ago. While
// nothing changes it stays the same.
type snapshot struct {
	number       int64 // ascending
	repositories map[string]*repository
	order        []*repository // as configured
	published    []string      // their ids
}

// repository is one published repository, as configured and as kept.
type repository struct {
	Repository
	snapshot int64                   // number of the snapshot that it belongs to
	formats  []oaipmh.MetadataFormat // that it offers
	offered  []oaipmh.MetadataFormat // of those, the ones that every record is available in, though not held
	days     bool                    // its datestamps are days, without a time
	hosts    []string                // its host's names, if there are several
	records  string                  // normal form of the base URL of its GetRecord requests
	modified int64                   // newest Object.Modified
	settings string                  // a digest of all that shapes its documents beside its objects
	since    time.Time               // since when these settings are in force
}

// snapshot returns what the store said a moment ago. Requests that find it
// older ask together, once, and do not wait for the answer unless it is much
// older; one that cannot wait takes it as it is.
func (s *Server) snapshot(ctx context.Context) (*snapshot, error) {
	age := s.age() // at least that of last, which may be newer
	last := s.latest.Load()
	if last != nil && age < freshness {
		return last, nil
	}
	answer := s.asking.DoChan("", s.ask)
	if last != nil && age < 2*freshness {
		return last, nil
	}
	select {
	case r := <-answer:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*snapshot), nil
	case <-ctx.Done():
		if last == nil {
			return nil, ctx.Err()
		}
		return last, nil
	}
}

// Renew has the store asked for changes before anything else is answered: for
// whoever knows that there are some.
func (s *Server) Renew() { s.asked.Store(0) }

func (s *Server) isFresh() bool { return s.age() < freshness }

// age is how long ago the store was asked.
func (s *Server) age() time.Duration { return time.Duration(s.Now().UnixNano() - s.asked.Load()) }

// ask asks the store, on behalf of all who wait for the answer.
func (s *Server) ask() (any, error) {
	fresh := s.isFresh()
	last := s.latest.Load()
	if last != nil && fresh {
		return last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askingTime)
	defer cancel()
	s.comparing.Lock()
	defer s.comparing.Unlock()
	if s.closed {
		return last, errClosed
	}
	next, err := s.compare(ctx, last)
	if last == nil && err != nil {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("asking the store for changes failed: what it said before is still published", "error", err)
		next = last
	}
	s.latest.Store(next)
	s.asked.Store(s.Now().UnixNano()) // a store that fails is not asked more often
	return next, nil
}

var errClosed = errors.New("the server is closed")

// Close has the store not asked for changes any more, so that it can be closed.
// Requests are to have ended before.
func (s *Server) Close() {
	s.comparing.Lock()
	defer s.comparing.Unlock()
	s.closed = true
}

// compare returns last if nothing has changed since.
func (s *Server) compare(ctx context.Context, last *snapshot) (*snapshot, error) {
	next := &snapshot{number: 1, repositories: map[string]*repository{}}
	if last != nil {
		next.number = last.number + 1
	}
	var changed changes
	for _, configured := range s.Repositories {
		var before *repository
		if last != nil {
			before = last.repositories[configured.ID]
		}
		r, err := s.askRepository(ctx, configured, before, &changed)
		if err != nil {
			return nil, err
		}
		r.snapshot = next.number
		next.repositories[r.ID] = r
		next.order = append(next.order, r)
		next.published = append(next.published, r.ID)
	}
	switch {
	case changed.many || last == nil:
		s.journal.forget(next.number)
	case changed.objects == 0:
		return last, nil
	default:
		s.journal.note(next.number, changed.names)
	}
	return next, nil
}

// changes are those between two snapshots.
type changes struct {
	objects int
	names   []name // of the objects
	many    bool   // and of others: too many to be named, or of all of a repository
}

func (s *Server) askRepository(ctx context.Context, configured Repository, before *repository, changed *changes) (*repository, error) {
	kept, err := s.store.Repository(ctx, configured.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // before its first harvest there is none
		return nil, fmt.Errorf("read repository %s: %w", configured.ID, err)
	}
	r := &repository{Repository: configured, formats: kept.Formats}
	if !r.Describedby.OmitOffered {
		r.offered = offeredIn(kept)
	}
	r.Name = cmp.Or(r.Name, kept.Identify.RepositoryName, r.ID)
	r.hosts = hostsOf(configured)
	base, _, _, _ := oaipmh.ReadGetRecordURL(oaipmh.GetRecordURL(r.OAIURL, "x", "x"))
	r.records = bridge.NormalURL(base)
	r.days = kept.Identify.Granularity == oaipmh.Day
	r.settings = s.digest(r)
	if before != nil && before.settings == r.settings {
		r.since = before.since
		r.modified, err = s.askChanges(ctx, before, changed)
	} else {
		r.since, changed.many = s.inForceSince(r), true
		r.modified, err = s.store.Modified(ctx, r.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("read what changed in repository %s: %w", r.ID, err)
	}
	return r, nil
}

// askChanges returns when a repository was last modified, and adds what has
// changed in it.
func (s *Server) askChanges(ctx context.Context, before *repository, changed *changes) (modified int64, err error) {
	modified = before.modified
	for o, err := range s.store.Changed(ctx, before.ID, modified) {
		if err != nil {
			return 0, err
		}
		modified = o.Modified
		changed.objects++
		changed.names = append(changed.names, namesOf(o)...)
		if changed.objects > s.journal.changes || len(changed.names) > s.journal.names {
			changed.many = true
			return s.store.Modified(ctx, before.ID)
		}
	}
	return modified, nil
}

// offeredIn returns the formats, by prefix, that every record is available in.
func offeredIn(kept store.Repository) []oaipmh.MetadataFormat {
	var out []oaipmh.MetadataFormat
	for _, f := range kept.Formats {
		if slices.Contains(kept.Offered.Prefixes, f.Prefix) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b oaipmh.MetadataFormat) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return out
}

// hostsOf returns the names of a repository's host, the first with its port too;
// none if it has only one.
func hostsOf(r Repository) []string {
	u, err := url.Parse(r.OAIURL)
	if err != nil || len(r.Hosts) == 0 {
		return nil
	}
	return append(slices.Compact([]string{u.Hostname(), u.Host}), r.Hosts...)
}

// digest names the settings of r. Whatever else changes a document of an
// object, its Modified changes too.
func (s *Server) digest(r *repository) string {
	said, err := json.Marshal([]any{s.Version, s.urls.base, r.Repository, r.formats, r.offered, r.days})
	if err != nil { // strings, numbers and lists of them: cannot fail
		return "0"
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:6])
}

// changed is when a document made from an object or a page that was modified
// at the given time last changed: then, or when the settings did.
func (r *repository) changed(modified int64) time.Time {
	at := time.UnixMicro(modified)
	if at.Before(r.since) {
		return r.since
	}
	return at
}
