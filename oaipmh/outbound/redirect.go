package outbound

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// WebURL reads an absolute http or https URL.
func WebURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not a web address", Printable(s, 200))
	}
	return u, nil
}

// Location returns the URL that a redirect from a URL leads to, absolute and
// without user and fragment; "" if the answer leads nowhere. RFC 9110, 10.2.2.
// A reference that is absolute stays byte for byte as it is. It is an error if
// it leads out of the web.
func Location(from string, status int, header http.Header) (string, error) {
	location := strings.TrimSpace(header.Get("Location"))
	if status < 300 || status > 399 || location == "" {
		return "", nil
	}
	location, _, _ = strings.Cut(location, "#")
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	next, err := base.Parse(location)
	if err != nil {
		return "", fmt.Errorf("it leads to %q, which is not a web address", Printable(location, 200))
	}
	if next.User == nil && strings.HasPrefix(location, next.Scheme+"://") {
		_, err := WebURL(location)
		return location, err
	}
	next.User = nil
	_, err = WebURL(next.String())
	return next.String(), err
}
