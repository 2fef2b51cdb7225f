package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"

	"fingerpost/bridge/linkset"
)

// maxHead is within how many bytes of a page its head is searched for.
const maxHead = bufferSize

// page is a landing page into whose head links are written, and JSON-LD where the
// page has none. The proxy sends another representation than the origin: it has an
// entity tag of its own, made of the origin's and of what is written, and no
// ranges.
type page struct {
	elements    []byte       // of all its links
	script      []byte       // of its JSON-LD; nil if there is none
	description *Description // in the script
	version     string       // of all these, in entity tags
}

func newPage(links linkset.LinkSet, d *Description) *page {
	p := &page{elements: append([]byte{'\n'}, links.HTML()...), description: d}
	if d != nil {
		p.script = d.script()
	}
	sum := sha256.Sum256(slices.Concat(p.elements, p.script))
	p.version = hex.EncodeToString(sum[:6])
	return p
}

// keep leaves out all links but these. The version stays: what is left out depends
// on the origin's answer, and so on its entity tag.
func (p *page) keep(links linkset.LinkSet) { p.elements = append([]byte{'\n'}, links.HTML()...) }

// ask changes a request so that links can be written into its answer: the page
// must be whole and not compressed. If-Modified-Since stays, although a date says
// nothing about the links: an origin without entity tags has no other way to
// revalidate, and the header of its answer has the links anyway.
func (p *page) ask(h http.Header) {
	h.Set("Accept-Encoding", "identity")
	h.Del("Range")
	h.Del("If-Range")
	if sent := h["If-None-Match"]; len(sent) > 0 {
		tags, stale := p.originTags(strings.Join(sent, ", "))
		if stale && tags == "" {
			h.Del("If-None-Match")
			h.Del("If-Modified-Since")
		} else {
			h.Set("If-None-Match", tags)
		}
	}
}

// answer writes the links into the page, if that is possible, and changes the
// headers accordingly. r is the client's request. HEAD is answered like GET, but
// without a length. HEAD cannot tell whether a page has a head: the headers are
// the same for one that has none. RFC 9110, 9.3.2.
func (p *page) answer(res *http.Response, r *http.Request, pool *buffers) {
	charset, ok := writable(res.Header)
	switch {
	case res.StatusCode == http.StatusNotModified:
		p.confirmTag(res.Header, r.Header["If-None-Match"])
	case res.StatusCode != http.StatusOK || !ok:
	case r.Method == http.MethodHead:
		p.announce(res.Header)
		res.Header.Del("Content-Length")
	default:
		p.announce(res.Header)
		p.write(res, pool, charset != "")
	}
}

// announce changes the headers that describe the page's bytes.
func (p *page) announce(h http.Header) {
	p.markTag(h)
	forgetBytes(h)
}

// forgetBytes deletes the headers that describe the origin's bytes only.
func forgetBytes(h http.Header) {
	for _, name := range []string{"Accept-Ranges", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest"} {
		delete(h, name)
	}
}

// writable reports whether an answer is HTML, not compressed, in a character set
// that contains ASCII, and may be changed (RFC 9110, 7.7). charset is "" if the
// header does not state it.
func writable(h http.Header) (charset string, ok bool) {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mediaType != "text/html" || h.Get("Content-Range") != "" {
		return "", false
	}
	if strings.Contains(strings.ToLower(strings.Join(h["Cache-Control"], ",")), "no-transform") {
		return "", false
	}
	return params["charset"], isIdentity(h) && asciiCompatible(params["charset"])
}

// isIdentity reports whether a body is sent as it is, not compressed.
func isIdentity(h http.Header) bool {
	e := strings.ToLower(strings.Join(h["Content-Encoding"], ","))
	return e == "" || e == "identity"
}

func asciiCompatible(charset string) bool {
	if charset == "" {
		return true // the page's first bytes decide, see isUTF16
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		return false
	}
	switch name, _ := htmlindex.Name(e); name {
	case "", "utf-16le", "utf-16be", "iso-2022-jp", "replacement":
		return false
	}
	return true
}

// write puts the elements into the head. The page is read up to there, the rest of
// it streams. Where there is JSON-LD to be written it is read to its end, for its
// own may stand anywhere. A page without a head stays as it was.
func (p *page) write(res *http.Response, pool *buffers, charsetKnown bool) {
	body := &startedBody{ReadCloser: res.Body, pool: pool, buffer: pool.Get()}
	res.Body = body
	at := headAt(startOf{body}, charsetKnown)
	start := body.buffer[:body.filled]
	if at < 0 || isUTF16(start) {
		body.parts = [][]byte{start}
		return
	}
	elements := p.elements
	if p.script != nil && res.ContentLength <= maxPage {
		whole := body.readWhole(time.Now().Add(wholeTime))
		start = body.buffer[:body.filled] // which may be another
		if whole && !p.description.describesItself(start) {
			elements = slices.Concat(elements, p.script)
		}
	}
	body.parts = [][]byte{start[:at], elements, start[at:]}
	if res.ContentLength >= 0 {
		res.ContentLength += int64(len(elements))
		res.Header.Set("Content-Length", strconv.FormatInt(res.ContentLength, 10))
	}
}

