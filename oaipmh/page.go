package oaipmh

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
)

// ReadPage reads an answer to ListRecords, ListIdentifiers or GetRecord, as
// a server sent it with contentType, which may be "". Its errors are
// *Error, *NotOAIError and *TruncatedError.
func ReadPage(body []byte, contentType string) (Page, error) {
	a, err := readAnswer(body, contentType, math.MaxInt32)
	if err != nil {
		return Page{}, err
	}
	if len(a.errors) > 0 {
		return Page{}, &a.errors[0]
	}
	if a.verb.kind == closeTag {
		return Page{}, a.expect("ListRecords")
	}
	return a.page()
}

// page splits the list of an answer and reads its records.
func (a *answer) page() (Page, error) {
	p := Page{
		body:         a.body,
		URL:          a.url,
		ResponseDate: a.responseDate,
		Repairs:      a.repairs,
		Bytes:        a.bytes,
		Token:        ResumptionToken{Cursor: -1, CompleteListSize: -1},
	}
	p.Records = make([]Record, 0, usualRecords)
	read := reader{
		scope: a.scope, headersOnly: local(a.verb.name(a.lexer.b)) == "ListIdentifiers",
		room: len(a.lexer.b)/2 + spareRoom,
	}
	most := maxRecords
	if read.headersOnly {
		most = maxIdentifiers
	}
	token, whole := a.lexer.split(a.verb, most, func(part *part) {
		r, err := read.record(*part)
		if err != nil {
			p.Bad = append(p.Bad, BadRecord{Identifier: r.Identifier, Bytes: a.received(part), Err: err})
			return
		}
		p.Records = append(p.Records, r)
	})
	if !whole {
		return Page{}, &TooLargeError{URL: a.url, What: "records", Limit: int64(most)}
	}
	p.Repairs += read.repairs
	if token != nil {
		p.Token = readToken(token)
	}
	if len(p.Token.Value) > maxToken {
		return Page{}, &TooLargeError{URL: a.url, What: "bytes of resumptionToken", Limit: maxToken}
	}
	return p, nil
}

// received returns a part as it came; only its beginning if it is too large.
func (a *answer) received(p *part) []byte {
	b := a.origin.of(p.raw)
	if len(b) > maxRecord {
		return bytes.Clone(b[:maxLongRecord])
	}
	return b
}

const (
	// maxRecords are on one page, maxIdentifiers on one of ListIdentifiers.
	maxRecords     = 50_000
	maxIdentifiers = 250_000
	maxRecord      = 16 << 20
	// maxLongRecord is how much is kept of a record that is larger than that.
	maxLongRecord = 1 << 20
	// spareRoom is how many bytes the records of a page may grow by, beside half
	// the size of the page.
	spareRoom = 4 << 20
	// usualRecords is how many most pages have.
	usualRecords = 100
)

// A reader reads the parts of one page.
type reader struct {
	scope       scope
	headersOnly bool
	repairs     int
	room        int      // bytes that records may still grow by
	sets        []string // of the record before: they are often the same

	inRecord, inMetadata scope // memory that each record uses again
}

// record reads one part, mended if it must be, and counts what it grows by.
// With an error comes what could be read of the header.
func (r *reader) record(p part) (Record, error) {
	switch {
	case len(p.raw) > maxRecord:
		p.err = errLongRecord
	case p.err != nil || hasBadReference(p.raw):
		p = r.mend(p)
	}
	rec := Record{}
	if p.err != nil {
		rec.Identifier = salvageIdentifier(p.raw)
		return rec, p.err
	}
	err := r.header(p.header, &rec.Header)
	switch {
	case err != nil || r.headersOnly || rec.Deleted:
		return rec, err
	case len(p.metadata) == 0:
		return rec, errNoMetadata
	}
	received := len(p.metadata)
	if p.unwrapped {
		p.metadata = slices.Concat([]byte(dublinCoreStart), p.metadata, []byte(dublinCoreEnd))
	}
	s := r.scope.with(p.recordTag, &r.inRecord).with(p.metadataTag, &r.inMetadata)
	if rec.Metadata, err = s.standAlone(p.metadata, p.bare, r.room); err == nil {
		r.room -= len(rec.Metadata) - received
	}
	if p.about != nil {
		rec.Provenance = provenance(p.about)
	}
	return rec, err
}

// The container of elements of Dublin Core. OAI-PMH 2.0, 5.1.
const (
	dublinCoreStart = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/">`
	dublinCoreEnd   = `</oai_dc:dc>`
)

// mend mends the references in a part and reads it again.
func (r *reader) mend(p part) part {
	mended, n, err := mendReferences(p.raw, len(p.raw)+r.room)
	if err != nil {
		p.err = err
	}
	if err != nil || n == 0 {
		return p
	}
	l := lexer{b: mended}
	again := l.alone()
	if again.err != nil {
		return p
	}
	r.repairs += n
	r.room -= len(mended) - len(p.raw)
	return again
}

