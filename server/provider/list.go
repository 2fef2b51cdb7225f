package provider

import (
	"slices"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// list answers ListRecords and ListIdentifiers. OAI-PMH 4.3 and 4.5. The records
// of one source follow those of another, each in the order in which they were
// modified: the place of a record in a list is a source and a time.
func (q *query) list(b []byte) ([]byte, *refusal, error) {
	at, refused, err := q.begin()
	if refused != nil || err != nil {
		return b, refused, err
	}
	size, err := q.size(at)
	if err != nil {
		return b, nil, err
	}
	l := lister{query: q, next: at, most: pageRecords, bytes: pageBytes, out: b}
	if at.verb == "ListIdentifiers" {
		l.most = pageHeaders
	}
	for i := range q.mirror.Sources {
		if full, err := l.source(&q.mirror.Sources[i]); err != nil {
			return b, nil, err
		} else if full {
			return q.appendToken(l.out, &l.next, at.cursor, size), nil, nil
		}
	}
	if l.next.cursor == at.cursor {
		return b, noRecords, nil
	}
	return q.appendToken(l.out, nil, at.cursor, size), nil, nil
}

// begin returns where the page that is asked for begins.
func (q *query) begin() (p place, refused *refusal, err error) {
	if token := q.args["resumptionToken"]; token != "" {
		p, refused = q.place(token)
		return p, refused, nil
	}
	p = place{verb: q.args["verb"], prefix: q.args["metadataPrefix"], set: q.args["set"]}
	from, _, _ := readDate(q.args["from"])
	_, until, _ := readDate(q.args["until"])
	if q.args["from"] != "" {
		p.from = modifiedAt(from) - 1
	}
	if q.args["until"] != "" {
		p.before = max(modifiedAt(until), 1)
	}
	p.after = p.from
	if q.args["from"] != "" && q.args["until"] != "" && (len(q.args["from"]) != len(q.args["until"]) || !from.Before(until)) {
		return p, &refusal{oaipmh.BadArgument, "The arguments from and until are of one granularity, and from is not the later."}, nil
	}
	refused, err = q.available(p)
	return p, refused, err
}

// available reports why a list cannot be had although it is asked for in the
// right form.
func (q *query) available(p place) (*refusal, error) {
	if ok, err := q.disseminates(p.prefix); err != nil || !ok {
		return noFormat, err
	}
	if p.set == "" {
		return nil, nil
	}
	return q.missing(p.set)
}

// size is the number of records of a list where that costs nothing: of all
// records in the only format; -1 elsewhere.
func (q *query) size(p place) (int64, error) {
	if q.mirror.Union || p.set != "" || p.from != 0 || p.before != 0 {
		return -1, nil
	}
	formats, err := q.allFormats()
	if err != nil || len(formats) != 1 {
		return -1, err
	}
	n, err := q.Store.Counts(q.ctx, q.mirror.Sources[0].ID)
	if n.Quarantined > 0 { // some records may be no objects
		return -1, err
	}
	return int64(n.Objects + n.Deleted), err
}

// lister renders the records of a page.
type lister struct {
	*query
	next  place // behind what was rendered
	most  int   // records
	bytes int64 // of metadata
	out   []byte
}

// source renders records of a source, until the page is full: then next is where
// the next page begins.
func (l *lister) source(s *Source) (full bool, err error) {
	sets, ok := l.mirror.selected(s, l.next.set)
	if s.ID < l.next.source || !ok {
		return false, nil
	}
	if s.ID > l.next.source {
		l.next.source, l.next.after = s.ID, l.next.from
	}
	if l.mirror.Union && (s.Modified <= l.next.after || !hasPrefix(s.Formats, l.next.prefix)) {
		return false, nil // nothing there is as new, or in this format
	}
	headers := l.next.verb == "ListIdentifiers"
	list := store.List{
		Prefix: l.next.prefix, After: l.next.after, Before: l.next.before, Sets: sets,
		Headers: headers, Records: max(l.most, 1), Metadata: l.bytes,
	}
	if full = l.most == 0 || l.bytes <= 0; full { // is there more at all?
		list.Records, list.Headers = 1, true
	}
	found, err := l.Store.ListRecords(l.ctx, s.ID, list)
	if err != nil || full {
		return len(found.Records) > 0, err
	}
	l.out = slices.Grow(l.out, sizeOf(found.Records))
	for i := range found.Records {
		r := &found.Records[i]
		if headers {
			l.out = l.appendHeader(l.out, s, r)
		} else {
			l.out = l.appendRecord(l.out, s, r)
		}
		l.bytes -= int64(len(r.Metadata))
		l.next.after = r.Modified
	}
	l.most -= len(found.Records)
	l.next.cursor += int64(len(found.Records))
	return found.More, nil
}

// sizeOf is about what records take in an answer.
func sizeOf(records []store.Listed) (bytes int) {
	const header = 1000 // with provenance
	for i := range records {
		bytes += header + len(records[i].Metadata) + len(records[i].Provenance)
	}
	return bytes
}

var noRecords = &refusal{oaipmh.NoRecordsMatch, "No record matches."}

var noFormat = &refusal{oaipmh.CannotDisseminateFormat, "There are no records in this format."}
