package server

import (
	"bytes"
	"net/http"

	"fingerpost/bridge/store"
)

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// serveMetadata answers with the metadata kept of a record, cut out of its
// OAI-PMH envelope, in the media type that the describedby link declares.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request, repo *repository, v vars) {
	o, err := s.store.Object(r.Context(), repo.ID, v.key)
	if err != nil {
		s.failObject(w, r, err)
		return
	}
	if o.Deleted {
		say(w, http.StatusGone, "The repository has deleted this object.")
		return
	}
	d, err := s.metadataCopy(r, repo, o, v.prefix)
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	if d == nil {
		say(w, http.StatusNotFound, "No metadata is published in this format.")
		return
	}
	d.serve(w, r)
}

// metadataCopy returns nil if there is no link to it.
func (s *Server) metadataCopy(r *http.Request, repo *repository, o store.Object, prefix string) (*document, error) {
	own := s.urls.metadata(repo.ID, o.Key, prefix)
	mediaType := ""
	for _, m := range s.metadata(repo, o) {
		if m.URL == own {
			mediaType = m.MediaType
		}
	}
	if mediaType == "" {
		return nil, nil
	}
	records, err := s.store.Records(r.Context(), repo.ID, o.Identifier)
	if err != nil {
		return nil, err
	}
	all := s.signpost(repo, o)
	links := append(all.From(own), all.From(anchor(o.LandingPage.URL)).Rel("linkset")...)
	for _, record := range records {
		if record.Prefix == prefix && !record.Deleted {
			return document{
				mediaType: mediaType, body: declared(record.Metadata), links: links.Header(),
				policy: locked, modified: repo.changed(o.Modified),
			}.sealed(), nil
		}
	}
	return nil, nil
}

// declared is metadata as a document of its own. It is kept as UTF-8.
func declared(metadata []byte) []byte {
	if bytes.HasPrefix(metadata, []byte("<?xml")) {
		return metadata
	}
	return append([]byte(xmlDeclaration), metadata...)
}
