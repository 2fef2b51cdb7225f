package server

import (
	"context"
	"net/http"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/store"
)

var noDocument = refusal{http.StatusNotFound, "No such document is published of this object."}

// serveDocument answers with a document made of what the records of an object
// state. What they do not state enough for does not exist, and is not linked.
func (s documents) serveDocument(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	form, ok := description.Named(v.document)
	if !ok {
		return noDocument
	}
	o, err := s.object(r.Context(), repo, v.key)
	switch {
	case err != nil:
		return err
	case o.Deleted:
		return refusal{http.StatusGone, "The repository has deleted this object."}
	case o.Documents&form.Needs == 0:
		return noDocument
	}
	d, err := s.described(r.Context(), repo, o, form)
	if err != nil {
		return err
	}
	d.serve(w, r, s.Now())
	return nil
}

// described makes a document. It is not cached: an object stays as it is when
// only the words of its record change.
func (s documents) described(ctx context.Context, repo *repository, o store.Object, form description.Document) (*document, error) {
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
		mediaType: form.ContentType, body: body, links: links.Header(), policy: locked, modified: lastChange(repo.changed(o.Modified), records),
	}.sealed(), nil
}

// lastChange is when an object or one of its records changed last. A datestamp
// without a time is that day's end.
func lastChange(at time.Time, records []store.Record) time.Time {
	for _, r := range records {
		stamp, err := time.Parse(time.RFC3339, r.Datestamp)
		if err != nil {
			if stamp, err = time.Parse(time.DateOnly, r.Datestamp); err != nil {
				continue
			}
			stamp = stamp.AddDate(0, 0, 1)
		}
		if stamp.After(at) {
			at = stamp
		}
	}
	return at
}

// sourceOf is what a description is made of: the records that are kept.
func sourceOf(repo *repository, o store.Object, records []store.Record) description.Source {
	source := description.Source{Object: o.Object, Identifier: o.Identifier, Platform: repo.Platform}
	for _, r := range records {
		if r.Deleted {
			continue
		}
		source.Records = append(source.Records, bridge.Record{Prefix: r.Prefix, Sets: r.Sets, Metadata: r.Metadata})
		if day := dayOf(r.Datestamp); day > source.Datestamp {
			source.Datestamp = day
		}
	}
	if source.Datestamp == "" { // none can be read: the day on which the gateway saw the change
		source.Datestamp = time.UnixMicro(o.Modified).UTC().Format(time.DateOnly)
	}
	return source
}

// dayOf is the day of a datestamp; "" if it is none.
func dayOf(datestamp string) string {
	day := datestamp[:min(len(datestamp), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
