package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// Object is a mapped object, keyed (Repository, Identifier), made from all
// records stored for that identifier.
type Object struct {
	ID         int64 // ascending in the order of first appearance; 0 before it is saved
	Repository string
	Identifier string // the OAI identifier
	Key        string // in URLs; KeyOf(Identifier)
	Deleted    bool
	LastMod    time.Time // newest datestamp among its records at its last change; the zero time if none could be read
	// Modified is our own clock in microseconds, strictly ascending within the
	// repository. Save moves it when anything changes that is published of the
	// object: its links, sets and formats, or the metadata of a record.
	Modified int64
	Prefixes []string // formats in which it is stored, not deleted and not empty
	Sets     []string
	bridge.Object
}

// objectValues are objects as engines keep them.
var objectValues = newCodec[bridge.Object]()

type objects struct{ *core }

// Object finds an object by its key in URLs.
func (s objects) Object(ctx context.Context, repository, key string) (Object, error) {
	hash, ok := HashOfKey(key)
	if !ok {
		return Object{}, wrap(ErrNotFound, "object %s of %s", key, repository)
	}
	o, err := s.one(ctx, repository, first64(hash), func(identifier string) bool { return KeyOf(identifier) == key })
	return o, wrap(err, "find object %s of %s", key, repository)
}

// ByIdentifier finds an object by its OAI identifier.
func (s objects) ByIdentifier(ctx context.Context, repository, identifier string) (Object, error) {
	identifier = clean(identifier)
	o, err := s.one(ctx, repository, hash64(identifier), func(other string) bool { return other == identifier })
	return o, wrap(err, "find object %q of %s", identifier, repository)
}

// one returns the object with a key that is the one asked for: two identifiers
// may have the same.
func (s objects) one(ctx context.Context, repository string, key int64, is func(identifier string) bool) (o Object, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.ByKey([]int64{key}, engine.Published)
		if err != nil {
			return err
		}
		for _, row := range found {
			if hash64(row.Identifier) != key {
				return damaged("the identifier of object %d of %s", row.ID, repository)
			}
			if row.State != engine.Unmapped && is(row.Identifier) {
				o, err = s.published(rows, repository, row)
				return err
			}
		}
		return ErrNotFound
	})
	return o, err
}

// Find finds the first of FindAll.
func (s objects) Find(ctx context.Context, uri string, in ...string) (Object, error) {
	all, err := s.FindAll(ctx, uri, in...)
	if err == nil && len(all) == 0 {
		err = wrap(ErrNotFound, "find the object of a URL")
	}
	if err != nil {
		return Object{}, err
	}
	return all[0], nil
}

// mostFound is how many objects FindAll returns: thousands may have the same
// file.
const mostFound = 50

// FindAll finds the objects that have uri as landing page, persistent
// identifier, alias or file, in that order, and behind all live objects the
// deleted ones. Of several with the same role, those of the first repository by
// ID come first, and of one repository the oldest. Every form of uri with the
// same bridge.NormalURL finds them. It looks into all repositories, or only into
// those that are named.
func (s objects) FindAll(ctx context.Context, uri string, in ...string) (out []Object, err error) {
	normal := bridge.NormalURL(uri)
	var found []engine.Found
	err = s.engine.View(ctx, "", func(rows engine.Rows) (err error) {
		found, err = rows.ByURL(hash64(normal), in, mostFound)
		return err
	})
	slices.SortFunc(found, compareFound)
	out = make([]Object, 0, len(found))
	for i := range found {
		if err == nil {
			out, err = s.appendFound(ctx, out, &found[i], normal)
		}
	}
	return out, wrap(err, "find the objects of a URL")
}

// appendFound adds an object that has a URL.
func (s objects) appendFound(ctx context.Context, out []Object, f *engine.Found, normal string) ([]Object, error) {
	var o Object
	err := s.engine.View(ctx, f.Repository, func(rows engine.Rows) (err error) { // its words are the repository's
		o, err = s.published(rows, f.Repository, &f.Object)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case hasURL(&o.Object, normal):
		return append(out, o), nil
	case !hasHash(&o.Object, hash64(normal)):
		return nil, damaged("a URL of object %q of %s", f.Identifier, f.Repository)
	}
	return out, nil
}

func compareFound(a, b engine.Found) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.ID, b.ID))
}

// mostLocations is in how many repositories an identifier is looked for, on
// average.
const mostLocations = 100

