package provider

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"fingerpost/oaipmh"
)

// place is where a list goes on. A resumptionToken is its text: no state is kept
// for it, so that it never expires and every process reads it.
type place struct {
	verb   string
	prefix string
	set    string
	from   int64  // store.List.After at the beginning of a source
	before int64  // store.List.Before
	source string // where the list goes on
	after  int64  // what was last there: a Modified, or the ID of a word
	cursor int64  // records before it. OAI-PMH 3.5.1
}

// sumBytes is how much of a digest is in a token.
const sumBytes = 6

// token is the text of a place, with a digest of it and the address that issues
// it. A token that was cut, changed or issued elsewhere has another digest, and
// is refused. There is no secret in the digest: all processes would have to share
// it for as long as tokens are valid, which is for ever, and a token leads only to
// what anybody may ask for by the other arguments.
func (m *Mirror) token(p place) string {
	text := p.text()
	sum := sha256.Sum256([]byte(m.BaseURL + " " + text))
	return base64.RawURLEncoding.EncodeToString(append([]byte(text), sum[:sumBytes]...))
}

func (p place) text() string {
	b := []byte(p.verb + " " + p.prefix + " " + p.set + " " + p.source)
	for _, n := range p.numbers() {
		b = strconv.AppendInt(append(b, ' '), *n, 36)
	}
	return string(b)
}

func (p *place) numbers() [4]*int64 { return [...]*int64{&p.from, &p.before, &p.after, &p.cursor} }

var badToken = &refusal{oaipmh.BadResumptionToken, "The resumptionToken was not issued here, for this verb."}

// place reads the token of a request.
func (q *query) place(token string) (p place, refused *refusal) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(text) < sumBytes {
		return p, badToken
	}
	f := strings.Split(string(text[:len(text)-sumBytes]), " ")
	if len(f) != 4+len(p.numbers()) {
		return p, badToken
	}
	p = place{verb: f[0], prefix: f[1], set: f[2], source: f[3]}
	for i, n := range p.numbers() {
		if *n, err = strconv.ParseInt(f[4+i], 36, 64); err != nil {
			return p, badToken
		}
	}
	if q.mirror.token(p) != token || p.verb != q.args["verb"] {
		return p, badToken
	}
	return p, nil
}

// appendToken adds the resumptionToken that ends a page which begins at a cursor.
// The last page of several has an empty one. OAI-PMH 3.5. The size is that of the
// whole list; -1 if that is not known.
func (q *query) appendToken(b []byte, next *place, cursor, size int64) []byte {
	if next == nil && cursor == 0 {
		return b
	}
	b = append(b, "<resumptionToken"...)
	if size >= 0 {
		b = append(strconv.AppendInt(append(b, ` completeListSize="`...), size, 10), '"')
	}
	b = append(strconv.AppendInt(append(b, ` cursor="`...), cursor, 10), `">`...)
	if next != nil {
		b = append(b, q.mirror.token(*next)...)
	}
	return append(b, "</resumptionToken>\n"...)
}
