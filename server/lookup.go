package server

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Answer is what the gateway says about a URL.
type Answer struct {
	URI      string          // the form in which it is published
	Links    linkset.LinkSet // all links that have it as context
	InHeader linkset.LinkSet // those for which a header has room
	header   []string        // these joined, as one value; nil if there are none
	object   string          // the address of the object's link set; "" if no object has the URL
}

// maxURI is the longest URL that is looked up, in bytes.
const maxURI = linkset.MaxURI

// lookup finds the object that a URL belongs to, and the links of the URL. It
// is the only way from a URL to links.
type lookup struct {
	*parts
	patience time.Duration // with the store, of those who cannot wait
}

const answerKind = "answer"

// answer returns what there is to say about a URI. If no object has it, that is
// an empty Answer.
func (l *lookup) answer(ctx context.Context, uri string) (*Answer, error) {
	if len(uri) > maxURI {
		return &Answer{}, nil
	}
	now, err := l.repositories.current(ctx)
	if err != nil {
		return nil, err
	}
	key := cacheKey{answerKind, uri}
	if a, ok := recall[*Answer](l.cache, key); ok {
		return a, nil
	}
	search := search{lookup: l, now: now, names: make([]name, 0, 4)}
	a := &Answer{}
	switch found, err := search.find(ctx, uri); {
	case err == nil:
		context := strings.Clone(found.context)
		links := found.repository.signpostFrom(context, found.object)
		detach(links, context)
		a = found.repository.answer(found.object, context, links)
		if value := a.InHeader.Joined(); value != "" {
			a.header = []string{value}
		}
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	l.cache.put(key, a, a.bytes(), now.version, search.names...)
	return a, nil
}

// answer is that for one context of an object, with its links. On a landing page
// those that the repository sends itself are left out. It need not send any on
// the page of an object that is deleted.
func (r *repository) answer(o store.Object, context string, links linkset.LinkSet) *Answer {
	if len(r.Omit) > 0 && !o.Deleted && isLandingPage(o, context) {
		links = slices.DeleteFunc(slices.Clone(links), func(l linkset.Link) bool { return slices.Contains(r.Omit, l.Rel) })
	}
	inHeader, _ := links.Fit(r.Budget)
	return &Answer{URI: context, Links: links, InHeader: inHeader, object: r.urls.linkSet(r.ID, o.Key)}
}

func isLandingPage(o store.Object, context string) bool {
	page, err := linkset.Anchor(o.LandingPage.URL)
	return err == nil && page == context
}

// detach copies the texts of the links of a context. They are part of the memory
// of their object, which may be a thousand times as large as the links of one of
// its files.
func detach(links linkset.LinkSet, context string) {
	var all strings.Builder
	all.Grow(100 * len(links))
	for _, l := range links {
		all.WriteString(l.Href)
		all.WriteString(l.Type)
	}
	texts := all.String()
	for i := range links {
		l := &links[i]
		href, end := len(l.Href), len(l.Href)+len(l.Type)
		l.Anchor, l.Href, l.Type, texts = context, texts[:href], texts[href:end], texts[end:]
	}
}

func (a *Answer) bytes() int {
	n := 200 + len(a.URI) + len(a.object)
	for _, value := range a.header {
		n += len(value)
	}
	for _, l := range a.Links {
		n += 100 + len(l.Anchor) + len(l.Href) + len(l.Type)
	}
	return n
}

// answers yields the answer for the landing page of an object, for each of its
// files and for each of its metadata documents.
func (r *repository) answers(o store.Object) iter.Seq[*Answer] {
	return func(yield func(*Answer) bool) {
		var contexts []string
		links := map[string]linkset.LinkSet{} // each link is looked at once: there may be thousands of files
		for _, l := range r.signpost(o) {
			if links[l.Anchor] == nil {
				contexts = append(contexts, l.Anchor)
			}
			links[l.Anchor] = append(links[l.Anchor], l)
		}
		for _, context := range contexts {
			if !yield(r.answer(o, context, links[context])) {
				return
			}
		}
	}
}

// search is one search for the object that a URI belongs to: by landing page,
// file, persistent identifier, GetRecord request or copy of its metadata.
type search struct {
	*lookup
	now   *published
	names []name // of what was looked for, and of what was found
}

// found is the object that a URI belongs to, and the context of the links that
// the URI has: the form in which it is published.
type found struct {
	repository *repository
	object     store.Object
	context    string
}

func (s *search) find(ctx context.Context, uri string) (found, error) {
	if id, key, published, ok := s.urls.readDocument(uri); ok {
		return s.findDocument(ctx, id, key, published)
	}
	for form, owners := range s.now.forms(uri) {
		f, err := s.findForm(ctx, form, owners)
		if !errors.Is(err, store.ErrNotFound) {
			return f, err
		}
	}
	return found{}, store.ErrNotFound
}

// findForm looks for a URI as it is written, in some repositories.
func (s *search) findForm(ctx context.Context, uri string, owners []string) (found, error) {
	f, err := s.findRecord(ctx, uri, owners)
	if errors.Is(err, store.ErrNotFound) {
		return s.findURL(ctx, uri, owners)
	}
	return f, err
}

func (s *search) findURL(ctx context.Context, uri string, owners []string) (found, error) {
	s.names = append(s.names, nameOfURL(uri))
	all, err := s.store.FindAll(ctx, uri, owners...)
	if err != nil {
		return found{}, err
	}
	o, ok := s.now.preferred(all, uri)
	if !ok {
		return found{}, store.ErrNotFound
	}
	s.names = append(s.names, nameOfObject(o.Repository, o.Key))
	repo, err := s.now.repository(ctx, o.Repository)
	return found{repo, o, contextOf(o, uri)}, err
}

// findRecord understands a GetRecord request to a repository. OAI-PMH 4.1.
func (s *search) findRecord(ctx context.Context, uri string, owners []string) (found, error) {
	base, identifier, prefix, ok := oaipmh.ReadGetRecordURL(uri)
	if !ok {
		return found{}, store.ErrNotFound
	}
	base = bridge.NormalURL(base)
	for _, i := range s.now.bases[nameOf(base)] {
		id := s.now.order[i].ID
		if owners != nil && !slices.Contains(owners, id) {
			continue
		}
		repo, err := s.now.repository(ctx, id)
		if err != nil {
			return found{}, err
		}
		o, err := s.object(ctx, repo, store.KeyOf(identifier))
		if err == nil && o.Identifier == identifier && normalBase(repo.recordsOf(o)) == base {
			return found{repo, o, oaipmh.GetRecordURL(repo.recordsOf(o), identifier, prefix)}, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return found{}, err
		}
	}
	return found{}, store.ErrNotFound
}

// findDocument finds the object of a metadata document of ours.
func (s *search) findDocument(ctx context.Context, id, key, uri string) (found, error) {
	repo, err := s.now.repository(ctx, id)
	if repo == nil {
		return found{}, cmp.Or(err, store.ErrNotFound)
	}
	o, err := s.object(ctx, repo, key)
	if err == nil && len(repo.signpostFrom(uri, o)) == 0 {
		err = store.ErrNotFound
	}
	return found{repo, o, uri}, err
}

func (s *search) object(ctx context.Context, repo *repository, key string) (store.Object, error) {
	s.names = append(s.names, nameOfObject(repo.ID, key))
	return s.store.Object(ctx, repo.ID, key)
}

// forms yields the URIs under which the page at uri may be published, and for
// each the repositories that may have it: uri itself, its other spellings, and
// all of these under the other names of its host.
func (p *published) forms(uri string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		spellings := spellings(uri)
		for _, spelling := range spellings {
			for _, owners := range p.owners(uri) {
				if !yield(spelling, owners) {
					return
				}
			}
		}
		for _, spelling := range spellings {
			for alias, id := range p.otherNames(spelling) {
				if !yield(alias, []string{id}) {
					return
				}
			}
		}
	}
}

