package harvest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"fingerpost/bridge"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
)

const (
	// pageAge is how long a landing page is not asked for again, unless the
	// object's metadata changes.
	pageAge = 180 * 24 * time.Hour
	// passEvery is how long after a pass through all objects the next one begins,
	// which looks for those that are new or due, and passAfterChange the same
	// after an object has changed.
	passEvery       = 24 * time.Hour
	passAfterChange = time.Hour

	day = 24 * time.Hour
)

// pageStore is what reading landing pages needs of the store.
type pageStore interface {
	Pages(ctx context.Context, repository string) (store.Pages, error)
	Visits(ctx context.Context, repository string, urls ...string) (map[string]store.Visit, error)
	Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error]
}

// Probe asks about what Settings say of a repository that was harvested: it reads
// landing pages, then asks about files. It may be interrupted, even by a kill, and
// goes on where it was. The runs are of landing pages, and not saved. The errors
// are those of Run.
func (h *Harvester) Probe(ctx context.Context, r Repository) (runs []store.Run, err error) {
	release, err := h.take(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	defer func() { err = errors.Join(err, h.Store.LookAt(context.WithoutCancel(ctx), r.ID)) }()
	if r.Settings.Pages {
		if runs, err = h.readPagesOf(ctx, r); err != nil || runs[0].State == store.Interrupted {
			return runs, err
		}
	}
	return runs, errors.Join(h.probeFilesOf(ctx, r), ctx.Err())
}

// readPagesOf reads the landing pages of a repository that the caller has locked.
func (h *Harvester) readPagesOf(ctx context.Context, r Repository) ([]store.Run, error) {
	s, err := h.harvestedSource(ctx, r)
	if err != nil {
		return nil, err
	}
	run, err := s.readPages(ctx)
	return []store.Run{run}, err
}

// probeFilesOf asks about the files of a repository that the caller has locked.
func (h *Harvester) probeFilesOf(ctx context.Context, r Repository) error {
	s, err := h.harvestedSource(ctx, r)
	if err == nil {
		s.probe(ctx)
	}
	return err
}

// harvestedSource is a repository as earlier harvests left it, mapped by the
// current mapping. It is not asked anything.
func (h *Harvester) harvestedSource(ctx context.Context, r Repository) (*source, error) {
	if err := CheckAddress(ctx, h.Store, r); err != nil {
		return nil, err
	}
	r, err := h.restrained(ctx, r)
	if err != nil {
		return nil, err
	}
	kept, err := h.Store.Repository(ctx, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && kept.MappedBy == "":
		return nil, fmt.Errorf("probe %s: harvest it first: %w", r.ID, store.ErrNotFound)
	case err != nil:
		return nil, err
	case kept.Pause.Active(h.Clock.Now()):
		return nil, &PauseError{kept.Pause}
	}
	s := &source{h: h, repository: r, kept: kept, prefixes: kept.Prefixes, archive: &archive{store: h.Store, repository: r.ID}}
	if len(r.Prefixes) > 0 {
		s.prefixes = r.Prefixes
	}
	if s.mapping, err = s.newMapping(); err != nil {
		return nil, err
	}
	return s, s.settle(ctx)
}

// pageRun reads the landing pages of objects that lack what the pages give.
type pageRun struct {
	*source
	*pageReader
	pages    store.Pages
	run      store.Run
	mapper   *mapper
	plain    *bridge.Mapper // leaves out what landing pages state
	trusting *bridge.Mapper // believes the files that they name
}

func (s *source) readPages(ctx context.Context) (store.Run, error) {
	p := &pageRun{source: s, run: store.Run{
		Repository: s.repository.ID, Prefix: landingpage.Prefix, State: store.Running, Started: s.h.Clock.Now(),
	}}
	err := p.open(ctx)
	if err == nil {
		asking := p.pageReader.client
		defer asking.Close()
		err = p.pass(ctx)
		p.run.Requests = asking.Requests()
	}
	p.end(ctx, err)
	s.h.logger().Info("harvest: landing pages were read", "repository", s.repository.ID, "state", p.run.State, "reason", p.run.Reason,
		"asked", p.run.Records, "new", p.run.New, "changed", p.run.Changed, "unchanged", p.run.Unchanged,
		"quarantined", p.run.Quarantined, "requests", p.run.Requests, "seconds", p.run.Finished.Sub(p.run.Started).Seconds())
	if ctx.Err() != nil {
		return p.run, nil
	}
	return p.run, err
}

func (p *pageRun) open(ctx context.Context) (err error) {
	if p.pages, err = p.h.Store.Pages(ctx, p.repository.ID); err != nil {
		return err
	}
	if p.pageReader, err = newPageReader(p.repository, p.h); err != nil {
		return err
	}
	p.keepShut(p.pages.Shut)
	p.pages.Shut = p.pageReader.until
	return p.remade(ctx)
}

// remade makes the mappers of the current mapping.
func (p *pageRun) remade(ctx context.Context) (err error) {
	if p.mapper, err = p.source.mapper(ctx, landingpage.Prefix); err != nil {
		return err
	}
	p.plain, p.trusting, err = p.otherMappers()
	return err
}

// otherMappers returns one that leaves out what landing pages state, and one that
// believes the files that they name.
func (s *source) otherMappers() (plain, trusting *bridge.Mapper, err error) {
	without, trust := s.repository.Settings, s.learned()
	without.Pages, trust.PageFiles = false, bridge.FilesBelieved
	a, err := bridge.NewMapping(s.repository.OAIURL, s.learned(), without)
	if err != nil {
		return nil, nil, err
	}
	without.Pages = true
	b, err := bridge.NewMapping(s.repository.OAIURL, trust, without)
	return a.Mapper(), b.Mapper(), err
}

// end says how the run ended.
func (p *pageRun) end(ctx context.Context, err error) {
	p.run.Finished = p.h.Clock.Now()
	switch {
	case ctx.Err() != nil:
		p.run.State, p.run.Reason = store.Interrupted, "stopped; the next run goes on there"
	case err != nil:
		p.run.State, p.run.Reason = store.Failed, err.Error()
	case p.pages.Pause.Active(p.now()):
		p.run.State = store.Incomplete
		p.run.Reason = fmt.Sprintf("%s; none is asked for before %s", p.pages.Pause.Reason, p.pages.Pause.Until.UTC().Format("2 Jan 2006 15:04 UTC"))
	case p.passEnded():
		p.run.State, p.run.Reason = store.Complete, "all pages that may add something are read"
	case p.pages.Limited(p.now()):
		p.run.State, p.run.Reason = store.Incomplete, fmt.Sprintf("%d landing pages were asked for within a day; it goes on tomorrow", store.PagesADay)
	default:
		p.run.State, p.run.Reason = store.Incomplete, "it goes on soon"
	}
}

func (p *pageRun) passEnded() bool { return !p.pages.Ended.IsZero() }

// pass goes on with a pass through all objects, or begins one.
func (p *pageRun) pass(ctx context.Context) error {
	if p.pages.Pause.Active(p.now()) || p.pages.Limited(p.now()) {
		return nil
	}
	p.pages.Pause = store.Pause{}
	if p.pages.Began.IsZero() || p.passEnded() {
		if err := p.begin(ctx); err != nil {
			return err
		}
	}
	for c, err := range p.due(ctx) {
		if err != nil {
			return err
		}
		if err := p.one(ctx, c); err != nil {
			return err
		}
		if p.full(ctx) {
			return p.save(ctx, store.Batch{})
		}
		p.pages.After = c.ID
	}
	if err := p.learnFromPages(ctx, true); err != nil {
		return err
	}
	if !p.full(ctx) {
		p.pages.Ended = p.now()
		var err error
		if p.pages.Modified, err = p.h.Store.Modified(ctx, p.repository.ID); err != nil {
			return err
		}
	}
	return p.save(ctx, store.Batch{})
}

// begin begins a pass, and counts the pages that it has to ask for.
func (p *pageRun) begin(ctx context.Context) error {
	now := p.now()
	p.pages.Began, p.pages.Ended, p.pages.After, p.pages.Due, p.pages.Asked = now, time.Time{}, 0, 0, 0
	for _, err := range p.due(ctx) {
		if err != nil {
			return err
		}
		p.pages.Due++
	}
	return p.save(ctx, store.Batch{})
}

// full reports whether the run must end before the pass does.
func (p *pageRun) full(ctx context.Context) bool {
	p.pages.Pause = p.stop
	return p.over(ctx) || p.pages.Limited(p.now()) || p.h.turn.over()
}

// duePage is an object whose landing page is to be asked for.
type duePage struct {
	store.Object
	of    uint64      // a hash of its metadata
	visit store.Visit // the one before; the zero Visit if there was none
}

// due yields the objects behind the one that the pass has come to whose landing
// pages are to be asked for.
func (p *pageRun) due(ctx context.Context) iter.Seq2[duePage, error] {
	return func(yield func(duePage, error) bool) {
		var some []store.Object
		give := func() bool {
			list, err := p.dueOf(ctx, some)
			some = some[:0]
			if err != nil {
				return yield(duePage{}, err)
			}
			for _, d := range list {
				if ctx.Err() != nil || !yield(d, nil) {
					return false
				}
			}
			return true
		}
		for o, err := range p.h.Store.Objects(ctx, p.repository.ID, p.pages.After) {
			if err != nil {
				yield(duePage{}, err)
				return
			}
			if !o.Deleted && o.LandingPage.URL != "" && !o.LandingPage.IsContent {
				some = append(some, o)
			}
			if len(some) == probeChunk && !give() {
				return
			}
		}
		give()
	}
}

// dueOf are those of some objects whose landing pages are to be asked for.
func (p *pageRun) dueOf(ctx context.Context, objects []store.Object) (out []duePage, err error) {
	urls, ids := make([]string, len(objects)), make([]string, len(objects))
	for i, o := range objects {
		urls[i], ids[i] = o.LandingPage.URL, o.Identifier
	}
	visits, err := p.h.Store.Visits(ctx, p.repository.ID, urls...)
	if err != nil {
		return nil, err
	}
	of, err := p.metadataOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		visit, visited := visits[o.LandingPage.URL]
		switch {
		case visited && visit.Identifier != o.Identifier && p.now().Before(visit.Again): // it was read for another object
		case visited && visit.Of == of[o.Identifier] && p.now().Before(visit.Again):
		case visited && visit.Result == "", worthReading(o.Object, p.pages):
			out = append(out, duePage{o, of[o.Identifier], visit})
		}
	}
	return out, nil
}

