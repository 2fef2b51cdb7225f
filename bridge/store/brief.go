package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	Prefixes []string                `json:",omitempty"` // as in Repository
	Formats  []oaipmh.MetadataFormat `json:"-"`          // likewise

	// List names the document with Formats, in the database alone. Repositories with
	// the same software have the same.
	List string `json:",omitempty"`
}

// samplePages is how many objects show where the landing pages of a repository are.
const samplePages = 100

// saveBrief saves the brief of a repository with the objects that are stored.
func (c *core) saveBrief(tx engine.Tx, r *Repository) error {
	found, err := tx.Scan(engine.Span{Order: engine.ByID, After: engine.Start, Limit: samplePages}, engine.Published)
	if err != nil {
		return err
	}
	sample, err := c.all(tx, r.ID, found)
	if err != nil {
		return err
	}
	var objects []bridge.Object
	for _, s := range sample {
		objects = append(objects, s.object.Object)
	}
	b := Brief{
		Name: r.Identify.RepositoryName, Prefixes: r.Prefixes, PageHost: bridge.PageHost(objects), Origins: slices.Sorted(maps.Keys(r.Mapping.Origins)),
	}
	if len(r.Formats) > 0 {
		if b.List, err = saveFormats(tx, r.Formats); err != nil {
			return err
		}
	}
	return putDocument(tx, engine.Brief, r.ID, b)
}

// saveFormats saves a list of formats under a name that it alone has.
func saveFormats(tx engine.Tx, formats []oaipmh.MetadataFormat) (name string, err error) {
	value, err := json.Marshal(formats)
	if err != nil {
		return "", fmt.Errorf("write formats: %w", err)
	}
	hash := Hash(string(value))
	name = hex.EncodeToString(hash[:])
	there, err := tx.Document(engine.Formats, name)
	if err != nil || there != nil {
		return name, err
	}
	return name, tx.PutDocument(engine.Formats, engine.Document{Name: name, Value: value})
}

// Brief returns that of a repository; the zero Brief before it was saved.
func (s repositories) Brief(ctx context.Context, id string) (b Brief, err error) {
	err = s.engine.View(ctx, id, func(rows engine.Rows) error {
		b = Brief{}
		_, err := readDocument(rows, engine.Brief, id, &b)
		if err != nil || b.List == "" {
			return err
		}
		_, err = readDocument(rows, engine.Formats, b.List, &b.Formats)
		b.List = ""
		return err
	})
	return b, wrap(err, "read what repository %s is", id)
}

// Briefs returns those of all repositories that were saved, by ID.
func (s repositories) Briefs(ctx context.Context) (out map[string]Brief, err error) {
	err = s.engine.View(ctx, "", func(rows engine.Rows) error {
		lists, err := readNamed[[]oaipmh.MetadataFormat](rows, engine.Formats)
		if err != nil {
			return err
		}
		out, err = readNamed[Brief](rows, engine.Brief)
		for id, b := range out {
			b.Formats, b.List = lists[b.List], ""
			out[id] = b
		}
		return err
	})
	return out, wrap(err, "read what the repositories are")
}

// readNamed reads all documents of a kind, by name.
func readNamed[T any](rows engine.Rows, kind engine.Kind) (map[string]T, error) {
	list, err := rows.Documents(kind, everything)
	out := make(map[string]T, len(list))
	for _, d := range list {
		var v T
		if err := unmarshal(d.Value, d.Name, &v); err != nil {
			return nil, err
		}
		out[d.Name] = v
	}
	return out, err
}
