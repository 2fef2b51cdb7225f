package identifier

import (
	"errors"
	"slices"
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// Why Author refuses a value. Each completes the sentence "the value …".
var (
	errChecksum      = errors.New("has a wrong check digit, so it is mistyped")
	errUnassigned    = errors.New("stands for no identifier: it is all zeros")
	errUnknownAuthor = errors.New("is no persistent identifier of a person or organisation with a known scheme")
	errMalformed     = errors.New("does not have the form of its scheme")
)

// Author returns the persistent identifier of a person or an organisation. The
// value is that identifier, or a name with one ORCID iD after it, as in
// "Doe, Jane ; ORCID 0000-0002-1825-0097" and "Doe, Jane [0000-…]". scheme is
// what the metadata calls it, such as DataCite's nameIdentifierScheme or its
// schemeURI; "" if it does not say. The error says why there is none.
func Author(value, scheme string) (ID, error) {
	id, err := parseAuthor(value, scheme)
	if err == nil || scheme != "" {
		return id, err
	}
	if orcid, ok := orcidIn(value); ok {
		return parseAuthor(orcid, "ORCID")
	}
	return ID{}, err
}

// authorSchemes are the schemes of authors, best first: those that people
// maintain themselves, then those of all countries.
var authorSchemes = [...]Scheme{ORCID, ISNI, ROR, GND, VIAF, Wikidata, IdRef, Lattes}

// AuthorRank orders the identifiers of one author: the lowest is the best.
func (i ID) AuthorRank() int {
	return slices.Index(authorSchemes[:], i.Scheme)
}

// authorIdentifier is parseAuthor without the reason.
func authorIdentifier(v, scheme string) (ID, bool) {
	id, err := parseAuthor(v, scheme)
	return id, err == nil
}

func parseAuthor(value, scheme string) (ID, error) {
	v := strings.TrimRight(text.Bare(value), "/")
	kind, rest := authorScheme(v, scheme)
	switch kind {
	case ORCID, ISNI:
		return parseISNI(kind, rest)
	case ROR:
		return parseROR(rest)
	case GND:
		return authorID(GND, rest, "https://d-nb.info/gnd/", isGND(rest))
	case VIAF:
		return authorID(VIAF, rest, "https://viaf.org/viaf/", text.IsDigits(rest))
	case Wikidata:
		return authorID(Wikidata, rest, "https://www.wikidata.org/entity/", strings.HasPrefix(rest, "Q") && text.IsDigits(rest[1:]))
	case IdRef:
		return authorID(IdRef, rest, "https://www.idref.fr/", len(rest) == 9 && isGND(rest))
	case Lattes:
		return authorID(Lattes, rest, "https://lattes.cnpq.br/", len(rest) == 16 && text.IsDigits(rest))
	}
	return ID{}, errUnknownAuthor
}

// authorScheme says which scheme a value is of, and returns it bare: by what
// the value itself says, then by what the metadata says, then by its shape.
func authorScheme(v, scheme string) (Scheme, string) {
	if host, path, ok := uri.Split(v); ok {
		return authorHost(strings.TrimPrefix(host, "www."), path[min(len(path), 1):])
	}
	for _, s := range [...]struct {
		prefix string
		scheme Scheme
	}{
		{"orcid.org/", ORCID}, {"orcid:", ORCID}, {"orcid ", ORCID}, {"isni:", ISNI}, {"isni ", ISNI},
		{"ror.org/", ROR}, {"ror:", ROR}, {"gnd:", GND}, {"(DE-588)", GND}, {"viaf:", VIAF}, {"wikidata:", Wikidata},
	} {
		if rest, ok := text.CutPrefixFold(v, s.prefix); ok {
			return s.scheme, strings.TrimSpace(rest)
		}
	}
	if s := namedScheme(scheme); s != "" {
		return s, v
	}
	if scheme == "" && len(v) == 19 && strings.Count(v, "-") == 3 {
		return ORCID, v // only ORCID writes hyphens
	}
	return "", v
}

// authorHost reads an identifier's URL.
func authorHost(host, path string) (Scheme, string) {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case host == "orcid.org":
		return ORCID, last
	case host == "isni.org":
		return ISNI, last
	case host == "ror.org":
		return ROR, last
	case host == "d-nb.info" && strings.HasPrefix(path, "gnd/"):
		return GND, last
	case host == "viaf.org" && strings.HasPrefix(path, "viaf/"):
		return VIAF, last
	case host == "wikidata.org" && (strings.HasPrefix(path, "wiki/") || strings.HasPrefix(path, "entity/")):
		return Wikidata, last
	case host == "idref.fr":
		return IdRef, last
	case host == "lattes.cnpq.br":
		return Lattes, last
	}
	return "", path
}

