package server

import (
	"context"
	"net/http"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

const descriptionKind = "description"

var noDocument = refusal{http.StatusNotFound, "No such document is published of this object."}

// serveDocument answers with a document made of what the records of an object
// state. What they do not state enough for does not exist, and is not linked.
func (s documents) serveDocument(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	form, ok := description.Named(v.document)
	if !ok {
		return noDocument
	}
	at := cacheKey{descriptionKind, repo.urls.document(repo.ID, v.key, form.Name)}
	d, err := s.ofObject(r.Context(), repo, v.key, at, func(o store.Object) (*document, error) {
		return s.described(r.Context(), repo, o, form)
	})
	if err != nil {
		return err
	}
	d.serve(w, r, s.Now())
	return nil
}

// serveFormat answers with the CDIF document where the address asks for a
// format: "If there is a format parameter in URL requests, its value should be
// CDIF1.0". CDIF, metadata publication, option 2.
func (s documents) serveFormat(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	if !linkset.IsWordProfile(r.URL.Query().Get("format")) {
		return noDocument
	}
	v.document = "cdif.jsonld"
	return s.serveDocument(w, r, repo, v)
}

func (s documents) described(ctx context.Context, repo *repository, o store.Object, form description.Document) (*document, error) {
	switch {
	case o.Deleted:
		return nil, refusal{http.StatusGone, "The repository has deleted this object."}
	case o.Documents&form.Needs == 0:
		return nil, noDocument
	}
	records, err := s.store.Records(ctx, repo.ID, o.Identifier)
	if err != nil {
		return nil, err
	}
	described, err := description.Read(sourceOf(repo, o, records))
	if err != nil {
		return nil, noDocument
	}
	body, ok := described.Render(form)
	if !ok {
		return nil, noDocument
	}
	all := repo.signpost(o)
	links := append(all.From(repo.urls.document(repo.ID, o.Key, form.Name)), all.From(anchor(o.LandingPage.URL)).Rel("linkset")...)
	return document{
		mediaType: form.ContentType, body: body, links: links.Header(), policy: locked, robots: noIndex, modified: repo.changed(o.Modified),
	}.sealed(), nil
}

// sourceOf is what a description is made of: the records that are kept.
func sourceOf(repo *repository, o store.Object, records []store.Record) description.Source {
	changed := o.LastMod
	if changed.IsZero() { // no datestamp can be read: when the gateway saw the change
		changed = time.UnixMicro(o.Modified).UTC()
	}
	source := description.Source{Object: o.Object, Identifier: o.Identifier, Datestamp: changed.Format(time.DateOnly), Platform: repo.platformOf(o)}
	for _, r := range records {
		if r.Deleted {
			continue
		}
		source.Records = append(source.Records, bridge.Record{Prefix: r.Prefix, Sets: r.Sets, Metadata: r.Metadata})
	}
	return source
}
