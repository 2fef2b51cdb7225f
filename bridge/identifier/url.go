package identifier

import (
	"strings"

	"fingerpost/bridge/uri"
)

// NormalURL returns the form under which URLs that name the same page are
// equal: that of uri.Normal; DOIs, Handles and URN:NBN are equal in every
// spelling. It is a key, not an address: nobody should be sent there.
func NormalURL(u string) string {
	host, _, ok := uri.Split(u)
	if !ok || isPIDHost(host) {
		if id, ok := Parse(u); ok && id.URI != "" {
			return id.normalURI()
		}
	}
	if key, ok := uri.Normal(u); ok {
		return key
	}
	return strings.TrimSpace(u)
}

// isPIDHost reports whether a host is one of those under which one identifier
// has several addresses.
func isPIDHost(host string) bool {
	return isDOIHost(host) || isHandleHost(host) || nbnResolver(host)
}

func (i ID) normalURI() string {
	address := i.URI
	switch i.Scheme {
	case DOI, Handle, URNNBN: // case does not count
		address = strings.ToLower(address)
	}
	if key, ok := uri.Normal(address); ok {
		return key
	}
	return address
}
