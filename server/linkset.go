package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"fingerpost/bridge/store"
)

// mediaTypes of the forms, without a charset: neither has one, and clients
// compare them as strings. RFC 9264, 8.
var mediaTypes = [...]string{asJSON: "application/linkset+json", asText: "application/linkset"}

// suffixes tell the addresses of the forms apart.
var suffixes = [...]string{asJSON: ".json", asText: ".txt"}

// documents has what is published of one object: its link set and its metadata.
type documents struct{ *parts }

// serveNegotiated answers with the form that the client prefers.
func (s documents) serveNegotiated(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	f := preferred(r.Header.Get("Accept"))
	d, err := s.linkSet(r.Context(), repo, v.key, f)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	if d.status == 0 {
		w.Header().Set("Content-Location", s.urls.base+linkSetPath(repo.ID, v.key, f))
	}
	d.serve(w, r, s.Now())
	return nil
}

// serveLinkSet answers with one form, which has its own address.
func (s documents) serveLinkSet(f form) func(http.ResponseWriter, *http.Request, *repository, vars) error {
	return func(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
		d, err := s.linkSet(r.Context(), repo, v.key, f)
		if err != nil {
			return err
		}
		d.serve(w, r, s.Now())
		return nil
	}
}

const linkSetKind = "link set"

// linkSet returns an object's link set document.
func (s documents) linkSet(ctx context.Context, repo *repository, key string, f form) (*document, error) {
	return s.ofObject(ctx, repo, key, cacheKey{linkSetKind, linkSetPath(repo.ID, key, f)}, func(o store.Object) (*document, error) {
		return repo.linkSetDocument(o, f), nil
	})
}

// ofObject returns a document of an object: the cached one, or one that it makes.
func (s documents) ofObject(ctx context.Context, repo *repository, key string, at cacheKey, make func(store.Object) (*document, error)) (*document, error) {
	if d, ok := recall[*document](s.cache, at); ok {
		return d, nil
	}
	o, err := s.object(ctx, repo, key)
	if err != nil {
		return nil, err
	}
	d, err := make(o)
	if err == nil {
		s.cache.put(at, d, len(d.body)+1024, repo.version, nameOfObject(repo.ID, key))
	}
	return d, err
}

// object reads an object, or refuses the request if there is none.
func (s documents) object(ctx context.Context, repo *repository, key string) (store.Object, error) {
	o, err := s.store.Object(ctx, repo.ID, key)
	if errors.Is(err, store.ErrNotFound) {
		err = refusal{http.StatusNotFound, "No object is published under this key."}
	}
	return o, err
}

// linkSetDocument writes an object's links in one of the forms.
func (r *repository) linkSetDocument(o store.Object, f form) *document {
	links := r.signpostWithin(o)
	d := document{mediaType: mediaTypes[f], modified: r.changed(o.Modified), etag: r.linkSetTag(o, f)}
	if o.Deleted {
		// What is gone can still be cited: by header too, since few clients
		// read the body of an error.
		d.status = http.StatusGone
		d.links = links.HeaderWithAnchors()
	}
	if f == asText {
		d.body = append(links.Text(), '\n')
	} else {
		d.body = append(links.JSON(), '\n')
		d.links = append([]string{r.urls.contextLink()}, d.links...)
	}
	return d.sealed()
}

// linkSetTag names the state of a form of a link set: with the same tag it has
// the same bytes.
func (r *repository) linkSetTag(o store.Object, f form) string {
	return `"` + strconv.FormatInt(o.Modified, 36) + "." + r.settings + suffixes[f] + `"`
}
