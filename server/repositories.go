package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"fingerpost/bridge/store"
)

const (
	// freshness is how old the state of the repositories gets before the store
	// is asked for changes. Meanwhile it is used until it is twice as old: that
	// is how long a change may go unseen.
	freshness = time.Second
	// askingTime is how long the store may take to answer.
	askingTime = 10 * time.Second
	// With more changed objects, or more URLs of these, the whole cache is
	// cleared: that costs less than to look at each of them.
	mostChanges = 4096
	mostNames   = 1 << 17
)

// repositories knows the published repositories. While there are requests it
// asks the store for changes, about once a second, and has the cache forget
// what they concern.
type repositories struct {
	*Config
	urls        urls
	store       Store
	cache       *cache
	mostChanges int
	mostNames   int

	last   atomic.Pointer[published]
	asked  atomic.Int64 // when the store was last asked, in Unix nanoseconds
	asking singleflight.Group

	mu     sync.Mutex // locked while the store is asked
	closed bool
	clocks map[string]store.Clock // of the state in last
}

// published is the state of all repositories at one moment.
type published struct {
	version int64 // of the cache: what is made from this state may be put there until the next change
	byID    map[string]*repository
	order   []*repository         // as configured
	aliased []*repository         // of these, those with several names of their host
	hosts   map[string][][]string // by host: the repositories that own it, in groups
	bases   map[string][]string   // by the base URL of GetRecord requests: the repositories that answer them
}

// current returns the state of a moment ago. Requests that find it too old ask
// the store together, once. They use it as it is unless it is much too old, or
// if they cannot wait.
func (r *repositories) current(ctx context.Context) (*published, error) {
	age := r.age() // before last is loaded: that may be newer, not older
	last := r.last.Load()
	if last != nil && age < freshness {
		return last, nil
	}
	answer := r.asking.DoChan("", r.ask)
	if last != nil && age < 2*freshness {
		return last, nil
	}
	select {
	case a := <-answer:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Val.(*published), nil
	case <-ctx.Done():
		if last == nil {
			return nil, ctx.Err()
		}
		return last, nil
	}
}

// renew makes the next request ask the store.
func (r *repositories) renew() { r.asked.Store(0) }

// age is how long ago the store was asked. If the clock was set back, that is
// unknown: a long time.
func (r *repositories) age() time.Duration {
	age := time.Duration(r.Now().UnixNano() - r.asked.Load())
	if age < 0 {
		return askingTime
	}
	return age
}

var errClosed = errors.New("the server is closed")

// close ends all asking, so that the store can be closed.
func (r *repositories) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// ask asks the store, for all requests that wait.
func (r *repositories) ask() (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last.Load()
	if r.closed {
		return nil, errClosed
	}
	if last != nil && r.age() < freshness {
		return last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askingTime)
	defer cancel()
	next, err := r.compare(ctx, last)
	if err != nil && last == nil {
		return nil, err
	}
	if err != nil {
		r.Log.Warn("asking the store for changes failed: the documents stay as they are", "error", err)
		next = last
	}
	r.last.Store(next)
	r.asked.Store(r.Now().UnixNano()) // a store that fails is not asked more often
	return next, nil
}

// compare returns last if nothing has changed.
func (r *repositories) compare(ctx context.Context, last *published) (*published, error) {
	clocks, err := r.store.Clocks(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what changed: %w", err)
	}
	if last != nil && maps.Equal(clocks, r.clocks) {
		return last, nil
	}
	next := &published{byID: map[string]*repository{}, bases: map[string][]string{}}
	changed := changes{all: last == nil, names: map[name]bool{}}
	for _, configured := range r.Repositories {
		repo, err := r.renewed(ctx, last, configured, clocks[configured.ID], &changed)
		if err != nil {
			return nil, err
		}
		next.add(repo)
	}
	r.clocks = clocks
	if !changed.all && changed.objects == 0 {
		return last, nil
	}
	next.hosts = hostsOf(next.order)
	r.forget(changed, next)
	return next, nil
}