// metadataOf returns hashes of the metadata of objects, by identifier.
func (p *pageRun) metadataOf(ctx context.Context, ids []string) (map[string]uint64, error) {
	out := make(map[string]uint64, len(ids))
	for _, prefix := range p.formats() {
		if prefix == landingpage.Prefix {
			continue
		}
		digests, err := p.h.Store.Digests(ctx, p.repository.ID, prefix, ids)
		if err != nil {
			return nil, err
		}
		for id, d := range digests {
			if !d.Deleted {
				out[id] ^= binary.BigEndian.Uint64(d.Hash[:8]) ^ xxhash.Sum64String(prefix)
			}
		}
	}
	return out, nil
}

// pagesTell is how many landing pages show what those of a repository give.
const pagesTell = 100

// worthReading reports whether an object lacks something that the landing pages of
// its repository give: those that were read show what.
func worthReading(o bridge.Object, p store.Pages) bool {
	if o.LandingPage.Resolve {
		return true
	}
	for _, link := range [...]struct {
		column         string
		lacked, gained int
	}{
		{"item", p.Lacked.Item, p.Gained.Item},
		{"cite_as", p.Lacked.CiteAs, p.Gained.CiteAs},
		{"license", p.Lacked.License, p.Gained.License},
		{"author", p.Lacked.Author, p.Gained.Author},
	} {
		given := link.lacked < pagesTell || link.gained*20 >= link.lacked
		if given && o.Lacks(link.column) {
			return true
		}
	}
	return false
}

