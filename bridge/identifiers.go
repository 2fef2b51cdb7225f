package bridge

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Scheme is a kind of identifier.
type Scheme string

// The schemes that ParseIdentifier tells apart. Those of the first group may
// name an object on the web for good; those of the second identify a
// container, a printed edition or a record of the object; those of the third
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
	OAI     Scheme = "OAI"
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

// maxIdentifier bounds what may be an identifier, in bytes.
const maxIdentifier = 2048

// Identifier is what ParseIdentifier found in a value.
type Identifier struct {
	Scheme Scheme
	Value  string // bare, in the case it was given
	URI    string // canonical, https where the resolver has it; "" if the scheme has no URI on the web
	Prefix string // of a DOI ("10.5555") or a Handle ("2027.42")
}

// Persistent reports whether the identifier may be an object's cite-as.
// FAIR Signposting, 2.2.1.
func (i Identifier) Persistent() bool {
	return i.Rank() > 0
}

// Rank orders persistent identifiers: of several, the highest is cite-as. It is
// 0 for an identifier that is not persistent, or resolves nowhere.
func (i Identifier) Rank() int {
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
func (i Identifier) Same(j Identifier) bool {
	return i.Scheme == j.Scheme && i.key() == j.key()
}

// key is equal for two identifiers of one scheme if they are the same.
func (i Identifier) key() string {
	switch i.Scheme {
	case ARK: // hyphens and the slash after the label mean nothing. ARK, 2.5 and 2.7
		_, name := arkIn(i.Value)
		return strings.ReplaceAll(strings.TrimRight(name, "/."), "-", "")
	case ISBN, ISSN:
		return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(i.Value))
	case PURL, W3ID, Resolver:
		return NormalURL(i.URI)
	case SWHID:
		core, _, _ := strings.Cut(i.Value, ";")
		return core
	case OAI, Bibcode, URN, LSID: // case counts, or may count
		return i.Value
	}
	return strings.ToLower(i.Value)
}

// ParseIdentifier says which identifier a value is. A text that merely
// contains one, such as a citation, is none.
func ParseIdentifier(value string) (Identifier, bool) {
	v := bare(value)
	if v == "" || len(v) > maxIdentifier || !utf8.ValidString(v) || hasControl(v) {
		return Identifier{}, false
	}
	if id, ok := parseScheme(v); ok {
		return id, true
	}
	return parseBare(v)
}

// bare returns value without white space, references, brackets and punctuation
// around it.
func bare(value string) string {
	v := CleanValue(value)
	for v != "" {
		closing, ok := partner(v[0])
		if !ok || v[len(v)-1] != closing && strings.IndexByte(v[1:], closing) >= 0 {
			break // "(DE-588)118540238"
		}
		v = CleanValue(v[1:]) // the closing one has no partner now
	}
	return v
}

// partner returns the bracket or quotation mark that closes what c opens.
func partner(c byte) (byte, bool) {
	switch c {
	case '(':
		return ')', true
	case '[':
		return ']', true
	case '<':
		return '>', true
	case '"':
		return '"', true
	}
	return 0, false
}

