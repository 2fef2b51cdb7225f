package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"fingerpost/bridge/store"
	"fingerpost/server/provider"
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
	loaded atomic.Int64 // how many repositories are in memory with all that their documents need

	configured atomic.Pointer[configuration]

	mu     sync.Mutex // locked while the store is asked
	closed bool
}

// configuration is the repositories that are to be published.
type configuration struct {
	all   []Repository
	since time.Time
}

// published is the state of all repositories at one moment.
type published struct {
	version int64 // of the cache: what is made from this state may be put there until the next change
	of      *configuration
	order   []*source // as configured
	*owned
	load  func(context.Context, *source) (*repository, error)
	union func() []provider.Source // all, by ID
}

// owned says whose an address is.
type owned struct {
	index   map[string]int        // of a repository in order, by ID
	aliased []int                 // those with several names of their host
	hosts   map[string][][]string // by host: the repositories that own it, in groups
	bases   map[name][]int32      // by the base URL of GetRecord requests: the repositories that answer them
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
	asked := r.Now() // what changes from here on may be missing in the answer
	next, err := r.compare(ctx, last)
	if err != nil && last == nil {
		return nil, err
	}
	if err != nil {
		r.Log.Warn("asking the store for changes failed: the documents stay as they are", "error", err)
		next = last
		asked = r.Now() // a store that fails is not asked more often
	}
	r.last.Store(next)
	r.asked.Store(asked.UnixNano())
	return next, nil
}

// configure replaces the repositories that are published.
func (r *repositories) configure(all []Repository) error {
	if err := distinct(all); err != nil {
		return err
	}
	r.configured.Store(&configuration{all, r.Now()})
	r.renew()
	return nil
}

// compare returns last if nothing has changed.
func (r *repositories) compare(ctx context.Context, last *published) (*published, error) {
	clocks, err := r.store.Clocks(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what changed: %w", err)
	}
	if configured := r.configured.Load(); last == nil || last.of != configured {
		return r.begin(ctx, last, configured, clocks)
	}
	next := &published{order: slices.Clone(last.order), owned: last.owned, of: last.of}
	changed := changes{names: map[name]bool{}}
	for i, before := range last.order {
		if clock := clocks[before.ID]; clock != before.clock {
			if next.order[i], err = r.changedSource(ctx, before, clock, &changed); err != nil {
				return nil, err
			}
		}
	}
	if !changed.any {
		return last, nil
	}
	if changed.owners {
		next.owned = ownedBy(next.order)
	}
	r.publish(next, changed)
	return next, nil
}

// begin is the state after a start, or with other repositories.
func (r *repositories) begin(ctx context.Context, last *published, configured *configuration, clocks map[string]store.Clock) (*published, error) {
	next := &published{of: configured, order: make([]*source, 0, len(configured.all))}
	var briefs map[string]store.Brief // read when one is needed
	for i := range configured.all {
		s := newSource(&configured.all[i], store.Brief{}, clocks[configured.all[i].ID])
		before := last.source(s.ID)
		if before != nil {
			s.inForce.Store(before.inForce.Load())
		}
		if before != nil && before.clock.Version == s.clock.Version {
			s.brief = before.brief
		} else if s.clock.Version > 0 {
			if briefs == nil {
				var err error
				if briefs, err = r.store.Briefs(ctx); err != nil {
					return nil, fmt.Errorf("read what the repositories are: %w", err)
				}
			}
			s.brief = briefs[s.ID]
		}
		next.order = append(next.order, s)
	}
	next.owned = ownedBy(next.order)
	r.publish(next, changes{all: true})
	return next, nil
}

// publish removes from the cache what changed. What is made from next may be put
// into it from then on.
func (r *repositories) publish(next *published, changed changes) {
	if changed.all {
		next.version = r.cache.clear()
	} else {
		next.version = r.cache.forget(changed.names)
	}
	next.union = sync.OnceValue(next.sources)
	next.load = func(ctx context.Context, s *source) (*repository, error) {
		if r.loaded.Add(1) > mostLoaded {
			r.loaded.Store(1)
			for _, other := range next.order {
				other.whole.Store(nil)
			}
		}
		return r.load(ctx, s)
	}
}

