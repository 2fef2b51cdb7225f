package oaitest

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"maps"
	"slices"
	"strings"
	"time"

	"fingerpost/oaipmh"
)

// Record is a record of a fake repository.
type Record struct {
	oaipmh.Header
	Formats map[string]string // metadataPrefix -> metadata, a document
}

// A source is where a repository's records come from, in the order of their
// datestamps.
type source interface {
	len() int
	header(i int) oaipmh.Header
	has(i int, prefix string) bool
	append(b []byte, i int, prefix string) []byte // the metadata
	find(identifier string) (int, bool)
	formats() []oaipmh.MetadataFormat
}

// stored is a source of given records.
type stored struct {
	list  []Record
	index map[string]int
}

func newStored(records []Record) *stored {
	s := &stored{list: slices.Clone(records)}
	s.sort()
	return s
}

func (s *stored) sort() {
	at := func(r Record) time.Time {
		t, _ := r.Time()
		return t
	}
	slices.SortStableFunc(s.list, func(a, b Record) int { return at(a).Compare(at(b)) })
	s.index = make(map[string]int, len(s.list))
	for i, r := range s.list {
		s.index[r.Identifier] = i
	}
}

func (s *stored) len() int                   { return len(s.list) }
func (s *stored) header(i int) oaipmh.Header { return s.list[i].Header }

func (s *stored) has(i int, prefix string) bool {
	return s.list[i].Formats[prefix] != "" || s.list[i].Deleted && len(s.list[i].Formats) == 0
}

func (s *stored) append(b []byte, i int, prefix string) []byte {
	return append(b, s.list[i].Formats[prefix]...)
}

func (s *stored) find(identifier string) (int, bool) {
	i, ok := s.index[identifier]
	return i, ok
}

func (s *stored) put(rec Record) {
	if i, ok := s.find(rec.Identifier); ok {
		s.list[i] = rec
	} else {
		s.list = append(s.list, rec)
	}
	s.sort()
}

func (s *stored) remove(identifier string) {
	s.list = slices.DeleteFunc(s.list, func(r Record) bool { return r.Identifier == identifier })
	s.sort()
}

// formats are those that the records show: the namespace of the metadata's
// root is that of the format.
func (s *stored) formats() []oaipmh.MetadataFormat {
	formats := map[string]oaipmh.MetadataFormat{}
	for _, r := range s.list {
		for prefix, metadata := range r.Formats {
			if _, ok := formats[prefix]; !ok {
				formats[prefix] = formatOf(prefix, []byte(metadata))
			}
		}
	}
	return slices.SortedFunc(maps.Values(formats), func(a, b oaipmh.MetadataFormat) int {
		return cmp.Compare(a.Prefix, b.Prefix)
	})
}

// formatOf reads namespace and schema from the metadata's root.
func formatOf(prefix string, metadata []byte) oaipmh.MetadataFormat {
	f := oaipmh.MetadataFormat{Prefix: prefix}
	d := xml.NewDecoder(bytes.NewReader(metadata))
	d.Strict = false
	for {
		t, err := d.Token()
		if err != nil {
			return f
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		f.Namespace = start.Name.Space
		for _, a := range start.Attr {
			if a.Name.Local != "schemaLocation" {
				continue
			}
			pairs := strings.Fields(a.Value)
			for i := 0; i+1 < len(pairs); i += 2 {
				if pairs[i] == f.Namespace {
					f.Schema = pairs[i+1]
				}
			}
		}
		return f
	}
}

// materialise returns the source as one that can be changed.
func materialise(s source) *stored {
	if s, ok := s.(*stored); ok {
		return s
	}
	list := make([]Record, s.len())
	for i := range list {
		list[i] = Record{Header: s.header(i), Formats: map[string]string{}}
		for _, f := range s.formats() {
			if s.has(i, f.Prefix) {
				list[i].Formats[f.Prefix] = string(s.append(nil, i, f.Prefix))
			}
		}
	}
	return newStored(list)
}