func (p *published) add(r *repository) {
	p.byID[r.ID] = r
	p.order = append(p.order, r)
	if r.aliases != nil {
		p.aliased = append(p.aliased, r)
	}
	for base := range r.records {
		p.bases[base] = append(p.bases[base], r.ID)
	}
}

// forget has the cache forget what changed. What is made from next may be put
// into it from then on.
func (r *repositories) forget(changed changes, next *published) {
	if changed.all {
		next.version = r.cache.clear()
	} else {
		next.version = r.cache.forget(changed.names)
	}
	for _, repo := range next.order {
		repo.version = next.version
	}
}

// changes are those between two states.
type changes struct {
	objects int
	names   map[name]bool // that concern the objects
	all     bool          // anything may have changed: the names are not all there
}

// renewed returns the state of one repository, which is the last one if its
// clock is, and adds what has changed.
func (r *repositories) renewed(ctx context.Context, last *published, configured Repository, clock store.Clock, changed *changes) (*repository, error) {
	if last == nil {
		return r.read(ctx, configured, nil, clock, changed)
	}
	before := last.byID[configured.ID]
	if clock == r.clocks[configured.ID] {
		same := *before // which is in use; this one gets another version
		return &same, nil
	}
	return r.read(ctx, configured, before, clock, changed)
}

// read reads the state of one repository, and adds what has changed since
// before, which is nil if nothing was read yet.
func (r *repositories) read(ctx context.Context, configured Repository, before *repository, clock store.Clock, changed *changes) (*repository, error) {
	saved, err := r.store.Repository(ctx, configured.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // before its first harvest there is none
		return nil, fmt.Errorf("read repository %s: %w", configured.ID, err)
	}
	repo := newRepository(configured, saved, r.urls, r.Version)
	if before != nil && before.settings == repo.settings {
		repo.since = before.since
		if repo.modified, err = r.readChanges(ctx, before, clock, changed); err != nil {
			return nil, fmt.Errorf("read what changed in repository %s: %w", repo.ID, err)
		}
	} else {
		repo.since, changed.all = r.inForceSince(repo), true
		repo.modified = clock.Modified
	}
	if before != nil && before.modified == repo.modified {
		repo.pageHost = before.pageHost
		return repo, nil
	}
	repo.pageHost, err = pageHost(ctx, r.store, repo.ID)
	changed.all = changed.all || before.pageHost != repo.pageHost // without a state before, all is new
	return repo, err
}

// readChanges returns when a repository was last modified, and adds what has
// changed in it.
func (r *repositories) readChanges(ctx context.Context, before *repository, clock store.Clock, changed *changes) (modified int64, err error) {
	modified = before.modified
	for o, err := range r.store.Changed(ctx, before.ID, modified) {
		if err != nil {
			return 0, err
		}
		modified = o.Modified
		changed.objects++
		for _, n := range namesOf(o) {
			changed.names[n] = true
		}
		if changed.objects > r.mostChanges || len(changed.names) > r.mostNames {
			changed.all = true
			return max(modified, clock.Modified), nil
		}
	}
	return modified, nil
}

// owners are the repositories that are asked about a URL, one group after the
// other: those on whose host it lies, or else nil for all. What another
// repository claims of a page or a file does not count.
func (p *published) owners(uri string) [][]string {
	if own := p.hosts[hostOf(uri)]; own != nil {
		return own
	}
	return [][]string{nil}
}

// hostsOf gives each host to the repositories that are configured with it, and
// after them to the others that have most of their pages there.
func hostsOf(all []*repository) map[string][][]string {
	configured, others := map[string][]string{}, map[string][]string{}
	for _, repo := range all {
		hosts := repo.configuredHosts()
		for _, h := range hosts {
			configured[h] = append(configured[h], repo.ID)
		}
		if repo.pageHost != "" && !slices.Contains(hosts, repo.pageHost) {
			others[repo.pageHost] = append(others[repo.pageHost], repo.ID)
		}
	}
	out := map[string][][]string{}
	for _, group := range [...]map[string][]string{configured, others} {
		for h, ids := range group {
			out[h] = append(out[h], ids)
		}
	}
	return out
}