// salvageIdentifier looks for the identifier in a broken record, to name it.
func salvageIdentifier(b []byte) string {
	l := lexer{b: b[:min(len(b), maxHeader)]}
	for l.pos < len(l.b) {
		t, err := l.next()
		switch {
		case errors.Is(err, errStray):
			l.pos++
		case err != nil || t.kind == openTag && local(t.name(l.b)) == "metadata":
			return ""
		case t.kind == openTag && local(t.name(l.b)) == "identifier":
			text, _, _ := bytes.Cut(l.b[t.end:], []byte("<"))
			return plainText(text)
		}
	}
	return ""
}

// alone reads l.b, which is one part.
func (l *lexer) alone() part {
	t, err := l.next()
	if err != nil {
		return part{err: err}
	}
	var p part
	if local(t.name(l.b)) == "header" {
		p.raw, err = l.element(t)
		p.header = p.raw
	} else {
		p, err = l.record(t)
	}
	p.err = err
	return p
}

// header reads a header element. OAI-PMH 2.5.
func (r *reader) header(b []byte, h *Header) error {
	if b == nil {
		return errNoHeader
	}
	if len(b) > maxHeader {
		return errLongHeader
	}
	l := lexer{b: b}
	t, err := l.next()
	if err != nil {
		return err
	}
	if t.end > len("<oai:header>") {
		h.Deleted = bytes.EqualFold([]byte(attribute(b[:t.end], "status")), []byte("deleted"))
	}
	for {
		c, ok, err := l.child(t)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		switch e, err := l.element(c); {
		case err != nil:
			return err
		case c.kind == emptyTag:
		default:
			r.field(h, local(c.name(l.b)), e[c.end-c.start:bytes.LastIndexByte(e, '<')])
		}
	}
	if h.Identifier == "" {
		return errNoIdentifier
	}
	return nil
}

func (r *reader) field(h *Header, name string, text []byte) {
	switch name {
	case "identifier":
		if h.Identifier == "" {
			h.Identifier = plainText(text)
		}
	case "datestamp":
		h.Datestamp = plainText(text)
	case "setSpec":
		if s := r.set(text); s != "" {
			h.Sets = append(h.Sets, s)
		}
	}
}

// maxSets is how many sets a reader remembers.
const maxSets = 16

// set is the text of a setSpec. The few sets of a page share their memory.
func (r *reader) set(text []byte) string {
	for _, s := range r.sets {
		if s == string(text) {
			return s
		}
	}
	s := plainText(text)
	if len(r.sets) < maxSets {
		r.sets = append(r.sets, s)
	}
	return s
}

// readToken reads a resumptionToken element. OAI-PMH 3.5. The token keeps its
// bytes, without the white space around them.
func readToken(b []byte) ResumptionToken {
	k := ResumptionToken{Present: true, Cursor: -1, CompleteListSize: -1}
	l := lexer{b: b}
	t, err := l.next()
	if err != nil {
		return k
	}
	start := b[:t.end]
	l.pos = t.end
	k.Value, _ = l.text(t)
	if n, err := strconv.Atoi(attribute(start, "cursor")); err == nil && n >= 0 {
		k.Cursor = n
	}
	if n, err := strconv.Atoi(attribute(start, "completeListSize")); err == nil && n >= 0 {
		k.CompleteListSize = n
	}
	if d := attribute(start, "expirationDate"); d != "" {
		k.ExpirationDate, _ = ParseDatestamp(d)
	}
	return k
}

// earlyToken reads the resumptionToken from the end of an answer, before the
// records are split, so that the next page can be requested at once. It is false
// unless the answer ends in the plainest way.
func (a *answer) earlyToken() (ResumptionToken, bool) {
	rest, ok := beforeEndTag(a.lexer.b, "OAI-PMH")
	if !ok {
		return ResumptionToken{}, false
	}
	rest, ok = beforeEndTag(rest, local(a.verb.name(a.lexer.b)))
	if !ok {
		return ResumptionToken{}, false
	}
	inside, ok := beforeEndTag(rest, "resumptionToken")
	i := bytes.LastIndexByte(inside, '<')
	if !ok || i < 0 || !bytes.HasPrefix(inside[i:], []byte("<resumptionToken")) {
		return ResumptionToken{}, false
	}
	return readToken(slices.Clip(rest[i:])), true
}

// beforeEndTag cuts the end tag, and white space around it, from the end of b.
func beforeEndTag(b []byte, name string) ([]byte, bool) {
	b, ok := bytes.CutSuffix(trimmed(b), []byte("</"+name+">"))
	return trimmed(b), ok
}
