package server

import (
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/server/answers"
)

// verdict is what the finished answers know of a URL.
type verdict int

const (
	askStore verdict = iota // nothing that is certain
	unknown                 // that no object has it
	answered                // the answer
)

// reading is one question to the finished answers. Its memory is used again.
type reading struct {
	*prepared
	now *snapshot

	bucket, text []byte

	names      []name // that were asked for, and of what answered
	repository string // whose answer it is
	header     string
	cut        bool // whether there are more links
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// finished returns the answer for a URI, or that there is none, as an inquiry
// would, without the store; nil if that has to be asked.
func (s *Server) finished(now *snapshot, uri string, whole bool) *lookup {
	p := s.prepared.Load()
	if p == nil {
		return nil
	}
	r := readings.Get().(*reading)
	defer r.end()
	r.prepared, r.now = p, now
	v, err := r.ask(s.urls, uri)
	if err != nil {
		s.distrust(p, err)
		return nil
	}
	if v == askStore || whole && r.cut {
		return nil
	}
	l, err := r.lookup(uri, whole)
	if err != nil {
		return nil
	}
	s.lookups.put(uri, l, 400+len(uri)+len(r.header)+200*len(l.links))
	return l
}

func (r *reading) end() {
	*r = reading{bucket: r.bucket, text: r.text, names: r.names[:0]}
	readings.Put(r)
}

// lookup is what was read, to be kept. It fails for a uri that is not written
// as an anchor may be: the store knows the one that is published.
func (r *reading) lookup(uri string, whole bool) (l *lookup, err error) {
	kept := &struct { // one allocation for all
		lookup
		basis
		names  [3]name
		header [1]string
	}{header: [1]string{r.header}}
	kept.lookup.basis = &kept.basis
	kept.basis.names = append(kept.names[:0], r.names...)
	kept.basis.seen.Store(r.now.number)
	kept.whole = whole
	if r.header == "" {
		return &kept.lookup, nil
	}
	kept.lookup.header = kept.header[:]
	if whole {
		kept.links, err = linkset.ParseHeader(kept.header[:], uri)
	}
	return &kept.lookup, err
}

// ask looks for the answer as inquiry.find does.
func (r *reading) ask(own urls, uri string) (verdict, error) {
	if id, key, prefix, ok := own.readMetadata(uri); ok {
		return r.askDocument(id, key, prefix, asCopy)
	}
	v, err := r.askExact(uri)
	if v != unknown || err != nil {
		return v, err
	}
	for form, repo := range r.now.forms(uri) {
		v, err := r.askExact(form)
		if err != nil || v == askStore || v == answered && (repo == nil || r.repository == repo.ID) {
			return v, err
		}
		r.header = "" // of another repository
	}
	return unknown, nil
}

func (r *reading) askExact(uri string) (verdict, error) {
	if base, identifier, prefix, ok := oaipmh.ReadGetRecordURL(uri); ok {
		base = bridge.NormalURL(base)
		for _, repo := range r.now.order {
			if repo.records != base {
				continue
			}
			if v, err := r.askDocument(repo.ID, store.KeyOf(identifier), prefix, asGetRecord); v != unknown || err != nil {
				return v, err
			}
		}
	}
	return r.askURL(nameOfURL(uri))
}

// askDocument looks for the answer for the metadata of an object in a format.
func (r *reading) askDocument(id, key, prefix string, as metadataForm) (verdict, error) {
	repo := r.now.repositories[id]
	if repo == nil {
		return unknown, nil
	}
	n := nameOfObject(id, key)
	r.names = append(r.names, n)
	value, found, err := r.find(n, r.recent.has(n))
	if !found || err != nil {
		return unknown, err
	}
	a, ok := readRecordAnswer(value)
	format := slices.IndexFunc(repo.formats, func(f oaipmh.MetadataFormat) bool { return f.Prefix == prefix })
	switch {
	case !ok || format < 0:
		return askStore, nil
	case a.documents&documentBit(format, as) == 0:
		r.repository = id
		return answered, nil // by no links
	}
	return r.unpack(a.of, a.packed)
}

// askURL looks for the answer for a URL, or for the landing page instead.
func (r *reading) askURL(n name) (verdict, error) {
	r.names = append(r.names, n)
	recent := r.recent.has(n)
	value, found, err := r.find(n, recent)
	if !found || err != nil {
		return unknown, err
	}
	a, ok := readURLAnswer(value)
	if ok && len(a.packed) == 0 {
		if value, _, err = r.find(a.name, recent); err != nil {
			return askStore, err
		}
		a, ok = readURLAnswer(value)
	}
	if !ok || !recent && r.recent.has(a.name) {
		return askStore, nil
	}
	r.names = append(r.names, a.name)
	return r.unpack(a.of, a.packed)
}

// find looks among what changed, or in the file.
func (r *reading) find(n name, recent bool) (value []byte, found bool, err error) {
	if recent {
		value, found = r.recent.find(n)
		return value, found, nil
	}
	return r.File.Find(n, &r.bucket)
}

func (r *reading) unpack(of source, packed []byte) (verdict, error) {
	if of.repository >= len(r.phrases) || r.phrases[of.repository] == nil {
		return askStore, answers.ErrDamaged
	}
	if n, err := s2.DecodedLen(packed); err != nil || n > answers.MaxValue {
		return askStore, answers.ErrDamaged
	}
	text, err := r.phrases[of.repository].Decode(r.text[:cap(r.text)], packed)
	if err != nil {
		return askStore, fmt.Errorf("%w: %w", answers.ErrDamaged, err)
	}
	r.text, r.header, r.cut = text, string(text), of.cut
	r.repository = r.Repositories[of.repository].ID
	return answered, nil
}