// one asks for a page, and saves what came of it in one transaction.
func (p *pageRun) one(ctx context.Context, c duePage) error {
	a := p.read(ctx, c.LandingPage.URL, c.visit)
	if errors.Is(a.err, errPassedBy) {
		return nil
	}
	now := p.now()
	if !now.Before(p.pages.Day.Add(day)) || now.Before(p.pages.Day) {
		p.pages.Day, p.pages.Today = now, 0
	}
	p.pages.Today++
	p.pages.Asked++
	p.pages.Pace = p.pace
	p.run.Records++
	p.run.Pages++
	batch := store.Batch{Visits: visitsOf(c, a, now)}
	if err := p.take(ctx, c, a, &batch); err != nil {
		return err
	}
	if err := p.save(context.WithoutCancel(ctx), batch); err != nil {
		return err
	}
	if p.h.Progress != nil {
		p.h.Progress(Progress{Run: p.run, Total: p.pages.Due, Read: p.pages.Asked})
	}
	return p.learnFromPages(ctx, false)
}

func (p *pageRun) save(ctx context.Context, b store.Batch) error {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	b.Pages = &p.pages
	if err := p.h.Store.Save(ctx, p.repository.ID, b); err != nil {
		return fmt.Errorf("save what landing pages of %s state: %w", p.repository.ID, err)
	}
	return nil
}

