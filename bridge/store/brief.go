package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
	"fingerpost/oaipmh"
)

// Brief is the little of a repository that is kept in memory of all, where there are
// tens of thousands.
type Brief struct {
	Name     string                  `json:",omitempty"` // as its Identify says
	PageHost string                  `json:",omitempty"` // where most of its landing pages are, when it was last saved; "" if that is unknown
	Origins  []string                `json:",omitempty"` // base URLs of the repositories that it mirrors
	Formats  []oaipmh.MetadataFormat `json:",omitempty"` // as in Repository
}

// samplePages is how many objects show where the landing pages of a repository are.
const samplePages = 100

// briefOf is the brief of a repository with the objects that are stored.
func (c *core) briefOf(rows engine.Rows, r *Repository) (Brief, error) {
	found, err := rows.Scan(engine.Span{Order: engine.ByID, After: engine.Start, Limit: samplePages}, engine.Published)
	if err != nil {
		return Brief{}, err
	}
	sample, err := c.all(rows, r.ID, found)
	if err != nil {
		return Brief{}, err
	}
	var objects []bridge.Object
	for _, s := range sample {
		objects = append(objects, s.object.Object)
	}
	return Brief{r.Identify.RepositoryName, bridge.PageHost(objects), slices.Sorted(maps.Keys(r.Mapping.Origins)), r.Formats}, nil
}

// Brief returns that of a repository; the zero Brief before it was saved.
func (s repositories) Brief(ctx context.Context, id string) (b Brief, err error) {
	err = s.engine.View(ctx, id, func(rows engine.Rows) error {
		_, err := readDocument(rows, engine.Brief, id, &b)
		return err
	})
	return b, wrap(err, "read what repository %s is", id)
}

// Briefs returns those of all repositories that were saved, by ID. Where Formats
// are the same they are in memory once: repositories with the same software have
// the same.
func (s repositories) Briefs(ctx context.Context) (out map[string]Brief, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		list, err := rows.Documents(engine.Brief, everything)
		if err != nil {
			return err
		}
		out = make(map[string]Brief, len(list))
		formats := map[string][]oaipmh.MetadataFormat{}
		for _, d := range list {
			var b struct {
				Brief
				Formats json.RawMessage
			}
			if err := unmarshal(d.Value, d.Name, &b); err != nil {
				return err
			}
			same, ok := formats[string(b.Formats)]
			if !ok && b.Formats != nil {
				if err := unmarshal(b.Formats, d.Name, &same); err != nil {
					return err
				}
				formats[string(b.Formats)] = same
			}
			b.Brief.Formats = same
			out[d.Name] = b.Brief
		}
		return nil
	})
	return out, wrap(err, "read what the repositories are")
}
