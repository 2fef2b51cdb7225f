package oaipmh

import (
	"bytes"
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"fingerpost/bridge/text"
)

// decode returns b without a byte order mark and in UTF-8, as far as its encoding
// can be found out. A byte order mark counts more than the XML
// declaration, that more than the charset of the Content-Type, and what the
// bytes show more than all of them: text that is valid UTF-8 was not written in
// an 8-bit encoding. It ends with a byte beyond limit.
func decode(b []byte, contentType string, limit int) []byte {
	mark, enc := byteOrderMark(b)
	b = b[mark:]
	if enc == nil {
		enc = declaredEncoding(b, contentType)
	}
	if _, eightBit := enc.(*charmap.Charmap); enc != nil && !(eightBit && utf8.Valid(b)) {
		if decoded, err := decodeBounded(b, enc, limit); err == nil {
			return decoded
		}
	}
	return b
}

// decodeBounded decodes no more than a byte beyond limit.
func decodeBounded(b []byte, enc encoding.Encoding, limit int) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(b) + len(b)/8)
	_, err := out.ReadFrom(io.LimitReader(enc.NewDecoder().Reader(bytes.NewReader(b)), int64(limit)+1))
	return out.Bytes(), err
}

// mend makes b valid UTF-8 without characters that XML cannot contain, and returns
// in how many places it had to. What needs no mending is returned as it is. It
// leaves every "<" and makes none. It ends soon after limit bytes.
func mend(b []byte, limit int) ([]byte, int) {
	mended := 0
	if !utf8.Valid(b) {
		b, mended = mendUTF8(b, limit)
	}
	if hasNonChar(b) {
		n := 0
		b, n = dropNonChars(b)
		mended += n
	}
	return b, mended
}

// byteOrderMark returns the length of the mark and, for UTF-16, the encoding.
// The first "<" of UTF-16 without a mark is as telling.
func byteOrderMark(b []byte) (int, encoding.Encoding) {
	little := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	big := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, m := range []struct {
		bytes string
		mark  int
		enc   encoding.Encoding
	}{
		{"\xEF\xBB\xBF", 3, nil}, {"\xFF\xFE", 2, little}, {"\xFE\xFF", 2, big}, {"<\x00", 0, little}, {"\x00<", 0, big},
	} {
		if bytes.HasPrefix(b, []byte(m.bytes)) {
			return m.mark, m.enc
		}
	}
	return 0, nil
}