// parseScheme reads the forms that say what they are: URLs, URNs, and
// "scheme:value".
func parseScheme(v string) (Identifier, bool) {
	scheme, rest, ok := strings.Cut(v, ":")
	if !ok {
		return parseHostless(v)
	}
	if len(scheme) > 8 {
		return parseHostless(v)
	}
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "http", "https":
		return parseURLIdentifier(v)
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
func parseHostless(v string) (Identifier, bool) {
	host, _, ok := strings.Cut(v, "/")
	if !ok || len(host) < len("ror.org") || !strings.Contains(host, ".") {
		return Identifier{}, false
	}
	switch strings.ToLower(host) {
	case "doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net", "orcid.org", "www.orcid.org", "ror.org":
		return parseURLIdentifier("https://" + v)
	}
	return Identifier{}, false
}

// parseBare reads the forms that are known by their shape alone.
func parseBare(v string) (Identifier, bool) {
	switch {
	case strings.HasPrefix(v, "10."):
		return parseDOI(v)
	case hasPrefixFold(v, "doi 10."):
		return parseDOI(v[4:])
	case hasPrefixFold(v, "pmc"):
		return parsePMCID(v)
	case hasPrefixFold(v, "isbn"):
		return parseISBN(v[4:])
	case hasPrefixFold(v, "issn"):
		return parseISSN(v[4:])
	case hasPrefixFold(v, "pmid "):
		return parsePMID(v[5:])
	case hasPrefixFold(v, "orcid "):
		return authorIdentifier(v[6:], "orcid")
	case len(v) == 19 && isDigit(v[0]):
		if id, ok := authorIdentifier(v, ""); ok {
			return id, true
		}
		return parseBibcode(v)
	case len(v) == 9 && v[4] == '-':
		return parseISSN(v)
	case len(v) >= 10 && len(v) <= 17 && isDigit(v[0]):
		return parseISBN(v)
	}
	return Identifier{}, false
}

// parseURLIdentifier reads an identifier written as the URL of its resolver.
func parseURLIdentifier(v string) (Identifier, bool) {
	host, path, ok := splitURL(v)
	if !ok || strings.ContainsAny(v, " \t\n") {
		return Identifier{}, false
	}
	path = strings.TrimPrefix(path, "/")
	switch host {
	case "doi.org", "dx.doi.org", "www.doi.org":
		return resolved(path, parseDOI)
	case "hdl.handle.net", "handle.net", "www.handle.net":
		return resolved(path, parseHandle)
	case "arxiv.org", "www.arxiv.org", "export.arxiv.org":
		return parseArXivPath(path)
	case "archive.softwareheritage.org":
		return resolved(path, parseSWHID)
	case "pubmed.ncbi.nlm.nih.gov":
		return parsePMID(path)
	case "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org":
		return parseNCBI(path)
	case "portal.issn.org", "issn.org":
		if _, issn, ok := cutFold(path, "resource/issn/"); ok {
			return parseISSN(issn)
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

// resolved reads the path of a resolver's URL: percent-encoding is undone, and
// what follows the identifier is cut off.
func resolved(path string, parse func(string) (Identifier, bool)) (Identifier, bool) {
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return parse(bare(unescape(path)))
}

func parseDOI(v string) (Identifier, bool) {
	v = strings.TrimSpace(v)
	for { // "doi:doi:10…", "https://doi.org/https://doi.org/10…"
		rest, ok := cutPrefixFold(v, "doi:")
		if !ok {
			rest, ok = cutPrefixFold(v, "https://doi.org/")
		}
		if !ok {
			break
		}
		v = rest
	}
	prefix, suffix, ok := strings.Cut(v, "/")
	if !ok || suffix == "" || !isDOIPrefix(prefix) || hasSpace(suffix) {
		return Identifier{}, false
	}
	return Identifier{DOI, v, "https://doi.org/" + escapeValue(v), prefix}, true
}

// isDOIPrefix is 10.NNNN, with four to nine digits and perhaps further parts.
func isDOIPrefix(s string) bool {
	rest, ok := strings.CutPrefix(s, "10.")
	first, _, _ := strings.Cut(rest, ".")
	return ok && len(first) >= 4 && len(first) <= 9 && isHandlePrefix(rest)
}

func parseHandle(v string) (Identifier, bool) {
	v = strings.TrimSpace(v)
	v, _ = cutPrefixFold(v, "hdl:")
	prefix, suffix, ok := strings.Cut(v, "/")
	if isDOIPrefix(prefix) {
		return parseDOI(v)
	}
	if !ok || suffix == "" || !isHandlePrefix(prefix) || hasSpace(suffix) {
		return Identifier{}, false
	}
	v = strings.TrimRight(v, "/")
	if len(v) <= len(prefix) {
		return Identifier{}, false
	}
	return Identifier{Handle, v, "https://hdl.handle.net/" + escapeValue(v), prefix}, true
}

// isHandlePrefix is digits, in parts divided by full stops.
func isHandlePrefix(s string) bool {
	last := byte('.')
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) && (s[i] != '.' || last == '.') {
			return false
		}
		last = s[i]
	}
	return last != '.'
}

// parseARK reads an ARK. given is the URL it stood in, whose host is kept:
// it is the one that the source says resolves it; "" if there was none.
func parseARK(v, given string) (Identifier, bool) {
	ark, name := arkIn(v)
	if name == "" || hasSpace(ark) {
		return Identifier{}, false
	}
	if given == "" {
		given = "https://n2t.net/ark:/" + name
	}
	given, _, _ = strings.Cut(given, "#")
	given, _, _ = strings.Cut(given, "?")
	return Identifier{Scheme: ARK, Value: ark, URI: escape(given)}, true
}

// arkIn finds an ARK at the beginning of s or after a slash. name is the ARK
// without its label: the number of the assigning authority and the rest.
func arkIn(s string) (ark, name string) {
	at := indexFold(s, "ark:")
	if at < 0 || at > 0 && s[at-1] != '/' {
		return "", ""
	}
	ark = s[at:]
	if end := strings.IndexAny(ark, "?#"); end >= 0 {
		ark = ark[:end]
	}
	ark = strings.TrimRight(ark, "/")
	naan, rest, ok := strings.Cut(strings.TrimPrefix(ark[4:], "/"), "/")
	if !ok || rest == "" || len(naan) < 5 || len(naan) > 9 || !isDigit(naan[0]) || !isAlphanumeric(naan) {
		return "", ""
	}
	return ark, naan + "/" + rest
}

func parseURN(v string) (Identifier, bool) {
	kind, rest, ok := strings.Cut(v[len("urn:"):], ":")
	if !ok || rest == "" || hasSpace(strings.TrimSpace(rest)) {
		return Identifier{}, false
	}
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(kind) {
	case "nbn":
		if strings.ContainsAny(rest, "#?&") { // not in an assigned name. RFC 8141, 2
			return Identifier{}, false
		}
		return Identifier{Scheme: URNNBN, Value: v, URI: nbnURI(v, rest)}, true
	case "doi":
		return parseDOI(rest)
	case "hdl":
		return parseHandle(rest)
	case "isbn":
		return parseISBN(rest)
	case "issn":
		return parseISSN(rest)
	case "lsid":
		return opaque(LSID, v, true)
	}
	return opaque(URN, v, true)
}

// nbnURI returns the address at which a URN:NBN resolves, by the country that
// name, which is the URN without "urn:nbn:", begins with. Countries whose
// resolver is not known have none.
func nbnURI(urn, name string) string {
	end := strings.IndexAny(name, ":-")
	if end < 0 {
		return ""
	}
	urn = escapeValue(urn)
	switch strings.ToLower(name[:end]) {
	case "de", "at", "ch":
		return "https://nbn-resolving.org/" + urn
	case "fi":
		return "https://urn.fi/" + urn
	case "se":
		return "https://urn.kb.se/resolve?urn=" + urn
	case "no":
		return "https://urn.nb.no/" + urn
	case "nl":
		return "https://persistent-identifier.nl/" + urn
	case "hr":
		return "https://urn.nsk.hr/" + urn
	case "it":
		return "http://nbn.depositolegale.it/" + urn
	}
	return ""
}

// parseInfo reads "info:" URIs, without that word.
func parseInfo(v string) (Identifier, bool) {
	if rest, ok := cutPrefixFold(v, "eu-repo/semantics/altIdentifier/"); ok {
		kind, id, _ := strings.Cut(rest, "/")
		return parseScheme(kind + ":" + id)
	}
	if hasPrefixFold(v, "eu-repo/grantAgreement/") {
		return opaque(Grant, "info:"+v, true)
	}
	if hasPrefixFold(v, "eu-repo/") {
		return Identifier{}, false
	}
	kind, id, _ := strings.Cut(v, "/")
	switch strings.ToLower(kind) {
	case "doi", "hdl", "pmid", "arxiv", "bibcode":
		return parseScheme(kind + ":" + id)
	}
	return Identifier{}, false
}

func parseArXivPath(path string) (Identifier, bool) {
	kind, id, _ := strings.Cut(path, "/")
	if kind != "abs" && kind != "pdf" {
		return Identifier{}, false
	}
	return resolved(id, parseArXiv)
}

func parseArXiv(v string) (Identifier, bool) {
	v, _ = cutPrefixFold(strings.TrimSpace(v), "arxiv:")
	v = strings.TrimSuffix(strings.TrimRight(v, "/"), ".pdf")
	if !isArXiv(v) {
		return Identifier{}, false
	}
	return Identifier{Scheme: ArXiv, Value: v, URI: "https://arxiv.org/abs/" + v}, true
}

// isArXiv is "0709.2184", "2101.00001v2", "hep-th/9901001" or "math.GT/0309136v1".
func isArXiv(s string) bool {
	id, version, ok := strings.Cut(s, "v")
	if ok && (version == "" || !isDigits(version)) {
		return false
	}
	if archive, number, ok := strings.Cut(id, "/"); ok {
		archive = strings.NewReplacer("-", "", ".", "").Replace(archive)
		return archive != "" && isLetters(archive) && len(number) == 7 && isDigits(number)
	}
	month, number, ok := strings.Cut(id, ".")
	return ok && len(month) == 4 && isDigits(month) && (len(number) == 4 || len(number) == 5) && isDigits(number)
}

// parseSWHID keeps the qualifiers, which say where the thing was found.
func parseSWHID(v string) (Identifier, bool) {
	v = strings.TrimRight(v, "/")
	core, _, _ := strings.Cut(v, ";")
	parts := strings.Split(core, ":")
	if len(parts) != 4 || parts[0] != "swh" || parts[1] != "1" || !isSHA1(parts[3]) || hasSpace(v) {
		return Identifier{}, false
	}
	switch parts[2] {
	case "cnt", "dir", "rel", "rev", "snp":
		return Identifier{Scheme: SWHID, Value: v, URI: "https://archive.softwareheritage.org/" + escapeValue(v)}, true
	}
	return Identifier{}, false
}

func isSHA1(s string) bool {
	return len(s) == 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'f')
	})
}

