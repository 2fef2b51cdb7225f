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

// serveNegotiated answers with the form that the client prefers.
func (s *Server) serveNegotiated(w http.ResponseWriter, r *http.Request, repo *repository, v vars) {
	f := preferred(r.Header.Get("Accept"))
	d, err := s.linkSet(r.Context(), repo, v.key, f)
	if err != nil {
		s.failObject(w, r, err)
		return
	}
	w.Header().Set("Vary", "Accept")
	if d.status == 0 {
		w.Header().Set("Content-Location", s.urls.base+linkSetPath(repo.ID, v.key, f))
	}
	d.serve(w, r)
}

// serveLinkSet answers with one form, which has its own address.
func (s *Server) serveLinkSet(f form) func(http.ResponseWriter, *http.Request, *repository, vars) {
	return func(w http.ResponseWriter, r *http.Request, repo *repository, v vars) {
		d, err := s.linkSet(r.Context(), repo, v.key, f)
		if err != nil {
			s.failObject(w, r, err)
			return
		}
		d.serve(w, r)
	}
}

// linkSet returns an object's link set document.
func (s *Server) linkSet(ctx context.Context, repo *repository, key string, f form) (*document, error) {
	path := linkSetPath(repo.ID, key, f)
	if d, ok := s.documents.get(path); ok && s.stands(d.basis, repo.snapshot) {
		return d, nil
	}
	o, err := s.store.Object(ctx, repo.ID, key)
	if err != nil {
		return nil, err
	}
	d := s.renderLinkSet(repo, o, f)
	d.basis = newBasis(repo.snapshot, nameOfObject(repo.ID, key))
	s.documents.put(path, d, len(d.body)+1024)
	return d, nil
}

// known returns the document that was last published at a path if it still
// stands, so that what is asked for often needs neither route nor store.
func (s *Server) known(path string) *document {
	d, ok := s.documents.get(path)
	if !ok || !s.isFresh() || !s.stands(d.basis, s.latest.Load().number) {
		return nil
	}
	return d
}

// renderLinkSet writes an object's links in one of the forms.
func (s *Server) renderLinkSet(repo *repository, o store.Object, f form) *document {
	links := s.signpostWithin(repo, o)
	d := document{mediaType: mediaTypes[f], modified: repo.changed(o.Modified), etag: linkSetTag(repo, o, f)}
	if o.Deleted {
		// What is gone can still be cited: by header too, since few clients
		// read the body of an error.
		d.status = http.StatusGone
		d.links = links.Header()
	}
	if f == asText {
		d.body = append(links.Text(), '\n')
	} else {
		d.body = append(links.JSON(), '\n')
	}
	return d.sealed()
}

// linkSetTag names the state of a form of a link set: with the same tag it has
// the same bytes, as pageTag has it.
func linkSetTag(repo *repository, o store.Object, f form) string {
	return `"` + strconv.FormatInt(o.Modified, 36) + "." + repo.settings + suffixes[f] + `"`
}

// serveFinder leads from a URL that belongs to an object to its link set.
func (s *Server) serveFinder(w http.ResponseWriter, r *http.Request, _ vars) {
	asked := askedURIs(r.URL.RawQuery)
	if len(asked) == 0 {
		say(w, http.StatusBadRequest, "Ask with ?uri= and one absolute URL of at most 2048 bytes.")
		return
	}
	now, err := s.snapshot(r.Context())
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	for _, uri := range asked {
		in := inquiry{Server: s, now: now}
		f, err := in.find(r.Context(), uri)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			s.unavailable(w, r, err)
			return
		}
		h := w.Header()
		h.Set("Location", s.urls.linkSet(f.repository.ID, f.object.Key))
		h.Set("Cache-Control", documentCaching)
		h.Set("Content-Length", "0")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	say(w, http.StatusNotFound, "No object is known by this URL: it is no landing page, file, metadata or identifier of one.")
}

// failObject answers for an object that could not be read.
func (s *Server) failObject(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, store.ErrNotFound) {
		say(w, http.StatusNotFound, "No object is published under this key.")
		return
	}
	s.unavailable(w, r, err)
}