// spellings are a URL and what it is with the slashes of its query as they are,
// and encoded: they divide nothing there, and forms are sent with them encoded.
func spellings(uri string) []string {
	all := []string{uri}
	path, query, _ := strings.Cut(uri, "?")
	plain := strings.ReplaceAll(strings.ReplaceAll(query, "%2F", "/"), "%2f", "/")
	if !strings.Contains(plain, "/") {
		return all
	}
	for _, other := range [...]string{plain, strings.ReplaceAll(plain, "/", "%2F")} {
		if other != query {
			all = append(all, path+"?"+other)
		}
	}
	return all
}

// otherNames yields a URL with each of the other names of its host, and the
// repository whose host has these names.
func (p *published) otherNames(uri string) iter.Seq2[string, string] {
	return func(yield func(url, id string) bool) {
		if len(p.aliased) == 0 {
			return
		}
		u, err := url.Parse(uri)
		if err != nil {
			return
		}
		given, name := u.Host, u.Hostname()
		for _, i := range p.aliased {
			repo := p.order[i]
			if !slices.ContainsFunc(repo.aliases, func(h string) bool { return strings.EqualFold(h, name) }) {
				continue
			}
			for _, u.Host = range repo.aliases {
				if !strings.EqualFold(u.Host, given) && !yield(u.String(), repo.ID) {
					return
				}
			}
		}
	}
}

// contextOf is the file that uri names, or else the landing page.
func contextOf(o store.Object, uri string) string {
	page := anchor(o.LandingPage.URL)
	if bridge.SameURL(o.LandingPage.URL, uri) {
		return page
	}
	normal := bridge.NormalURL(uri)
	for _, item := range o.Items {
		if target, err := linkset.Target(item.URL); err == nil && bridge.NormalURL(item.URL) == normal {
			return target
		}
	}
	return page
}
