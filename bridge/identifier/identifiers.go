// Package identifier reads, checks and writes identifiers: those of objects,
// people and organisations, and the OAI identifiers of records.
package identifier

import (
	"strings"
	"unicode/utf8"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// Scheme is a kind of identifier.
type Scheme string

// The schemes that Parse distinguishes. Those of the first group may
// name an object on the web for good; those of the second identify a
// container, a printed version or a record of the object; those of the third
// identify a person or an organisation.
const (
	DOI      Scheme = "DOI"
	Handle   Scheme = "Handle"
	ARK      Scheme = "ARK"
	URNNBN   Scheme = "URN:NBN"
	PURL     Scheme = "PURL"
	W3ID     Scheme = "w3id"
	Resolver Scheme = "resolver" // a host that an institution keeps for persistent URLs
	SWHID    Scheme = "SWHID"
	ArXiv    Scheme = "arXiv"

	PMID    Scheme = "PMID"
	PMCID   Scheme = "PMCID"
	ISBN    Scheme = "ISBN"
	ISSN    Scheme = "ISSN"
	Bibcode Scheme = "bibcode"
	RRID    Scheme = "RRID"
	IGSN    Scheme = "IGSN"
	LSID    Scheme = "LSID"
	IVOID   Scheme = "ivoid"
	oaiName Scheme = "OAI"
	Grant   Scheme = "grant agreement"
	URN     Scheme = "URN" // any other

	ORCID    Scheme = "ORCID"
	ISNI     Scheme = "ISNI"
	ROR      Scheme = "ROR"
	GND      Scheme = "GND"
	VIAF     Scheme = "VIAF"
	Wikidata Scheme = "Wikidata"
	IdRef    Scheme = "IdRef"
	Lattes   Scheme = "Lattes"
)

// unregistered is the Handle prefix that DSpace comes with. It belongs to
// nobody, so its handles resolve nowhere.
const unregistered = "123456789"

// MaxLength is the longest value that may be an identifier, in bytes.
const MaxLength = 2048

// ID is an identifier that Parse found in a value.
type ID struct {
	Scheme Scheme
	Value  string // text.Bare, in the case it was given
	URI    string // canonical, https where the resolver has it; "" if the scheme has no URI on the web
	Prefix string // of a DOI ("10.5555") or a Handle ("2027.42")
}

// Persistent reports whether the identifier may be an object's cite-as.
// FAIR Signposting, 2.2.1.
func (i ID) Persistent() bool {
	return i.Rank() > 0
}

// Rank orders persistent identifiers: of several, the highest is cite-as. It is
// 0 for an identifier that is not persistent, or resolves nowhere.
func (i ID) Rank() int {
	if i.URI == "" || i.Scheme == Handle && i.Prefix == unregistered {
		return 0
	}
	switch i.Scheme {
	case DOI:
		return 6
	case Handle:
		return 5
	case ARK:
		return 4
	case URNNBN:
		return 3
	case PURL, W3ID, Resolver, SWHID:
		return 2
	case ArXiv:
		return 1
	}
	return 0
}

// Same reports whether i and j are one identifier, however they are spelled.
func (i ID) Same(j ID) bool {
	return i.Scheme == j.Scheme && i.key() == j.key()
}

// without is s without the characters in cut.
func without(s, cut string) string {
	if !strings.ContainsAny(s, cut) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

// key is equal for two identifiers of one scheme if they are the same.
func (i ID) key() string {
	switch i.Scheme {
	case ARK: // hyphens and the slash after the label mean nothing. ARK, 2.5 and 2.7
		_, name := arkIn(i.Value)
		return strings.ReplaceAll(strings.TrimRight(name, "/."), "-", "")
	case ISBN, ISSN:
		return strings.ToUpper(without(i.Value, "- "))
	case PURL, W3ID, Resolver:
		key, _ := uri.Normal(i.URI)
		return key
	case SWHID:
		core, _, _ := strings.Cut(i.Value, ";")
		return core
	case oaiName, Bibcode, URN, LSID: // case counts, or may count
		return i.Value
	}
	return strings.ToLower(i.Value)
}

// Parse says which identifier a value is. A text that only contains one, such as
// a citation, is none.
func Parse(value string) (ID, bool) {
	v := text.Bare(value)
	if v == "" || len(v) > MaxLength || !utf8.ValidString(v) || text.HasControl(v) {
		return ID{}, false
	}
	if id, ok := parseScheme(v); ok {
		return id, true
	}
	return parseBare(v)
}

// parseScheme reads the forms that say what they are: URLs, URNs, and
// "scheme:value".
func parseScheme(v string) (ID, bool) {
	if host, path, ok := uri.Split(v); ok {
		return parseURLIdentifier(v, host, path)
	}
	scheme, rest, ok := strings.Cut(v, ":")
	if !ok || len(scheme) > 8 {
		return parseHostless(v)
	}
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "doi":
		return parseDOI(strings.TrimPrefix(rest, "//"))
	case "hdl", "handle":
		return parseHandle(strings.TrimPrefix(rest, "//"))
	case "ark":
		return parseARK(v, "")
	case "urn":
		return parseURN(v)
	case "info":
		return parseInfo(rest)
	case "arxiv":
		return parseArXiv(rest)
	case "swh":
		return parseSWHID(v)
	case "pmid":
		return parsePMID(rest)
	case "isbn":
		return parseISBN(rest)
	case "issn", "eissn", "e-issn", "p-issn":
		return parseISSN(rest)
	case "bibcode":
		return parseBibcode(rest)
	case "oai":
		return parseOAI(v)
	case "ivo":
		return opaque(IVOID, v, strings.HasPrefix(rest, "//"))
	case "rrid":
		return opaque(RRID, v, rest != "")
	case "igsn":
		return opaque(IGSN, rest, rest != "")
	case "orcid", "isni", "ror", "gnd", "viaf", "wikidata":
		return authorIdentifier(v, scheme)
	}
	return parseHostless(v)
}

// parseHostless reads URLs of the great resolvers without "https://".
func parseHostless(v string) (ID, bool) {
	host, _, ok := strings.Cut(v, "/")
	if !ok || len(host) < len("ror.org") || !strings.Contains(host, ".") {
		return ID{}, false
	}
	switch path := v[len(host):]; strings.ToLower(host) {
	case "doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net", "orcid.org", "www.orcid.org", "ror.org":
		return parseURLIdentifier("https://"+v, strings.ToLower(host), path)
	}
	return ID{}, false
}

// parseBare reads the forms that are known by their shape alone.
func parseBare(v string) (ID, bool) {
	if text.IsDigit(v[0]) {
		return parseNumber(v)
	}
	switch {
	case text.HasPrefixFold(v, "doi 10."):
		return parseDOI(v[4:])
	case text.HasPrefixFold(v, "pmc"):
		return parsePMCID(v)
	case text.HasPrefixFold(v, "isbn"):
		return parseISBN(v[4:])
	case text.HasPrefixFold(v, "issn"):
		return parseISSN(v[4:])
	case text.HasPrefixFold(v, "pmid "):
		return parsePMID(v[5:])
	case text.HasPrefixFold(v, "orcid "):
		return authorIdentifier(v[6:], "orcid")
	}
	return ID{}, false
}

func parseNumber(v string) (ID, bool) {
	switch {
	case strings.HasPrefix(v, "10."):
		return parseDOI(v)
	case len(v) == 19:
		if id, ok := authorIdentifier(v, ""); ok {
			return id, true
		}
		return parseBibcode(v)
	case len(v) == 9 && v[4] == '-':
		return parseISSN(v)
	case len(v) >= 10 && len(v) <= 17:
		return parseISBN(v)
	}
	return ID{}, false
}

// parseURLIdentifier reads an identifier written as the URL of its resolver,
// v, which uri.Split took apart.
func parseURLIdentifier(v, host, path string) (ID, bool) {
	plain := uri.Decode(path)
	if text.HasSpace(v) || !utf8.ValidString(plain) || len(plain) < len(path) && text.HasControl(plain) {
		return ID{}, false
	}
	path = strings.TrimPrefix(path, "/")
	switch {
	case isDOIHost(host):
		return resolved(path, parseDOI)
	case isHandleHost(host):
		return resolved(path, parseHandle)
	}
	switch host {
	case "arxiv.org", "www.arxiv.org", "export.arxiv.org":
		return parseArXivPath(path)
	case "archive.softwareheritage.org":
		return resolved(path, parseSWHID)
	case "pubmed.ncbi.nlm.nih.gov":
		return parsePMID(path)
	case "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org":
		return parseNCBI(path)
	case "portal.issn.org", "issn.org":
		const page = "resource/issn/"
		if at := text.IndexFold(path, page); at >= 0 {
			return parseISSN(path[at+len(page):])
		}
	case "ui.adsabs.harvard.edu", "adsabs.harvard.edu":
		if abs, ok := strings.CutPrefix(path, "abs/"); ok {
			return resolved(abs, parseBibcode)
		}
	case "orcid.org", "www.orcid.org", "isni.org", "www.isni.org", "ror.org", "www.ror.org", "d-nb.info",
		"viaf.org", "www.viaf.org", "wikidata.org", "www.wikidata.org", "idref.fr", "www.idref.fr", "lattes.cnpq.br":
		return authorIdentifier(v, "")
	}
	return parseResolver(v, host, path)
}

// resolved reads the path of a resolver's URL: percent-encoding is undone, and
// what follows the identifier is cut off.
func resolved(path string, parse func(string) (ID, bool)) (ID, bool) {
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return parse(text.Bare(uri.Decode(path)))
}

// ParseAs reads an identifier whose scheme the metadata names. Dataverse prints
// a bare Handle, which is a number with a slash without its scheme.
func ParseAs(value, scheme string) (ID, bool) {
	if id, ok := Parse(value); ok {
		return id, true
	}
	switch strings.ToLower(scheme) {
	case "handle", "hdl":
		return Parse("hdl:" + value)
	case "doi":
		return Parse("doi:" + value)
	}
	return ID{}, false
}

// IsPersistent reports whether a value is a persistent identifier.
func IsPersistent(value string) bool {
	id, ok := Parse(value)
	return ok && id.Persistent()
}
