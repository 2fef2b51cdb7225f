package identifier

import (
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// One reader for each scheme. They take a value that is said to be of the
// scheme, or looks like it, without "doi:" and its like.

func parseDOI(v string) (ID, bool) {
	v = withoutDOIMark(strings.TrimSpace(v))
	prefix, suffix, ok := strings.Cut(v, "/")
	if !ok || suffix == "" || !isDOIPrefix(prefix) || text.HasSpace(suffix) {
		return ID{}, false
	}
	return ID{DOI, v, "https://doi.org/" + inPath.Encode(v), prefix}, true
}

// withoutDOIMark drops what says that a DOI follows, however often: "doi:doi:10…",
// "https://doi.org/http://dx.doi.org/10…".
func withoutDOIMark(v string) string {
	for {
		rest, ok := text.CutPrefixFold(v, "doi:")
		if host, path, isURL := uri.Split(v); isURL && isDOIHost(host) {
			rest, ok = strings.TrimPrefix(path, "/"), true
		}
		if !ok {
			return v
		}
		v = rest
	}
}

func isDOIHost(host string) bool {
	return host == "doi.org" || host == "dx.doi.org" || host == "www.doi.org"
}

func isHandleHost(host string) bool {
	return host == "hdl.handle.net" || host == "handle.net" || host == "www.handle.net"
}

// isDOIPrefix is 10.NNNN, with four to nine digits and perhaps further parts.
func isDOIPrefix(s string) bool {
	rest, ok := strings.CutPrefix(s, "10.")
	first, _, _ := strings.Cut(rest, ".")
	return ok && len(first) >= 4 && len(first) <= 9 && isHandlePrefix(rest) && strings.Trim(rest, "0123456789.") == ""
}

func parseHandle(v string) (ID, bool) {
	v = strings.TrimSpace(v)
	v, _ = text.CutPrefixFold(v, "hdl:")
	prefix, suffix, ok := strings.Cut(v, "/")
	if isDOIPrefix(prefix) {
		return parseDOI(v)
	}
	if !ok || suffix == "" || !isHandlePrefix(prefix) || text.HasSpace(suffix) {
		return ID{}, false
	}
	v = strings.TrimRight(v, "/")
	if len(v) <= len(prefix) {
		return ID{}, false
	}
	return ID{Handle, v, "https://hdl.handle.net/" + inPath.Encode(v), prefix}, true
}

// isHandlePrefix is parts divided by full stops: digits first, then perhaps
// letters too, as in 21.T15999.
func isHandlePrefix(s string) bool {
	last, parts := byte('.'), 0
	for i := 0; i < len(s); i++ {
		switch {
		case text.IsDigit(s[i]), text.IsLetter(s[i]) && parts > 0:
		case s[i] == '.' && last != '.':
			parts++
		default:
			return false
		}
		last = s[i]
	}
	return last != '.'
}

// parseARK reads an ARK. given is the URL it stood in, whose host is kept:
// it is the one that the source says resolves it; "" if there was none.
func parseARK(v, given string) (ID, bool) {
	ark, name := arkIn(v)
	if name == "" || text.HasSpace(ark) {
		return ID{}, false
	}
	if given == "" {
		given = "https://n2t.net/ark:/" + name
	}
	given, _, _ = strings.Cut(given, "#")
	given, _, _ = strings.Cut(given, "?")
	return ID{Scheme: ARK, Value: ark, URI: inURI.Encode(given)}, true
}

// arkIn finds an ARK at the beginning of s or after a slash. name is the ARK
// without its label: the number of the assigning authority and the rest.
func arkIn(s string) (ark, name string) {
	if strings.IndexByte(s, ':') < 0 { // as in most
		return "", ""
	}
	at := text.IndexFold(s, "ark:")
	if at < 0 || at > 0 && s[at-1] != '/' {
		return "", ""
	}
	ark = s[at:]
	if end := strings.IndexAny(ark, "?#"); end >= 0 {
		ark = ark[:end]
	}
	ark = strings.TrimRight(ark, "/")
	naan, rest, ok := strings.Cut(strings.TrimPrefix(ark[4:], "/"), "/")
	if !ok || rest == "" || len(naan) < 5 || len(naan) > 9 || !text.IsDigit(naan[0]) || !text.IsAlphanumeric(naan) {
		return "", ""
	}
	return ark, naan + "/" + rest
}

func parseURN(v string) (ID, bool) {
	kind, rest, ok := strings.Cut(v[len("urn:"):], ":")
	if !ok || rest == "" || text.HasSpace(strings.TrimSpace(rest)) {
		return ID{}, false
	}
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(kind) {
	case "nbn":
		v, rest = strings.TrimRight(v, "/"), strings.TrimRight(rest, "/")              // left of an address
		if strings.ContainsAny(rest, "#?&") || strings.TrimRight(rest, ":-") != rest { // RFC 8141, 2; or nothing is named
			return ID{}, false
		}
		return ID{Scheme: URNNBN, Value: v, URI: nbnURI(v, rest)}, true
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
	urn = inPath.Encode(urn)
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
func parseInfo(v string) (ID, bool) {
	if rest, ok := text.CutPrefixFold(v, "eu-repo/semantics/altIdentifier/"); ok {
		kind, id, _ := strings.Cut(rest, "/")
		return parseScheme(kind + ":" + id)
	}
	if text.HasPrefixFold(v, "eu-repo/grantAgreement/") {
		return opaque(Grant, "info:"+v, true)
	}
	if text.HasPrefixFold(v, "eu-repo/") {
		return ID{}, false
	}
	kind, id, _ := strings.Cut(v, "/")
	switch strings.ToLower(kind) {
	case "doi", "hdl", "pmid", "arxiv", "bibcode":
		return parseScheme(kind + ":" + id)
	}
	return ID{}, false
}

func parseArXivPath(path string) (ID, bool) {
	kind, id, _ := strings.Cut(path, "/")
	if kind != "abs" && kind != "pdf" {
		return ID{}, false
	}
	return resolved(id, parseArXiv)
}

func parseArXiv(v string) (ID, bool) {
	v, _ = text.CutPrefixFold(strings.TrimSpace(v), "arxiv:")
	v = strings.TrimSuffix(strings.TrimRight(v, "/"), ".pdf")
	if !isArXiv(v) {
		return ID{}, false
	}
	return ID{Scheme: ArXiv, Value: v, URI: "https://arxiv.org/abs/" + v}, true
}

// isArXiv is "0709.2184", "2101.00001v2", "hep-th/9901001" or "math.GT/0309136v1".
func isArXiv(s string) bool {
	id, version, ok := strings.Cut(s, "v")
	if ok && !text.IsDigits(version) {
		return false
	}
	if archive, number, ok := strings.Cut(id, "/"); ok {
		archive = without(archive, "-.")
		return archive != "" && text.IsLetters(archive) && len(number) == 7 && text.IsDigits(number)
	}
	month, number, ok := strings.Cut(id, ".")
	return ok && len(month) == 4 && text.IsDigits(month) && (len(number) == 4 || len(number) == 5) && text.IsDigits(number)
}

// parseSWHID keeps the qualifiers, which say where the thing was found.
func parseSWHID(v string) (ID, bool) {
	v = strings.TrimRight(v, "/")
	core, _, _ := strings.Cut(v, ";")
	parts := strings.Split(core, ":")
	if len(parts) != 4 || parts[0] != "swh" || parts[1] != "1" || !isSHA1(parts[3]) || text.HasSpace(v) {
		return ID{}, false
	}
	switch parts[2] {
	case "cnt", "dir", "rel", "rev", "snp":
		return ID{Scheme: SWHID, Value: v, URI: "https://archive.softwareheritage.org/" + inPath.Encode(v)}, true
	}
	return ID{}, false
}

func isSHA1(s string) bool {
	return len(s) == 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'f')
	})
}

