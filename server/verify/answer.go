package verify

import (
	"net/http"
	"net/url"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// An answer is the response at the end of the redirects.
type answer struct {
	url    string // the last one, without a fragment, byte for byte
	status int
	header http.Header
	body   []byte
	cut    bool // the body goes on
}

// mediaType is that of the answer, without parameters; "" if it has none.
func (a *answer) mediaType() string {
	bare, _ := linkset.MediaType(a.header.Get("Content-Type"))
	return bare
}

// compression is how the body is still compressed; "" if it is not. Gzip, which
// the request accepted, is undone on arrival.
func (a *answer) compression() string {
	e := a.header.Get("Content-Encoding")
	if strings.EqualFold(e, "identity") {
		return ""
	}
	return e
}

// links are the links of the answer's header. check.header reports its faults.
func (a *answer) links() linkset.LinkSet {
	links, _ := linkset.ParseHeader(a.header.Values("Link"), a.url)
	return links
}

// own are those of them whose context is the requested URL.
func (a *answer) own() linkset.LinkSet { return a.links().From(a.url) }

// location is the URL that an answer leads to, absolute and without its
// fragment; "" if it leads nowhere.
func (a *answer) location() (string, error) {
	next, err := outbound.Location(a.url, a.status, a.header)
	if err == nil && next != "" {
		next, err = linkset.Anchor(next)
	}
	if err != nil {
		return "", errAddress
	}
	return next, nil
}

// resolved is a reference in the answer as an absolute URL; "" if it is none.
// One that is absolute stays as it is: the anchor of a link set is compared
// with it.
func (a *answer) resolved(ref string) string {
	base, err := url.Parse(a.url)
	if err != nil {
		return ""
	}
	u, err := base.Parse(ref)
	switch {
	case err != nil:
		return ""
	case strings.HasPrefix(ref, u.Scheme+"://"):
		return ref
	}
	return u.String()
}
