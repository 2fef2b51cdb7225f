package server

import (
	"bytes"
	"context"
	"net/http"

	"fingerpost/bridge/store"
)

const metadataKind = "metadata"

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

var noFormat = refusal{http.StatusNotFound, "No metadata is published in this format."}

// serveMetadata answers with the metadata kept of a record, cut out of its
// OAI-PMH envelope, in the media type that the describedby link declares.
func (s documents) serveMetadata(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	at := cacheKey{metadataKind, repo.urls.metadata(repo.ID, v.key, v.prefix)}
	d, err := s.ofObject(r.Context(), repo, v.key, at, func(o store.Object) (*document, error) {
		return s.metadataCopy(r.Context(), repo, o, v.prefix)
	})
	if err != nil {
		return err
	}
	d.serve(w, r, s.Now())
	return nil
}

// metadataCopy is refused where there is no link to it.
func (s documents) metadataCopy(ctx context.Context, repo *repository, o store.Object, prefix string) (*document, error) {
	if o.Deleted {
		return nil, refusal{http.StatusGone, "The repository has deleted this object."}
	}
	own := repo.urls.metadata(repo.ID, o.Key, prefix)
	mediaType := ""
	for _, m := range repo.metadata(o) {
		if m.URL == own {
			mediaType = m.MediaType
		}
	}
	if mediaType == "" {
		return nil, noFormat
	}
	records, err := s.store.Records(ctx, repo.ID, o.Identifier)
	if err != nil {
		return nil, err
	}
	all := repo.signpost(o)
	links := append(all.From(own), all.From(anchor(o.LandingPage.URL)).Rel("linkset")...)
	for _, record := range records {
		if record.Prefix == prefix && !record.Deleted {
			return document{
				mediaType: mediaType, body: declared(record.Metadata), links: links.Header(),
				policy: locked, modified: repo.changed(o.Modified),
			}.sealed(), nil
		}
	}
	return nil, noFormat
}

// declared is metadata as a document of its own. It is kept as UTF-8.
func declared(metadata []byte) []byte {
	if bytes.HasPrefix(metadata, []byte("<?xml")) {
		return metadata
	}
	return append([]byte(xmlDeclaration), metadata...)
}