// namedScheme reads the name of a scheme as metadata gives it, or the address
// of the scheme.
func namedScheme(name string) Scheme {
	name = strings.ToLower(name)
	for _, s := range [...]struct {
		word   string
		scheme Scheme
	}{
		{"orcid", ORCID}, {"isni", ISNI}, {"ror.org", ROR}, {"gnd", GND}, {"d-nb.info", GND},
		{"viaf", VIAF}, {"wikidata", Wikidata}, {"idref", IdRef}, {"lattes", Lattes},
	} {
		if strings.Contains(name, s.word) {
			return s.scheme
		}
	}
	if strings.TrimSpace(name) == "ror" {
		return ROR
	}
	return ""
}

// parseISNI reads the sixteen digits of an ISNI, of which ORCID iDs are a
// part: their check digit is that of ISO 7064, mod 11-2.
func parseISNI(kind Scheme, v string) (ID, error) {
	digits := strings.ToUpper(without(v, "- \u2010\u2013"))
	if len(digits) != 16 || !text.IsDigits(digits[:15]) {
		return ID{}, errMalformed
	}
	if strings.Trim(digits[:15], "0") == "" || kind == ORCID && digits[:8] == "00000000" {
		return ID{}, errUnassigned
	}
	if digits[15] != mod11_2(digits[:15]) {
		return ID{}, errChecksum
	}
	if kind == ORCID || isORCID(digits) {
		v = digits[:4] + "-" + digits[4:8] + "-" + digits[8:12] + "-" + digits[12:]
		return ID{Scheme: ORCID, Value: v, URI: "https://orcid.org/" + v}, nil
	}
	return ID{Scheme: ISNI, Value: digits, URI: "https://isni.org/isni/" + digits}, nil
}

// isORCID reports whether an ISNI lies in the blocks that are reserved for
// ORCID, so that it is no ISNI but an ORCID iD called one.
func isORCID(digits string) bool {
	return digits >= "0000000150000007" && digits <= "0000000350000001" ||
		digits >= "0009000000000000" && digits <= "0009001000000000"
}

// mod11_2 is the check digit of ISO 7064, mod 11-2.
func mod11_2(digits string) byte {
	total := 0
	for i := 0; i < len(digits); i++ {
		total = (total + int(digits[i]-'0')) * 2
	}
	n := (12 - total%11) % 11
	if n == 10 {
		return 'X'
	}
	return '0' + byte(n)
}

// parseROR reads a ROR ID: a zero, six characters of Crockford's base 32, and
// two check digits of ISO 7064, mod 97-10.
func parseROR(v string) (ID, error) {
	v = strings.ToLower(v)
	if len(v) != 9 || v[0] != '0' || !text.IsDigits(v[7:]) {
		return ID{}, errMalformed
	}
	n := 0
	for i := range 7 {
		digit := strings.IndexByte("0123456789abcdefghjkmnpqrstvwxyz", v[i])
		if digit < 0 {
			return ID{}, errMalformed
		}
		n = n*32 + digit
	}
	if want := 98 - n*100%97; int(v[7]-'0')*10+int(v[8]-'0') != want {
		return ID{}, errChecksum
	}
	return ID{Scheme: ROR, Value: v, URI: "https://ror.org/" + v}, nil
}

// isGND is digits with hyphens, the last perhaps an X.
func isGND(v string) bool {
	digits := strings.ReplaceAll(strings.TrimSuffix(v, "X"), "-", "")
	return len(v) >= 5 && len(v) <= 16 && text.IsDigits(digits)
}

func authorID(scheme Scheme, v, base string, ok bool) (ID, error) {
	if !ok {
		return ID{}, errMalformed
	}
	return ID{Scheme: scheme, Value: v, URI: base + v}, nil
}