// mostLoaded is how many repositories are in memory with all that their documents
// need, a few kB each.
const mostLoaded = 1000

// changes are those between two states.
type changes struct {
	any     bool
	owners  bool // of addresses
	objects int
	names   map[name]bool // that concern the objects
	all     bool          // anything may have changed: the names are not all there
}

// changedSource returns the state of a repository whose clock has changed, and
// adds what has changed.
func (r *repositories) changedSource(ctx context.Context, before *source, clock store.Clock, changed *changes) (*source, error) {
	s := newSource(before.Repository, before.brief, clock)
	s.inForce.Store(before.inForce.Load())
	changed.any = true
	if clock.Version != before.clock.Version {
		if err := r.compareSettings(ctx, s, before, changed); err != nil {
			return nil, err
		}
	}
	var err error
	if s.modified, err = r.readChanges(ctx, before, clock, changed); err != nil {
		return nil, fmt.Errorf("read what changed in repository %s: %w", s.ID, err)
	}
	return s, nil
}

// compareSettings reads again what a repository says of itself.
func (r *repositories) compareSettings(ctx context.Context, s, before *source, changed *changes) (err error) {
	if s.brief, err = r.store.Brief(ctx, s.ID); err != nil {
		return fmt.Errorf("read what repository %s is: %w", s.ID, err)
	}
	if s.brief.PageHost != before.brief.PageHost || !slices.Equal(s.brief.Origins, before.brief.Origins) {
		changed.owners, changed.all = true, true
	}
	was := before.inForce.Load()
	if was == nil { // no document was made of it
		return nil
	}
	s.inForce.Store(nil)
	repo, err := r.load(ctx, s)
	if err != nil {
		return err
	}
	if repo.settings == was.settings {
		s.inForce.Store(was)
	} else {
		changed.all = true
	}
	return nil
}

// load reads all that the documents of a repository need.
func (r *repositories) load(ctx context.Context, s *source) (*repository, error) {
	saved, err := r.store.Repository(ctx, s.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // before its first harvest there is none
		return nil, fmt.Errorf("read repository %s: %w", s.ID, err)
	}
	repo := newRepository(*s.Repository, saved, r.urls, r.Version)
	repo.modified = s.modified
	is := s.inForce.Load()
	if is == nil || is.settings != repo.settings {
		is = &inForce{repo.settings, r.inForceSince(repo)}
		s.inForce.CompareAndSwap(nil, is)
	}
	repo.since = is.since
	return repo, nil
}

// readChanges returns when a repository was last modified, and adds what has
// changed in it.
func (r *repositories) readChanges(ctx context.Context, before *source, clock store.Clock, changed *changes) (modified int64, err error) {
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

// ownedBy says whose addresses are. A host belongs to the repositories that are
// configured with it, and after them to the others that have most of their pages
// there.
func ownedBy(all []*source) *owned {
	o := &owned{index: make(map[string]int, len(all)), hosts: make(map[string][][]string, len(all)), bases: make(map[name][]int32, len(all))}
	for i, s := range all {
		o.index[s.ID] = i
		if s.aliases != nil {
			o.aliased = append(o.aliased, i)
		}
		for _, h := range s.configuredHosts() {
			if o.hosts[h] == nil {
				o.hosts[h] = [][]string{nil}
			}
			o.hosts[h][0] = append(o.hosts[h][0], s.ID)
		}
		for _, base := range append([]string{s.OAIURL}, s.brief.Origins...) {
			base := nameOf(normalBase(base))
			o.bases[base] = append(o.bases[base], int32(i))
		}
	}
	others := map[string][]string{}
	for _, s := range all {
		if h := s.brief.PageHost; h != "" && !slices.Contains(s.configuredHosts(), h) {
			others[h] = append(others[h], s.ID)
		}
	}
	for h, ids := range others {
		o.hosts[h] = append(o.hosts[h], ids)
	}
	return o
}