// parseNCBI reads a path of the National Center for Biotechnology Information.
func parseNCBI(path string) (ID, bool) {
	path = strings.TrimPrefix(path, "pmc/")
	path = strings.TrimPrefix(path, "m/")
	switch kind, id, _ := strings.Cut(path, "/"); kind {
	case "pubmed":
		return parsePMID(id)
	case "articles":
		return parsePMCID(id)
	}
	return ID{}, false
}

func parsePMID(v string) (ID, bool) {
	v = strings.TrimRight(strings.TrimSpace(v), "/")
	if len(v) > 9 || !text.IsDigits(v) {
		return ID{}, false
	}
	return ID{Scheme: PMID, Value: v, URI: "https://pubmed.ncbi.nlm.nih.gov/" + v + "/"}, true
}

func parsePMCID(v string) (ID, bool) {
	v, _, _ = strings.Cut(v, "/")
	digits, ok := text.CutPrefixFold(v, "pmc")
	if !ok || len(digits) > 10 || !text.IsDigits(digits) {
		return ID{}, false
	}
	return ID{Scheme: PMCID, Value: v, URI: "https://pmc.ncbi.nlm.nih.gov/articles/PMC" + digits + "/"}, true
}

func parseISBN(v string) (ID, bool) {
	v = strings.TrimLeft(v, ": -")
	digits := strings.ToUpper(without(v, "- "))
	if !isISBN10(digits) && !isISBN13(digits) {
		return ID{}, false
	}
	return ID{Scheme: ISBN, Value: v}, true
}

