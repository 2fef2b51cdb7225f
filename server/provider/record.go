package provider

import (
	"cmp"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

var unknownID = &refusal{oaipmh.IDDoesNotExist, "There is no record with this identifier."}

// getRecord answers GetRecord. OAI-PMH 4.1.
func (q *query) getRecord(b []byte) ([]byte, *refusal, error) {
	s, records, err := q.find(q.args["identifier"])
	if s == nil || err != nil {
		return b, unknownID, err
	}
	for i := range records {
		if r := &records[i]; r.Prefix == q.args["metadataPrefix"] {
			return q.appendRecord(b, s, r), nil, nil
		}
	}
	return b, noFormat, nil
}

// find returns the records of an identifier in the formats that their source
// offers, and the source: the first that has a live record, or else the first.
func (q *query) find(identifier string) (from *Source, records []store.Listed, err error) {
	ids, err := q.mirror.Having(q.ctx, identifier)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		s := q.mirror.source(id)
		if s == nil {
			continue
		}
		found, err := q.recordsOf(s, identifier)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(found, func(r store.Listed) bool { return !r.Deleted }) {
			return s, found, nil
		}
		if from == nil && len(found) > 0 {
			from, records = s, found
		}
	}
	return from, records, nil
}

func (q *query) recordsOf(s *Source, identifier string) (out []store.Listed, err error) {
	all, err := q.Store.OfIdentifier(q.ctx, s.ID, identifier)
	for _, r := range all {
		if s.format(r.Prefix).Prefix != "" {
			out = append(out, r)
		}
	}
	return out, err
}

// appendHeader adds the header of a record. OAI-PMH 2.5. The identifier is that of
// its origin.
func (q *query) appendHeader(b []byte, s *Source, r *store.Listed) []byte {
	if r.Deleted {
		b = append(b, "<header status=\"deleted\">\n"...)
	} else {
		b = append(b, "<header>\n"...)
	}
	b = text.AppendElement(b, "identifier", r.Identifier)
	b = text.AppendElement(b, "datestamp", oaipmh.Second.Format(stampOf(r.Modified)))
	if q.mirror.Union && len(r.Sets) == 0 {
		b = text.AppendElement(b, "setSpec", s.ID)
	}
	for _, set := range r.Sets {
		b = text.AppendElement(b, "setSpec", q.mirror.setSpec(s, set))
	}
	return append(b, "</header>\n"...)
}

// appendRecord adds a record. One that is deleted has neither metadata nor about:
// OAI-PMH 2.5. Metadata that is no XML has no place in an answer: all other records
// in it would be lost.
func (q *query) appendRecord(b []byte, s *Source, r *store.Listed) []byte {
	b = q.appendHeader(append(b, "<record>\n"...), s, r)
	if r.Deleted {
		return append(b, "</record>\n"...)
	}
	if start, end, metadata, ok := q.embed.embed("metadata", r.Metadata); ok {
		b = append(b, start...)
		b = append(b, metadata...)
		b = append(b, end...)
	} else {
		q.Log.Warn("OAI-PMH: a record is served without its metadata, which is no XML: look at it with fingerpost records",
			"repository", s.ID, "prefix", r.Prefix, "identifier", r.Identifier)
	}
	b = q.appendProvenance(b, s, r)
	return append(b, "</record>\n"...)
}

const (
	provenanceStart = `<about>
<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/provenance http://www.openarchives.org/OAI/2.0/provenance.xsd">
`
	provenanceEnd = "\n</provenance>\n</about>\n"
)

// appendProvenance says where a record was harvested, and where it came from before
// that. Guidelines on provenance, OAI-PMH 2.0.
func (q *query) appendProvenance(b []byte, s *Source, r *store.Listed) []byte {
	harvested := time.UnixMicro(r.Modified)
	o := oaipmh.Origin{
		BaseURL: s.BaseURL, Identifier: r.Identifier, Namespace: s.format(r.Prefix).Namespace, Harvested: harvested,
		Datestamp: cmp.Or(oaipmh.NormalDatestamp(r.Datestamp), oaipmh.Second.Format(harvested)),
	}
	b = o.Append(append(b, provenanceStart...), r.Provenance)
	return append(b, provenanceEnd...)
}