// visitsOf notes a visit under the address that was asked and the one that it led
// to: the object may have that next time.
func visitsOf(c duePage, a pageAnswer, now time.Time) []store.Visit {
	v := store.Visit{Asked: c.LandingPage.URL, Identifier: c.Identifier, URL: a.url, Again: now.Add(pageAge).Truncate(time.Second), Of: c.of}
	switch {
	case errors.Is(a.err, errUnchanged):
		v.ETag, v.Modified, v.Result = c.visit.ETag, c.visit.Modified, c.visit.Result
	case errors.Is(a.err, errSilent), isRefused(a.err):
		v.Again, v.Result = now.Add(silenceAge).Truncate(time.Second), a.err.Error()
	case a.err != nil:
		v.Result = a.err.Error()
	default:
		v.ETag, v.Modified = a.header.Get("ETag"), a.header.Get("Last-Modified")
	}
	v.ETag, v.Modified = v.ETag[:min(len(v.ETag), longestType)], v.Modified[:min(len(v.Modified), longestType)]
	if v.URL == v.Asked || v.URL == "" {
		return []store.Visit{v}
	}
	second := v
	second.Asked = v.URL
	return []store.Visit{v, second}
}

// take adds what a page states, and the object that is made with it, to a batch.
// The record of a page that is gone goes too; one that could not be read this time
// stays.
func (p *pageRun) take(ctx context.Context, c duePage, a pageAnswer, batch *store.Batch) error {
	records, err := p.h.Store.Records(ctx, p.repository.ID, c.Identifier)
	if err != nil {
		return err
	}
	was, had := pageRecord(records)
	others := slices.DeleteFunc(records, func(r store.Record) bool { return r.Prefix == landingpage.Prefix })
	if c.visit.Asked == "" {
		p.pages.Lacked.AddLacking(p.mapped(p.plain, c.Identifier, others))
	}
	fresh := store.Record{Identifier: c.Identifier, Prefix: landingpage.Prefix, Datestamp: p.now().UTC().Format(time.RFC3339), Metadata: a.record}
	fresh.Hash = hash(p.mapping, fresh)
	switch {
	case isGonePage(a.err) && had:
		fresh.Metadata, fresh.Hash, fresh.Deleted = nil, [16]byte{}, true
		p.run.Deleted++
	case a.err != nil, had && fresh.Hash == was.Hash:
		p.run.Unchanged++
		return nil
	case had:
		p.run.Changed++
	default:
		p.run.New++
		p.pages.Read++
		p.pages.Gained.AddGained(p.mapped(p.plain, c.Identifier, others), p.mapped(p.trusting, c.Identifier, append(slices.Clip(others), fresh)))
	}
	return p.add(ctx, fresh, others, batch)
}

// add adds a record of a page and its object.
func (p *pageRun) add(ctx context.Context, fresh store.Record, others []store.Record, batch *store.Batch) error {
	object, err := makeObject(p.mapping.Mapper(), fresh.Identifier, append(slices.Clip(others), fresh))
	if err != nil {
		var out changes
		p.mapper.quarantine(&out, "", fresh.Identifier, fresh.Metadata, err)
		batch.Quarantined = out.Quarantined
		p.run.Quarantined++
		return nil
	}
	batch.Records, batch.Objects = []store.Record{fresh}, []store.Object{object}
	return p.mapper.correct(ctx, batch.Objects)
}

// mapped is an object as a mapper makes it of records; the zero Object if it
// cannot.
func (s *source) mapped(m *bridge.Mapper, identifier string, records []store.Record) bridge.Object {
	o, err := makeObject(m, identifier, records)
	if err != nil {
		return bridge.Object{}
	}
	return o.Object
}

// isRefused reports whether something else than the page was shown, which may be
// there another time.
func isRefused(err error) bool {
	var wall *landingpage.WallError
	var status *landingpage.StatusError
	return errors.As(err, &wall) || errors.As(err, &status) && status.Status == http.StatusForbidden
}

// isGonePage reports whether a server says that there is no page.
func isGonePage(err error) bool {
	var status *landingpage.StatusError
	return errors.As(err, &status) && bridge.Probe{Status: status.Status}.Gone()
}