// RepositoriesOf returns for each OAI identifier the IDs of the repositories
// that have records with it, sorted. An identifier with the same hash counts.
func (s objects) RepositoriesOf(ctx context.Context, identifiers ...string) (out [][]string, err error) {
	keys := hashesOf(identifiers)
	var found []engine.Location
	err = s.engine.View(ctx, "", func(rows engine.Rows) (err error) {
		found, err = rows.Locations(keys, len(keys)*mostLocations)
		return err
	})
	in := map[int64][]string{}
	for _, l := range found {
		in[l.Key] = append(in[l.Key], l.Repository)
	}
	for key, ids := range in {
		slices.Sort(ids)
		in[key] = slices.Compact(ids)
	}
	for _, identifier := range identifiers {
		out = append(out, in[hash64(clean(identifier))])
	}
	return out, wrap(err, "look up identifiers in all repositories")
}

// hasURL reports whether an object has a URL with a normal form.
func hasURL(o *bridge.Object, normal string) bool {
	for _, uri := range o.URLs() {
		if bridge.NormalURL(uri) == normal {
			return true
		}
	}
	return false
}

// hasHash reports whether an object has a URL whose normal form has a hash.
func hasHash(o *bridge.Object, hash int64) bool {
	for _, uri := range o.URLs() {
		if hash64(bridge.NormalURL(uri)) == hash {
			return true
		}
	}
	return false
}

// Objects yields a repository's objects, deleted ones included, in ascending
// ID from after on.
func (s objects) Objects(ctx context.Context, repository string, after int64) iter.Seq2[Object, error] {
	return s.scan(ctx, repository, engine.Span{Order: engine.ByID, After: after})
}

// Changed yields the objects, deleted ones included, with a newer Modified, in
// ascending order of it. An object that changes meanwhile is yielded again, as
// the newest.
func (s objects) Changed(ctx context.Context, repository string, modified int64) iter.Seq2[Object, error] {
	return s.scan(ctx, repository, engine.Span{Order: engine.ByModified, After: modified})
}

// scan yields the objects of a span, a chunk at a time.
func (c *core) scan(ctx context.Context, repository string, span engine.Span) iter.Seq2[Object, error] {
	read := func(rows engine.Rows, after int64) ([]scanned, error) {
		span.After, span.Limit = after, chunk
		found, err := rows.Scan(span, engine.Published)
		if err != nil {
			return nil, err
		}
		return c.all(rows, repository, found)
	}
	key := func(v scanned) int64 {
		if span.Order == engine.ByModified {
			return v.row.Modified
		}
		return v.row.ID
	}
	return func(yield func(Object, error) bool) {
		for v, err := range chunks(ctx, c.engine, repository, span.After, read, key) {
			if err != nil {
				yield(Object{}, wrap(err, "read the objects of %s", repository))
				return
			}
			if v.row.State != engine.Unmapped && !yield(v.object, nil) {
				return
			}
		}
	}
}

// scanned is a row and the object in it, if it is mapped.
type scanned struct {
	row    *engine.Object
	object Object
}

func (c *core) all(rows engine.Rows, repository string, found []*engine.Object) ([]scanned, error) {
	out := make([]scanned, len(found))
	for i, row := range found {
		out[i].row = row
		if row.State == engine.Unmapped {
			continue
		}
		var err error
		if out[i].object, err = c.published(rows, repository, row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// published returns the object in a row.
func (c *core) published(rows engine.Rows, repository string, row *engine.Object) (Object, error) {
	value, err := objectValues.decode(row.Value)
	if err != nil {
		return Object{}, wrap(err, "read object %q of %s", row.Identifier, repository)
	}
	o := Object{
		ID: row.ID, Repository: repository, Identifier: row.Identifier, Key: KeyOf(row.Identifier), Deleted: row.State == engine.Deleted,
		LastMod: time.Unix(row.LastMod, 0).UTC(), Modified: row.Modified, Object: *value,
	}
	if o.Prefixes, err = c.words.read(rows, repository, row.Prefixes); err == nil {
		o.Sets, err = c.words.read(rows, repository, row.Sets)
	}
	return o, wrap(err, "read object %q of %s", row.Identifier, repository)
}

// hash64 is a number to find a text by. Two texts may have the same number:
// compare the texts of a row that is found by it.
func hash64(text string) int64 { return first64(Hash(text)) }

func first64(hash [10]byte) int64 { return int64(binary.BigEndian.Uint64(hash[:])) }

// hashesOf returns the hashes of texts, each once, in ascending order.
func hashesOf(texts []string) []int64 {
	out := make([]int64, len(texts))
	for i, text := range texts {
		out[i] = hash64(clean(text))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