// parseNCBI reads a path of the National Center for Biotechnology Information.
func parseNCBI(path string) (Identifier, bool) {
	path = strings.TrimPrefix(path, "pmc/")
	path = strings.TrimPrefix(path, "m/")
	switch kind, id, _ := strings.Cut(path, "/"); kind {
	case "pubmed":
		return parsePMID(id)
	case "articles":
		return parsePMCID(id)
	}
	return Identifier{}, false
}

func parsePMID(v string) (Identifier, bool) {
	v = strings.TrimRight(strings.TrimSpace(v), "/")
	if v == "" || len(v) > 9 || !isDigits(v) {
		return Identifier{}, false
	}
	return Identifier{Scheme: PMID, Value: v, URI: "https://pubmed.ncbi.nlm.nih.gov/" + v + "/"}, true
}

func parsePMCID(v string) (Identifier, bool) {
	v, _, _ = strings.Cut(v, "/")
	digits, ok := cutPrefixFold(v, "pmc")
	if !ok || digits == "" || len(digits) > 10 || !isDigits(digits) {
		return Identifier{}, false
	}
	return Identifier{Scheme: PMCID, Value: v, URI: "https://pmc.ncbi.nlm.nih.gov/articles/PMC" + digits + "/"}, true
}

func parseISBN(v string) (Identifier, bool) {
	v = strings.TrimLeft(v, ": -")
	digits := strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(v))
	if !isISBN10(digits) && !isISBN13(digits) {
		return Identifier{}, false
	}
	return Identifier{Scheme: ISBN, Value: v}, true
}