func isISBN10(s string) bool {
	if len(s) != 10 || !text.IsDigits(s[:9]) {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	return checkDigit(11-sum%11) == s[9]
}

func isISBN13(s string) bool {
	if len(s) != 13 || !text.IsDigits(s) || s[:3] != "978" && s[:3] != "979" {
		return false
	}
	sum := 0
	for i := range 13 {
		sum += int(s[i]-'0') * (1 + i%2*2)
	}
	return sum%10 == 0
}

func parseISSN(v string) (ID, bool) {
	v = strings.TrimRight(strings.TrimLeft(v, ": "), "/")
	if len(v) != 9 || v[4] != '-' {
		return ID{}, false
	}
	digits := strings.ToUpper(v[:4] + v[5:])
	if !text.IsDigits(digits[:7]) {
		return ID{}, false
	}
	sum := 0
	for i := range 7 {
		sum += (8 - i) * int(digits[i]-'0')
	}
	if checkDigit(11-sum%11) != digits[7] {
		return ID{}, false
	}
	return ID{Scheme: ISSN, Value: v, URI: "https://portal.issn.org/resource/ISSN/" + strings.ToUpper(v)}, true
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
func parseBibcode(v string) (ID, bool) {
	if len(v) != 19 || !text.IsDigits(v[:4]) || v[18] < 'A' || v[18] > 'Z' || !strings.Contains(v, ".") {
		return ID{}, false
	}
	for i := 4; i < 18; i++ {
		if c := v[i]; !text.IsLetter(c) && !text.IsDigit(c) && c != '.' && c != '&' {
			return ID{}, false
		}
	}
	return ID{Scheme: Bibcode, Value: v, URI: "https://ui.adsabs.harvard.edu/abs/" + v}, true
}

// parseOAI reads an OAI identifier. arXiv's name what arXiv's own do.
func parseOAI(v string) (ID, bool) {
	host, local, ok := strings.Cut(v[len("oai:"):], ":")
	if !ok || host == "" || local == "" || text.HasSpace(v) {
		return ID{}, false
	}
	if strings.EqualFold(host, "arXiv.org") {
		return parseArXiv(local)
	}
	return opaque(oaiName, v, true)
}

// opaque is an identifier that has no address on the web.
func opaque(scheme Scheme, v string, ok bool) (ID, bool) {
	if !ok || text.HasSpace(v) {
		return ID{}, false
	}
	return ID{Scheme: scheme, Value: v}, true
}

var (
	// inPath writes the value of an identifier as the path of a URL. A percent
	// sign in it is its own.
	inPath = uri.Encoder{Keep: uri.Printable("%#?" + uri.NotInURI)}
	// inURI encodes what may not stand in a URI. RFC 3986, 2.
	inURI = uri.Encoder{Keep: uri.Printable(uri.NotInURI)}
)
