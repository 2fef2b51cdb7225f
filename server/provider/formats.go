package provider

import (
	"cmp"
	"slices"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// listFormats answers ListMetadataFormats. OAI-PMH 4.4.
func (q *query) listFormats(b []byte) ([]byte, *refusal, error) {
	formats, err := q.allFormats()
	if identifier, ok := q.args["identifier"]; ok && err == nil {
		var refused *refusal
		if formats, refused, err = q.formatsOf(identifier); refused != nil {
			return b, refused, err
		}
	}
	if err == nil && len(formats) == 0 {
		return b, &refusal{oaipmh.NoMetadataFormats, "There are no formats."}, nil
	}
	for _, f := range formats {
		b = append(b, "<metadataFormat>\n"...)
		b = text.AppendElement(b, "metadataPrefix", f.Prefix)
		b = text.AppendElement(b, "schema", f.Schema)
		b = text.AppendElement(b, "metadataNamespace", f.Namespace)
		b = append(b, "</metadataFormat>\n"...)
	}
	return b, nil, err
}

// formatsOf returns the formats in which there are records of an identifier.
func (q *query) formatsOf(identifier string) ([]oaipmh.MetadataFormat, *refusal, error) {
	s, records, err := q.find(identifier)
	if s == nil || err != nil {
		return nil, unknownID, err
	}
	var out []oaipmh.MetadataFormat
	for _, r := range records {
		if f := s.format(r.Prefix); f.Prefix != "" {
			out = append(out, f)
		}
	}
	return out, nil, nil
}

// allFormats returns the formats of all sources, by prefix. Where two sources
// have different formats under the same prefix, it is that of the first.
func (q *query) allFormats() ([]oaipmh.MetadataFormat, error) {
	if q.formats != nil {
		return q.formats, nil
	}
	for i := range q.mirror.Sources {
		s := &q.mirror.Sources[i]
		var missing []string
		for _, f := range s.Formats {
			if isPrefix(f.Prefix) && !hasPrefix(q.formats, f.Prefix) && s.harvested(f.Prefix) {
				missing = append(missing, f.Prefix)
			}
		}
		if len(missing) == 0 {
			continue
		}
		found, err := q.Store.Formats(q.ctx, s.ID, missing...)
		if err != nil {
			return nil, err
		}
		for _, prefix := range found {
			q.formats = append(q.formats, s.format(prefix))
		}
	}
	slices.SortFunc(q.formats, func(a, b oaipmh.MetadataFormat) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return q.formats, nil
}

// disseminates reports whether a source has records in a format that it offers.
func (q *query) disseminates(prefix string) (bool, error) {
	for i := range q.mirror.Sources {
		s := &q.mirror.Sources[i]
		if !hasPrefix(s.Formats, prefix) || !s.harvested(prefix) {
			continue
		}
		if held, err := q.Store.Formats(q.ctx, s.ID, prefix); err != nil || len(held) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

func hasPrefix(formats []oaipmh.MetadataFormat, prefix string) bool {
	return slices.ContainsFunc(formats, func(f oaipmh.MetadataFormat) bool { return f.Prefix == prefix })
}

// harvested reports whether a source may have records in a format.
func (s *Source) harvested(prefix string) bool {
	return len(s.Prefixes) == 0 || slices.Contains(s.Prefixes, prefix)
}

// format returns a format of a source; the zero MetadataFormat if it does not
// offer it.
func (s *Source) format(prefix string) oaipmh.MetadataFormat {
	for _, f := range s.Formats {
		if f.Prefix == prefix {
			return f
		}
	}
	return oaipmh.MetadataFormat{}
}
