package oaipmh

import (
	"bytes"
	"errors"
	"slices"
)

// A part is what a list element is split into: the bytes of a record, or of
// the header that stands for it in ListIdentifiers, and where its own parts
// are. They are slices of the page.
type part struct {
	raw         []byte // the whole element
	recordTag   []byte // its start tag
	header      []byte
	metadataTag []byte
	metadata    []byte // the root element inside <metadata>
	unwrapped   bool   // metadata is elements of Dublin Core without a root
	bare        bool   // metadata has elements without a prefix
	about       []byte // the first that has the provenance
	err         error  // why it is no record
}

var (
	errNoHeader     = errors.New("the record has no header")
	errNoIdentifier = errors.New("the header has no identifier")
	errNoMetadata   = errors.New("the record is not deleted and has no metadata")
	errLongHeader   = errors.New("the header is longer than 64 KiB")
	errLongRecord   = errors.New("the record is larger than 16 MiB; its first MiB is kept")
	errGarbage      = errors.New("what stands between two records here is not XML")
)

// split cuts the list whose start tag l has just passed into parts, which take
// gets one after the other, and returns the resumptionToken element, nil if
// there is none. Only a child of the list counts as that. A part that is broken
// in itself ends where the list can be read on. The list is not read to its end
// if it has more than most parts.
func (l *lexer) split(list tag, most int, take func(*part)) (token []byte, whole bool) {
	var p part
	end := bytes.LastIndex(l.b, append([]byte("</"), list.name(l.b)...))
	if end < l.pos {
		end = len(l.b)
	}
	for n := 0; n <= most; {
		from := l.pos
		t, ok, err := l.child(list)
		if err == nil && !ok {
			return token, true
		}
		if err != nil {
			if l.onward(from, end); l.pos == from {
				return token, true
			}
			p = part{raw: trimmed(l.b[from:l.pos]), err: errGarbage}
		} else {
			p, err = l.part(t, &token)
			if err != nil {
				l.onward(t.end, end)
				p = part{raw: trimmed(l.b[t.start:l.pos]), err: err}
			}
		}
		if p.raw != nil {
			n++
			take(&p)
		}
	}
	return token, false
}

// part reads the child of a list whose start tag is t: a record, the header
// that stands for one, or the resumptionToken.
func (l *lexer) part(t tag, token *[]byte) (p part, err error) {
	switch local(t.name(l.b)) {
	case "record":
		p, err = l.record(t)
	case "header":
		p.raw, err = l.element(t)
		p.header = p.raw
	case "resumptionToken":
		*token, err = l.element(t)
	default:
		err = l.skip(t)
	}
	return p, err
}

func trimmed(b []byte) []byte { return bytes.TrimRight(b, " \t\r\n") }

// record reads the record whose start tag is t.
func (l *lexer) record(t tag) (part, error) {
	p := part{recordTag: l.b[t.start:t.end]}
	for {
		c, ok, err := l.child(t)
		if err != nil {
			return p, err
		}
		if !ok {
			p.raw = l.b[t.start:l.pos]
			return p, nil
		}
		switch name := local(c.name(l.b)); {
		case name == "header" && p.header == nil:
			p.header, err = l.element(c)
		case name == "metadata" && p.metadata == nil:
			p.metadataTag = l.b[c.start:c.end]
			p.metadata, p.unwrapped, err = l.metadata(c)
			p.bare = l.bare
		case name == "about" && p.about == nil:
			p.about, err = l.element(c)
			if !bytes.Contains(p.about, []byte("originDescription")) {
				p.about = nil
			}
		default:
			err = l.skip(c)
		}
		if err != nil {
			return p, err
		}
	}
}

// metadata returns the first element inside <metadata>, nil if there is none,
// and goes to the end of <metadata>. Where that is an element of Dublin Core,
// its container was forgotten: all elements are returned then.
func (l *lexer) metadata(t tag) (root []byte, unwrapped bool, err error) {
	l.bare = false
	start, end := 0, 0
	for {
		c, ok, err := l.child(t)
		if err != nil || !ok {
			return l.b[start:end:end], unwrapped, err
		}
		bare := l.bare
		if err := l.skip(c); err != nil {
			return nil, false, err
		}
		switch {
		case end == 0:
			start, end = c.start, l.pos
			unwrapped = isDublinCore(c.name(l.b))
		case unwrapped:
			end = l.pos
		default:
			l.bare = bare
		}
	}
}

// isDublinCore reports whether an element, by its local name, is one of the
// fifteen of Dublin Core 1.1. No metadata format has such a root.
func isDublinCore(name []byte) bool {
	switch string(name[bytes.IndexByte(name, ':')+1:]) {
	case "contributor", "coverage", "creator", "date", "description", "format", "identifier", "language",
		"publisher", "relation", "rights", "source", "subject", "title", "type":
		return true
	}
	return false
}

const (
	// patience bounds what may be read of broken parts, some of it again and
	// again, as a multiple of the page's length. A page that is broken by accident
	// is not even read twice.
	patience = 8
	// maxPreamble is how far after its start tag a record's header is looked for.
	maxPreamble = 256
)

// onward goes from a broken part, which was read from there to pos, to where the
// list can be read on. A page with too many of them is given up.
func (l *lexer) onward(from, end int) {
	if l.vain += max(l.pos-from, 0); l.vain > patience*len(l.b) {
		l.pos = max(from, end)
		return
	}
	l.pos = l.resync(from, end)
}

// resync returns the first position after from at which the list can be read
// on after something in it was broken: the start of the next record, its
// resumptionToken, or end.
func (l *lexer) resync(from, end int) int {
	probe := lexer{b: l.b}
	for at := from; at < end; at++ {
		i := bytes.IndexByte(l.b[at:end], '<')
		if i < 0 {
			break
		}
		at += i
		probe.pos = at
		if at == from || at+1 == end || l.b[at+1] == '!' || l.b[at+1] == '?' {
			continue
		}
		if t, err := probe.tag(); err == nil && probe.resumes(t) {
			return at
		}
	}
	return max(end, from)
}

// resumes reports whether the tag t, just read, begins a child of the list: a
// record that has a header, a header after a header, the resumptionToken.
func (l *lexer) resumes(t tag) bool {
	if t.kind == closeTag {
		return false
	}
	switch local(t.name(l.b)) {
	case "resumptionToken":
		return true
	case "record":
		after := lexer{b: l.b[t.end:min(t.end+maxPreamble, len(l.b))]}
		next, err := after.next()
		return err == nil && next.kind == openTag && local(next.name(after.b)) == "header"
	case "header":
		before := trimmed(l.b[:t.start])
		return bytes.HasSuffix(before, slices.Concat([]byte("</"), t.name(l.b), []byte(">")))
	}
	return false
}
