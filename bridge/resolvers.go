package bridge

import "strings"

// parseResolver reads persistent URLs whose host is not one of a few: ARKs,
// URN:NBN resolvers, PURLs and the resolvers of institutions.
func parseResolver(v, host, path string) (Identifier, bool) {
	if ark, name := arkIn(unescape(path)); name != "" {
		return parseARK(ark, upgrade(v, host))
	}
	if nbnResolver(host) {
		plain := unescape(path)
		if at := indexFold(plain, "urn:nbn:"); at >= 0 {
			urn := plain[at:]
			if end := strings.IndexAny(urn, "&?#"); end >= 0 {
				urn = urn[:end]
			}
			return parseURN(bare(strings.TrimRight(urn, "/")))
		}
	}
	path = strings.Trim(path, "/")
	if path == "" {
		return Identifier{}, false
	}
	scheme := Resolver
	switch {
	case host == "w3id.org":
		scheme = W3ID
	case host == "purl.org" && vocabulary(path):
		return Identifier{}, false
	case strings.HasPrefix(host, "purl."):
		scheme = PURL
	case !isResolver(host):
		return Identifier{}, false
	}
	uri := escape(upgrade(v, host))
	if escape(host) != host {
		return Identifier{}, false // no resolver is named in another script
	}
	return Identifier{Scheme: scheme, Value: v, URI: uri}, true
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
		if rest, ok := cutPrefixFold(v, "http://"); ok {
			return "https://" + rest
		}
	}
	return v
}