func isISBN10(s string) bool {
	if len(s) != 10 || !isDigits(s[:9]) {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	return checkDigit(11-sum%11) == s[9]
}

func isISBN13(s string) bool {
	if len(s) != 13 || !isDigits(s) || s[:3] != "978" && s[:3] != "979" {
		return false
	}
	sum := 0
	for i := range 13 {
		sum += int(s[i]-'0') * (1 + i%2*2)
	}
	return sum%10 == 0
}

func parseISSN(v string) (Identifier, bool) {
	v = strings.TrimRight(strings.TrimLeft(v, ": "), "/")
	if len(v) != 9 || v[4] != '-' {
		return Identifier{}, false
	}
	digits := strings.ToUpper(v[:4] + v[5:])
	if !isDigits(digits[:7]) {
		return Identifier{}, false
	}
	sum := 0
	for i := range 7 {
		sum += (8 - i) * int(digits[i]-'0')
	}
	if checkDigit(11-sum%11) != digits[7] {
		return Identifier{}, false
	}
	return Identifier{Scheme: ISSN, Value: v, URI: "https://portal.issn.org/resource/ISSN/" + strings.ToUpper(v)}, true
}

// checkDigit writes a check digit modulo 11: 10 is X, 11 is 0.
func checkDigit(n int) byte {
	switch n {
	case 10:
		return 'X'
	case 11:
		return '0'
	}
	return '0' + byte(n)
}

// parseBibcode reads the nineteen characters of the Astrophysics Data System:
// a year, a journal, a volume and page filled with full stops, an initial.
func parseBibcode(v string) (Identifier, bool) {
	if len(v) != 19 || !isDigits(v[:4]) || v[18] < 'A' || v[18] > 'Z' || !strings.Contains(v, ".") {
		return Identifier{}, false
	}
	for i := 4; i < 18; i++ {
		if c := v[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '&' {
			return Identifier{}, false
		}
	}
	return Identifier{Scheme: Bibcode, Value: v, URI: "https://ui.adsabs.harvard.edu/abs/" + url.PathEscape(v)}, true
}

// parseOAI reads an OAI identifier. arXiv's name what arXiv's own do.
func parseOAI(v string) (Identifier, bool) {
	host, local, ok := strings.Cut(v[len("oai:"):], ":")
	if !ok || host == "" || local == "" || hasSpace(v) {
		return Identifier{}, false
	}
	if strings.EqualFold(host, "arXiv.org") {
		return parseArXiv(local)
	}
	return opaque(OAI, v, true)
}

// opaque is an identifier that has no address on the web.
func opaque(scheme Scheme, v string, ok bool) (Identifier, bool) {
	if !ok || hasSpace(v) {
		return Identifier{}, false
	}
	return Identifier{Scheme: scheme, Value: v}, true
}

// CleanValue mends what repositories do to a value that is an identifier or a
// URL: references that were escaped twice, white space, and quotation marks,
// brackets without a partner and punctuation at the end.
func CleanValue(value string) string {
	v := strings.Trim(value, " \t\r\n\u00a0\u200b\ufeff")
	if strings.ContainsAny(v, "\n\t\r") || strings.Contains(v, "  ") {
		v = strings.Join(strings.Fields(v), " ")
	}
	if strings.IndexByte(v, '&') >= 0 {
		v = unescapeReferences(v)
	}
	for v != "" {
		last := v[len(v)-1]
		if strings.IndexByte(".,; ", last) < 0 && !unpaired(v, last) {
			break
		}
		v = v[:len(v)-1]
	}
	return v
}

// unpaired reports whether last, at the end of v, is a closing bracket or a
// quotation mark that was not opened in v.
func unpaired(v string, last byte) bool {
	switch last {
	case ')':
		return strings.Count(v, "(") < strings.Count(v, ")")
	case ']':
		return strings.Count(v, "[") < strings.Count(v, "]")
	case '>':
		return strings.Count(v, "<") < strings.Count(v, ">")
	case '}':
		return strings.Count(v, "{") < strings.Count(v, "}")
	case '"':
		return strings.Count(v, `"`)%2 == 1
	}
	return false
}

// references are those that XML itself knows, as they look after one parse of
// a value that was escaped more than once.
var references = strings.NewReplacer(
	"&amp;", "&", "&#38;", "&", "&#038;", "&", "&#x26;", "&",
	"&lt;", "<", "&#60;", "<", "&gt;", ">", "&#62;", ">", "&quot;", `"`, "&#34;", `"`)

func unescapeReferences(v string) string {
	for range 4 { // more often than any repository was seen to do it
		once := references.Replace(v)
		if once == v {
			break
		}
		v = once
	}
	return v
}

// Placeholder reports whether host is one that a repository was shipped with
// and nobody replaced. It has no port.
func Placeholder(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	switch host {
	case "localhost", "example.com", "www.example.com":
		return true
	}
	// DSpace prints the name of a setting that was not set.
	return strings.HasSuffix(host, ".baseurl")
}

// escapeValue writes the value of an identifier as the path of a URL. A "%" in
// it is its own.
func escapeValue(v string) string {
	return escapeWhere(v, func(c byte) bool {
		return c == '%' || c == '#' || c == '?' || notURI(c)
	})
}

// escape percent-encodes what may not stand in a URI. RFC 3986, 2.
func escape(s string) string {
	return escapeWhere(s, notURI)
}

func notURI(c byte) bool {
	return c <= ' ' || c >= 0x7F || strings.IndexByte("<>\"{}|\\^`[]", c) >= 0
}

func escapeWhere(s string, must func(byte) bool) string {
	i := 0
	for i < len(s) && !must(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		if must(s[i]) {
			writeEscaped(&b, s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// unescape undoes percent-encoding. What would be no text is left as it is.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = fromHex(s[i+1])<<4 | fromHex(s[i+2])
			i += 2
		}
		b.WriteByte(c)
	}
	if !utf8.ValidString(b.String()) {
		return s
	}
	return b.String()
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// cutPrefixFold is strings.CutPrefix, whatever the case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if hasPrefixFold(s, prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// cutFold is strings.Cut, whatever the case of the separator.
func cutFold(s, sep string) (before, after string, found bool) {
	if i := indexFold(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// indexFold is strings.Index, whatever the case. sub is ASCII.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i]|0x20 == sub[0]|0x20 && strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

func hasSpace(s string) bool {
	return strings.ContainsAny(s, " \t\r\n\u00a0")
}

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7F {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigits holds for nothing but digits, also for none.
func isDigits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) {
			return false
		}
	}
	return true
}

func isAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return true
}
