package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"

	"fingerpost/bridge/linkset"
)

// maxHead is how far into a page its head is looked for, in bytes.
const maxHead = bufferSize

// page is a landing page into whose head links are written. What the proxy
// sends is another representation than the origin's: it has its own entity
// tag, made of the origin's and of the links, and no ranges.
type page struct {
	version string // of the links, in entity tags
}

func newPage(links linkset.LinkSet) *page {
	sum := sha256.Sum256(links.HTML())
	return &page{hex.EncodeToString(sum[:6])}
}

// ask changes a request so that its answer can be written into. Only pages
// that are not compressed are, and only whole ones. A date says nothing about
// the links in a page, but where the origin knows no entity tags there is
// nothing else to revalidate it with, and the answer carries the links anyway.
func (p *page) ask(h http.Header) {
	h.Set("Accept-Encoding", "identity")
	h.Del("Range")
	h.Del("If-Range")
	if held := h["If-None-Match"]; len(held) > 0 {
		tags, stale := p.originTags(strings.Join(held, ", "))
		if stale && tags == "" {
			h.Del("If-None-Match")
			h.Del("If-Modified-Since")
		} else {
			h.Set("If-None-Match", tags)
		}
	}
}

// answer writes the links into the page, if it is one that can be written
// into, and has its headers tell so. r is the client's request. The answer to
// HEAD is that to GET but for the length: whether a page has a head, only GET
// shows, so that one without is announced like all others. RFC 9110, 9.3.2.
func (p *page) answer(res *http.Response, r *http.Request, pool *buffers, links linkset.LinkSet) {
	switch {
	case res.StatusCode == http.StatusNotModified:
		p.confirmTag(res.Header, r.Header["If-None-Match"])
	case res.StatusCode != http.StatusOK || !writable(res.Header):
	case r.Method == http.MethodHead:
		p.announce(res.Header)
		res.Header.Del("Content-Length")
	default:
		p.announce(res.Header)
		writeLinks(res, pool, append([]byte{'\n'}, links.HTML()...))
	}
}

// announce changes what the headers say about the page's bytes.
func (p *page) announce(h http.Header) {
	p.markTag(h)
	forgetBytes(h)
}

// forgetBytes deletes what is only true of the bytes that the origin sent.
func forgetBytes(h http.Header) {
	for _, name := range []string{"Accept-Ranges", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest"} {
		delete(h, name)
	}
}

// writable tells whether an answer is a page in HTML, not compressed, in a
// character set in which ASCII is ASCII, and may be changed: RFC 9110, 7.7.
func writable(h http.Header) bool {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mediaType != "text/html" || h.Get("Content-Range") != "" {
		return false
	}
	if strings.Contains(strings.ToLower(strings.Join(h["Cache-Control"], ",")), "no-transform") {
		return false
	}
	return isIdentity(h) && asciiCompatible(params["charset"])
}

// isIdentity tells that a body is sent as it is, not compressed.
func isIdentity(h http.Header) bool {
	e := strings.ToLower(strings.Join(h["Content-Encoding"], ","))
	return e == "" || e == "identity"
}

func asciiCompatible(charset string) bool {
	if charset == "" {
		return true // what the page's first bytes say is seen later
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

// writeLinks puts elements into the head. The page is read up to there, the
// rest of it streams. A page without a head stays as it was.
func writeLinks(res *http.Response, pool *buffers, elements []byte) {
	_, params, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	body := &startedBody{ReadCloser: res.Body, pool: pool, buffer: pool.Get()}
	res.Body = body
	at := headAt(startOf{body}, params["charset"] != "")
	start := body.buffer[:body.kept]
	if at < 0 || isUTF16(start) {
		body.parts = [][]byte{start}
		return
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
	kept   int // bytes in buffer
	given  int // bytes of them that were looked at
	parts  [][]byte
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
	if n > 0 {
		return n, nil
	}
	return b.ReadCloser.Read(to)
}

func (b *startedBody) Close() error {
	if b.buffer != nil {
		b.pool.Put(b.buffer)
		b.buffer, b.parts = nil, nil
	}
	return b.ReadCloser.Close()
}

// startOf reads what it hands out into the buffer, as much at once as has come.
type startOf struct{ *startedBody }

func (s startOf) Read(to []byte) (int, error) {
	if s.given == s.kept {
		if s.kept == len(s.buffer) {
			return 0, io.EOF
		}
		n, err := s.ReadCloser.Read(s.buffer[s.kept:])
		s.kept += n
		if n == 0 {
			return 0, err
		}
	}
	n := copy(to, s.buffer[s.given:s.kept])
	s.given += n
	return n, nil
}

// isUTF16 tells a page whose bytes are no ASCII although nobody says so.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFE, 0xFF}) || bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.IndexByte(start, 0) >= 0
}

// charsetWithin is how far into a page browsers look for the character set
// that it states: links must not push that further. HTML, 13.2.3.2.
const charsetWithin = 1024

// headAt returns the offset in a page at which links can be written: behind
// the start tag of its head or, where nothing before says it, behind the
// element that states the character set. -1 if there is no such tag, or the
// body begins before it.
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
	offset int  // behind the token that was read
	at     int  // where links can be written, -1 if that is not known
	raw    bool // the next text is that of a title, a script or a style
}

// next reads a token. It is false where nothing that follows can be of use.
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

// startTag is false at a tag that opens the body, or that leaves nothing to
// look for.
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
