// Package server publishes what is in the store: link sets, Signmaps, metadata,
// robots.txt, the API catalogue, and the lookup that web servers ask. There is
// one file per published document. routes.go is the table of paths, urls.go
// makes the gateway's own URLs.
//
// A document is made in one way: the store's Object, then its links
// (repository), then bytes (document). A lookup goes from a URL to the Object
// first (lookup). What is finished stays in memory (cache) until its object
// changes, which repositories finds out by asking the store once a second.
package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
	"fingerpost/server/provider"
)

// Config is what a Server is made of. Only PublicURL is required.
type Config struct {
	// PublicURL is where the world finds the gateway; it may carry a path
	// prefix. Every link is built from it, never from a request's Host.
	PublicURL    *url.URL
	Repositories []Repository
	Version      string // of the program
	Contact      string // mail address or URL of the people who run the gateway; "" if none is given

	// PageFolder is the folder for rendered pages of Signmaps and CDIF lists. If
	// it is "" or cannot be written, they are rendered for every request.
	PageFolder string

	// Ready reports whether every repository has been harvested once, and if
	// not, says in one sentence what is missing. Nil is always ready.
	Ready func() (ready bool, sentence string)

	// Explain says what led to the links of an object, for its page. Nil leaves
	// the reasons out.
	Explain func(ctx context.Context, o store.Object) (bridge.Explanation, error)

	Log *slog.Logger     // nil logs nothing
	Now func() time.Time // nil is time.Now
}

// Repository is a repository whose objects are published.
type Repository struct {
	ID          string // in URLs, and the store's name for it
	Name        string // for people; "" takes what Identify said
	OAIURL      string
	Prefixes    []string       // of the formats to harvest; none: the best
	Hosts       []string       // further names of its host
	Budget      linkset.Budget // of the links in a header
	Inbox       string         // LDN inbox; "" if there is none
	Omit        []string       // relations of links that its landing pages have without us
	Describedby Describedby
	Platform    string // as configured; "" takes the one that was learned
}

// Describedby says which metadata documents are linked. By default these are
// the repository's GetRecord answers, also in formats that it offers for every
// record but that are not harvested, and the gateway's copies.
type Describedby struct {
	OmitGetRecord bool
	OmitCopies    bool
	OmitOffered   bool
}

// Server is the gateway's public face, an http.Handler.
type Server struct {
	*parts
	*lookup
	signmaps *paged
	cdif     *paged
	provider *provider.Provider
	traffic  *traffic
	router   http.Handler
}

// parts are what documents are made from.
type parts struct {
	Config
	urls         urls
	store        Store
	cache        *cache
	repositories *repositories
	started      time.Time
}

// cacheBytes is the memory for finished answers. The garbage collector needs as
// much again, and all of the gateway is to stay within 64 MiB, of which the
// program itself and SQLite take half.
const cacheBytes = 8 << 20

// reserved are the first path segments that no repository can have.
var reserved = []string{"", ".", "..", ".well-known", "healthz", "readyz", "robots.txt", "linkset", "links", contextPath[1:], "oai", look.StylePath[1:], look.ScriptPath[1:], findPath[1:]}

// New makes a Server that publishes what is in a store.
func New(c Config, from Store) (*Server, error) {
	if c.PublicURL == nil || c.PublicURL.Host == "" || (c.PublicURL.Scheme != "http" && c.PublicURL.Scheme != "https") {
		return nil, fmt.Errorf("public URL %q: it must be absolute, such as https://links.example.org/", c.PublicURL)
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Ready == nil {
		c.Ready = func() (bool, string) { return true, "" }
	}
	s := &Server{parts: &parts{Config: c, urls: newURLs(c.PublicURL), store: from, cache: newCache(cacheBytes), started: c.Now()}}
	s.repositories = &repositories{
		Config: &s.Config, urls: s.urls, store: from, cache: s.cache, mostChanges: mostChanges, mostNames: mostNames,
	}
	if err := s.Configure(c.Repositories); err != nil {
		return nil, err
	}
	s.Repositories = nil // those in force may be others later
	s.lookup = &lookup{s.parts, lookupTime}
	s.signmaps, s.cdif = newPaged(s.parts, signmapPages), newPaged(s.parts, cdifPages)
	s.provider = provider.New(from, c.Contact, c.Log, c.Now)
	s.traffic = newTraffic(s.routes())
	s.router = s.newRouter()
	return s, nil
}

// Configure replaces the repositories that are published. Requests under way are
// answered as before.
func (s *Server) Configure(repositories []Repository) error {
	return s.repositories.configure(repositories)
}

// Renew makes the next request ask the store for changes. Call it after a
// harvest.
func (s *Server) Renew() { s.repositories.renew() }

// Close ends all use of the store, so that it can be closed. No request may be
// under way.
func (s *Server) Close() { s.repositories.close() }

// Published is what is published of an object.
type Published struct {
	Links linkset.LinkSet // all of them
	// Offered are documents in formats in which it was not harvested, but which its
	// repository offers for every record.
	Offered []bridge.MetadataResource
	Made    []bridge.MetadataResource // of what its records state
}

// Published returns what is published of an object that was read from the store:
// nothing if its repository is not published.
func (s *Server) Published(ctx context.Context, o store.Object) Published {
	repo := s.repositoryOf(ctx, o)
	if repo == nil {
		return Published{}
	}
	return Published{repo.signpost(o), repo.onlyOffered(o), repo.documents(o)}
}

// Description returns what the records of an object state, as its documents have
// it; nil if its repository is not published.
func (s *Server) Description(ctx context.Context, o store.Object) (*description.Description, error) {
	repo := s.repositoryOf(ctx, o)
	if repo == nil {
		return nil, nil
	}
	records, err := s.store.Records(ctx, repo.ID, o.Identifier)
	if err != nil {
		return nil, fmt.Errorf("read the records of %s: %w", o.Identifier, err)
	}
	return description.Read(sourceOf(repo, o, records))
}

func (s *Server) repositoryOf(ctx context.Context, o store.Object) *repository {
	now, err := s.repositories.current(ctx)
	if err != nil {
		return nil
	}
	repo, err := now.repository(ctx, o.Repository)
	if err != nil {
		return nil
	}
	return repo
}

func distinct(repositories []Repository) error {
	taken := map[string]bool{}
	for _, id := range reserved {
		taken[id] = true
	}
	for _, r := range repositories {
		if taken[r.ID] || strings.ContainsAny(r.ID, "/\\%") {
			return fmt.Errorf("repository id %q: it is reserved or used twice, choose another", r.ID)
		}
		taken[r.ID] = true
	}
	return nil
}
