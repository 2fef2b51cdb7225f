// Package landingpage reads what a landing page states in machine-readable
// form: an answer to a GET becomes a record in a format of fingerpost's own,
// which is kept, mapped and explained like any other. It decides nothing, and
// sends no requests.
package landingpage

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"fingerpost/bridge/vocabulary"
)

// Prefix is the metadataPrefix of what landing pages state.
const Prefix = "landing-page"

// Namespace is that of its elements.
const Namespace = "fingerpost:landing-page:1"

// MaxBytes is how much of a page is read.
const MaxBytes = 512 << 10

// Page is the answer to a GET of a landing page.
type Page struct {
	Asked  string // the address that was asked
	URL    string // where the redirects led
	Status int
	Header http.Header
	Body   io.Reader // no more than MaxBytes is read of it
}

// Why a page gives no record. A *WallError and a *StatusError are further reasons.
var (
	ErrNotHTML = errors.New("is not HTML")
	ErrEmpty   = errors.New("states nothing that a machine can read")
	ErrShell   = fmt.Errorf("%w: scripts would fill it", ErrEmpty)
	ErrLogin   = errors.New("is a form to log in")
	ErrSeveral = errors.New("is about several objects")
	ErrFront   = errors.New("is the front page of a site")
)

// WallError says that a page was not shown, but a test for people or a refusal
// of programs: nothing may be concluded from it, and the host wants no requests.
type WallError struct {
	Mark string // by which it was recognised
}

func (e *WallError) Error() string {
	return "is a wall against programs, not a landing page: " + e.Mark
}

// StatusError says that the server has no page to show.
type StatusError struct {
	Status int
}

func (e *StatusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("was answered with %d %s", e.Status, http.StatusText(e.Status)))
}

// Read returns what a page states, as an XML document that stands alone. The
// error is the reader's, or says why there is none.
func Read(p Page) (record []byte, err error) {
	switch {
	case vocabulary.IsLogin(p.URL):
		return nil, ErrLogin
	case p.URL != p.Asked && isFront(p.URL): // many redirects that are broken end there
		return nil, ErrFront
	}
	body, err := io.ReadAll(io.LimitReader(p.Body, MaxBytes))
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	if mark := refusal(p, len(body)); mark != "" {
		return nil, &WallError{mark}
	}
	if p.Status != http.StatusOK {
		return nil, &StatusError{p.Status}
	}
	contentType := p.Header.Get("Content-Type")
	if !isHTML(contentType, body) {
		return nil, ErrNotHTML
	}
	s := statements{page: p}
	s.header()
	s.body(inUTF8(body, contentType))
	s.withoutGateway()
	if err := s.why(body); err != nil {
		return nil, err
	}
	return s.record(), nil
}

// Resolve returns a reference of a page as an absolute address, without what
// templates leave in it: sessions, default ports. It is "" for what is none. base
// is that of the record.
func Resolve(base, ref string) string {
	ref = strings.TrimSpace(ref)
	if !strings.HasPrefix(ref, "https://") && !strings.HasPrefix(ref, "http://") {
		b, err := url.Parse(base)
		if err != nil || ref == "" {
			return ""
		}
		u, err := b.Parse(ref)
		if err != nil || !u.IsAbs() {
			return ""
		}
		ref = u.String()
	}
	return withoutLeftovers(ref)
}

// session is what some platforms add to addresses for each visitor.
var session = regexp.MustCompile(`(?i);jsessionid=[^?#]*`)

func withoutLeftovers(address string) string {
	address = session.ReplaceAllString(address, "")
	scheme, rest, _ := strings.Cut(address, "://")
	host, path, more := strings.Cut(rest, "/")
	switch {
	case scheme == "http" && strings.HasSuffix(host, ":80"), scheme == "https" && strings.HasSuffix(host, ":443"):
		host = host[:strings.LastIndexByte(host, ':')]
	case !strings.HasSuffix(path, ".pdf/"):
		return address
	}
	if strings.HasSuffix(path, ".pdf/") {
		path = strings.TrimSuffix(path, "/")
	}
	if more {
		path = "/" + path
	}
	return scheme + "://" + host + path
}