// startedBody is a body whose start was read into buffer. It begins with parts.
type startedBody struct {
	io.ReadCloser
	pool   *buffers
	buffer []byte
	filled int // bytes in buffer
	parsed int // bytes of them that were looked at
	parts  [][]byte
	large  bool  // buffer is not of the pool
	err    error // that ended the reading
}

// Bounds of reading a page to its end.
const (
	maxPage   = 512 << 10              // bytes
	maxLarge  = 32                     // pages at the same time that are larger than a buffer of the pool
	wholeTime = 300 * time.Millisecond // after which nothing more is waited for
)

// readWhole reads the page to its end. It returns false if the page is too large,
// comes too late or breaks off, or if there are too many such pages.
func (b *startedBody) readWhole(until time.Time) bool {
	for b.err == nil {
		if b.filled == len(b.buffer) && !b.grow() || time.Now().After(until) {
			return false
		}
		var n int
		n, b.err = b.ReadCloser.Read(b.buffer[b.filled:])
		b.filled += n
	}
	return b.err == io.EOF
}

// grow gives a page more room.
func (b *startedBody) grow() bool {
	switch {
	case len(b.buffer) >= maxPage:
		return false
	case b.large:
	case b.pool.large.Add(1) > maxLarge:
		b.pool.large.Add(-1)
		return false
	}
	bigger := make([]byte, min(4*len(b.buffer), maxPage))
	copy(bigger, b.buffer)
	if !b.large {
		b.pool.Put(b.buffer)
	}
	b.buffer, b.large = bigger, true
	return true
}

func (b *startedBody) Read(to []byte) (int, error) {
	n := 0
	for len(b.parts) > 0 && n < len(to) {
		m := copy(to[n:], b.parts[0])
		n += m
		if b.parts[0] = b.parts[0][m:]; len(b.parts[0]) == 0 {
			b.parts = b.parts[1:]
		}
	}
	switch {
	case n > 0:
		return n, nil
	case b.err != nil:
		return 0, b.err
	}
	return b.ReadCloser.Read(to)
}

func (b *startedBody) Close() error {
	switch {
	case b.large:
		b.pool.large.Add(-1)
	case b.buffer != nil:
		b.pool.Put(b.buffer)
	}
	b.buffer, b.parts, b.large = nil, nil, false
	return b.ReadCloser.Close()
}

// startOf reads the start of a body for the tokenizer, and keeps it in the buffer.
type startOf struct{ *startedBody }

func (s startOf) Read(to []byte) (int, error) {
	if s.parsed == s.filled {
		if s.filled == len(s.buffer) {
			return 0, io.EOF
		}
		n, err := s.ReadCloser.Read(s.buffer[s.filled:])
		s.filled += n
		if n == 0 {
			return 0, err
		}
	}
	n := copy(to, s.buffer[s.parsed:s.filled])
	s.parsed += n
	return n, nil
}

// isUTF16 reports whether a page is in UTF-16, although its header does not say so.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFE, 0xFF}) || bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.IndexByte(start, 0) >= 0
}

// charsetWithin is within how many bytes of a page browsers look for its character
// set. The links must not push it further. HTML, 13.2.3.2.
const charsetWithin = 1024

// headAt returns the offset in a page at which links can be written: after the
// start tag of its head or, if the header does not state the character set, after
// the element that does. It is -1 if there is no such tag, or the body begins
// before it.
func headAt(page io.Reader, charsetKnown bool) int {
	h := headFinder{Tokenizer: html.NewTokenizer(page), at: -1}
	h.SetMaxBuf(maxHead)
	for h.at < 0 || !charsetKnown && h.offset < charsetWithin {
		if !h.next() {
			break
		}
	}
	return h.at
}

// headFinder reads a page up to its head.
type headFinder struct {
	*html.Tokenizer
	offset int  // after the token that was read
	at     int  // where links can be written; -1 before that is known
	raw    bool // the next text is that of a title, a script or a style
}

// next reads a token. It returns false when the search has ended.
func (h *headFinder) next() bool {
	token, raw := h.Next(), h.raw
	h.offset += len(h.Raw())
	h.raw = false
	switch token {
	case html.ErrorToken:
		return false
	case html.TextToken: // HTML, 13.2.6.4.4: text opens the body
		return raw || len(bytes.TrimLeft(h.Raw(), "\uFEFF \t\n\f\r")) == 0
	case html.EndTagToken:
		name, _ := h.TagName()
		return string(name) != "head"
	case html.StartTagToken, html.SelfClosingTagToken:
		return h.startTag()
	}
	return true // comments and the doctype
}

// startTag returns false at a tag that opens the body, or at the last one that
// matters.
func (h *headFinder) startTag() bool {
	name, attributes := h.TagName()
	switch string(name) {
	case "head":
		h.at = h.offset
	case "meta":
		if h.at >= 0 && attributes && statesCharset(h.Tokenizer) {
			h.at = h.offset
			return false
		}
	case "html", "link", "base":
	case "title", "script", "style", "noscript":
		h.raw = true
	default:
		return false
	}
	return true
}

// statesCharset reads the attributes of a meta element. HTML, 4.2.5.4.
func statesCharset(z *html.Tokenizer) bool {
	for {
		key, value, more := z.TagAttr()
		name := string(key)
		if name == "charset" || name == "content" && bytes.Contains(bytes.ToLower(value), []byte("charset=")) {
			return true
		}
		if !more {
			return false
		}
	}
}