var xmlEncoding = regexp.MustCompile(`^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// declaredEncoding is nil for UTF-8 and for unknown names.
func declaredEncoding(b []byte, contentType string) encoding.Encoding {
	label := ""
	if i := bytes.Index(b[:min(len(b), maxJunk)], []byte("<?xml")); i >= 0 {
		if m := xmlEncoding.FindSubmatch(b[i:min(len(b), i+200)]); m != nil {
			label = string(m[1])
		}
	}
	if label == "" {
		_, params, _ := mime.ParseMediaType(contentType)
		label = params["charset"]
	}
	enc, err := htmlindex.Get(strings.TrimSpace(label))
	if err != nil || enc == unicode.UTF8 {
		return nil
	}
	if name, _ := htmlindex.Name(enc); strings.HasPrefix(name, "utf-16") {
		return nil // the bytes would have shown it
	}
	return enc
}

// An origin finds the bytes from which a part of a mended body was made.
type origin struct {
	mended, received []byte // from the part before on
}

// of returns the bytes that a part of the mended body was received as: from
// the same "<" to the one after it. Parts must be given in their order.
func (o *origin) of(part []byte) []byte {
	i := bytes.Index(o.mended, part)
	if i < 0 || !bytes.HasPrefix(part, []byte("<")) {
		return part
	}
	before, within := bytes.Count(o.mended[:i], []byte("<")), bytes.Count(part, []byte("<"))
	from := nthTag(o.received, before)
	to := from + nthTag(o.received[from:], within)
	received := trimmed(o.received[from:to])
	o.mended, o.received = o.mended[i+len(part):], o.received[to:]
	return received
}

// nthTag is where the "<" is that n others stand before; the end of b if there
// are no more.
func nthTag(b []byte, n int) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], '<')
		switch at += i; {
		case i < 0:
			return len(b)
		case n == 0:
			return at
		}
		n--
	}
}

// mendUTF8 mends what is not UTF-8, one run of text between tags at a time:
// fields of one record may come from different hands. A run without one
// valid sequence of several bytes is read as Windows-1252 if it can be; in
// any other each bad byte becomes U+FFFD.
func mendUTF8(b []byte, limit int) ([]byte, int) {
	out := make([]byte, 0, len(b)+len(b)/8)
	mended := 0
	for len(b) > 0 && len(out) <= limit {
		n := 1 + bytes.IndexAny(b[1:], "<>")
		if n == 0 {
			n = len(b)
		}
		run := b[:n]
		b = b[n:]
		if utf8.Valid(run) {
			out = append(out, run...)
			continue
		}
		mended++
		if isWindows1252(run) {
			for _, c := range run {
				out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(c))
			}
			continue
		}
		out = append(out, bytes.ToValidUTF8(run, []byte("\uFFFD"))...)
	}
	return out, mended
}

// isWindows1252 reports whether text has no UTF-8 character of several bytes, and
// only bytes that Windows-1252 defines.
func isWindows1252(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if n > 1 {
			return false
		}
		if r == utf8.RuneError && strings.IndexByte("\x81\x8D\x8F\x90\x9D", b[0]) >= 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// hasNonChar reports whether b, which is valid UTF-8, has a character that XML
// cannot have: a control character, U+FFFE or U+FFFF. XML 1.0, 2.2.
func hasNonChar(b []byte) bool {
	control, ascii := text.XML(b)
	if control || ascii {
		return control
	}
	for rest := b; ; rest = rest[len("\xEF\xBF\xBF"):] {
		i := bytes.Index(rest, []byte("\xEF\xBF"))
		if i < 0 {
			return false
		}
		if rest = rest[i:]; rest[2] >= 0xBE {
			return true
		}
	}
}

func dropNonChars(b []byte) ([]byte, int) {
	out, dropped := make([]byte, 0, len(b)), 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if text.IsChar(r) {
			out = append(out, b[:n]...)
		} else {
			dropped++
		}
		b = b[n:]
	}
	return out, dropped
}

// hasBadReference reports whether an "&" in b does not begin a reference that
// every XML parser reads. It looks into CDATA sections too, where that is no
// fault: mendReferences finds nothing to mend there.
func hasBadReference(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return false
		}
		b = b[i:]
		if !goodReference(b) {
			return true
		}
		b = b[1:]
	}
}

func goodReference(b []byte) bool {
	for _, entity := range [...]string{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"} {
		if len(b) >= len(entity) && string(b[:len(entity)]) == entity {
			return true
		}
	}
	if len(b) < 4 || b[1] != '#' {
		return false
	}
	end := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
	if end < 3 {
		return false
	}
	r, ok := charNumber(string(b[2:end]))
	return ok && text.IsChar(r)
}

// mendReferences mends the text and attribute values of a record: a bare "&"
// and a "<" that begins no tag are escaped, names of HTML characters become
// those characters, references to what XML cannot contain are dropped. It gives up
// where more than limit bytes come of it.
func mendReferences(b []byte, limit int) (out []byte, mended int, err error) {
	out = make([]byte, 0, len(b)+64)
	l := lexer{b: b}
	for i := 0; i < len(b); {
		switch {
		case b[i] == '<':
			n := l.markup(i)
			if n == 0 {
				out = append(out, "&lt;"...)
				mended++
				n = 1
			} else {
				out = append(out, b[i:i+n]...)
			}
			i += n
		case b[i] == '&' && goodReference(b[i:]):
			out = append(out, '&')
			i++
		case b[i] == '&':
			character, n := reference(b[i:])
			if n == 0 {
				character, n = "&", 1
			}
			out = append(out, escapeMarkup.Replace(character)...)
			mended++
			i += n
		default:
			n := bytes.IndexAny(b[i:], "<&")
			if n < 0 {
				n = len(b) - i
			}
			out = append(out, b[i:i+n]...)
			i += n
		}
		if len(out) > limit {
			return nil, 0, errNoRoom
		}
	}
	return out, mended, nil
}

var escapeMarkup = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;")

// markup returns how much of the markup at b[at:] is to be copied as it is:
// all of what a lexer passes over, the "<" of a tag or of what has no end, 0
// of a "<" that is no markup.
func (l *lexer) markup(at int) int {
	b := l.b[at+1:]
	if len(b) > 0 && (b[0] == '!' || b[0] == '?') {
		return max(l.passage(at), 1)
	}
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
	}
	if len(b) == 0 || nameByte[b[0]] != 2 {
		return 0
	}
	return 1
}
