package server

import (
	"context"
	"errors"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/identifier"
)

// Embedded is JSON-LD for the head of a landing page.
type Embedded struct {
	JSON    []byte // in ASCII without <, > and &, so that it can stand in any page
	Profile string // that CDIF asks for; "" if the record states too little for it

	names []string // normal forms of the addresses of page and object
}

// maxEmbedded is how large JSON-LD in a page may be. Beyond that there is only the
// link to it.
const maxEmbedded = 64 << 10

const embeddedKind = "embedded"

// Embedded returns the JSON-LD about the object of a landing page, and false if
// there is none. Like Links it takes at most a quarter of a second.
func (s *lookup) Embedded(ctx context.Context, page string) (*Embedded, bool) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	e, err := s.embedded(ctx, page)
	if err != nil {
		s.Log.Debug("making JSON-LD for a page failed", "error", err)
	}
	return e, e != nil
}

func (s *lookup) embedded(ctx context.Context, page string) (*Embedded, error) {
	now, err := s.repositories.current(ctx)
	if err != nil {
		return nil, err
	}
	key := cacheKey{embeddedKind, page}
	if e, ok := recall[*Embedded](s.cache, key); ok {
		return e, nil
	}
	search := search{lookup: s, now: now}
	found, err := search.find(ctx, page)
	if err != nil {
		return nil, err
	}
	e, err := documents{s.parts}.embedded(ctx, found)
	if err != nil {
		return nil, err
	}
	s.cache.put(key, e, e.bytes(), now.version, search.names...)
	return e, nil
}

// embedded is nil for what is no landing page, and for an object whose record
// states too little.
func (s documents) embedded(ctx context.Context, f found) (*Embedded, error) {
	if !isLandingPage(f.object, f.context) {
		return nil, nil
	}
	e, form := &Embedded{}, "schema.jsonld"
	if f.object.Documents&bridge.CDIF != 0 {
		e.Profile, form = "CDIF1.0", "cdif.jsonld"
	}
	which, _ := description.Named(form)
	d, err := s.described(ctx, f.repository, f.object, which)
	if errors.As(err, new(refusal)) || err == nil && len(d.body) > maxEmbedded {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e.JSON = d.body
	for _, uri := range append([]string{f.object.LandingPage.URL, f.object.CiteAs}, f.object.Aliases...) {
		if uri != "" {
			e.names = append(e.names, bridge.NormalURL(uri))
		}
	}
	return e, nil
}

func (e *Embedded) bytes() int {
	if e == nil {
		return 0
	}
	n := len(e.JSON) + 100
	for _, name := range e.names {
		n += len(name) + 16
	}
	return n
}

// Names reports whether an address or an identifier, however it is written, is
// that of the object or of its page.
func (e *Embedded) Names(id string) bool {
	if len(id) > maxURI {
		return false
	}
	if parsed, ok := identifier.Parse(id); ok && parsed.URI != "" {
		id = parsed.URI
	}
	return slices.Contains(e.names, bridge.NormalURL(id))
}
