package identifier

import (
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// parseResolver reads persistent URLs whose host is not one of a few: ARKs,
// URN:NBN resolvers, PURLs and the resolvers of institutions.
func parseResolver(v, host, path string) (ID, bool) {
	if ark, name := arkIn(uri.Decode(path)); name != "" {
		return parseARK(ark, upgrade(v, host))
	}
	if nbnResolver(host) {
		plain := uri.Decode(path)
		if at := text.IndexFold(plain, "urn:nbn:"); at >= 0 {
			urn := plain[at:]
			if end := strings.IndexAny(urn, "&?#"); end >= 0 {
				urn = urn[:end]
			}
			return parseURN(text.Bare(strings.TrimRight(urn, "/")))
		}
	}
	path = strings.Trim(path, "/")
	if path == "" {
		return ID{}, false
	}
	scheme := Resolver
	switch {
	case host == "w3id.org":
		scheme = W3ID
	case host == "purl.org" && vocabulary(path):
		return ID{}, false
	case strings.HasPrefix(host, "purl."):
		scheme = PURL
	case !isResolver(host):
		return ID{}, false
	}
	if !inURI.Keeps(host) {
		return ID{}, false // no resolver is named in another script
	}
	return ID{Scheme: scheme, Value: v, URI: inURI.Encode(upgrade(v, host))}, true
}

// isResolver reports whether a host is by its name one that an institution
// keeps for persistent URLs.
func isResolver(host string) bool {
	switch host {
	case "id.erudit.org", "n2t.net", "identifiers.org", "nrs.harvard.edu", "urn.fi":
		return true
	}
	label, rest, _ := strings.Cut(host, ".")
	switch label {
	case "resolver", "persistentidentifier", "pid", "ark":
		return strings.Contains(rest, ".")
	}
	return false
}

// nbnResolver reports whether host resolves URN:NBN of some country.
func nbnResolver(host string) bool {
	switch host {
	case "nbn-resolving.org", "nbn-resolving.de", "www.nbn-resolving.org", "www.nbn-resolving.de",
		"urn.fi", "www.urn.fi", "urn.kb.se", "urn.nb.no", "www.persistent-identifier.nl", "persistent-identifier.nl",
		"resolver.kb.nl", "urn.nsk.hr", "nbn.depositolegale.it", "nbn.urn.hu", "resolver.nkp.cz":
		return true
	}
	return false
}

// vocabulary reports whether a path on purl.org is one of the vocabularies
// that metadata refers to, which are nobody's object.
func vocabulary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	switch first {
	case "dc", "coar", "eprint", "spar", "ontology", "vocab", "voc", "rss", "cld", "cerif":
		return true
	}
	return false
}

// upgrade gives a URL https where its host is known to answer it.
func upgrade(v, host string) string {
	switch host {
	case "w3id.org", "purl.org", "purl.stanford.edu", "n2t.net", "identifiers.org", "gallica.bnf.fr", "urn.fi":
		if rest, ok := text.CutPrefixFold(v, "http://"); ok {
			return "https://" + rest
		}
	}
	return v
}
