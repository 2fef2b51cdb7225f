package vocabulary

import (
	"strings"
	"sync"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// Class is the class of schema.org that a type stands for.
type Class struct {
	URI string
	// Rank orders the classes of several types: the highest tells most.
	// CreativeWork tells least, except for what is none, such as an event.
	Rank       int
	Vocabulary string // that the value is from; "label" if it is from none

	why string // it is no type; "" if it is one
}

// TypeOf returns the class of schema.org for a value of dc:type: a URI or a
// label of a known vocabulary, or what repositories call things. Some servers
// put several words into one element. Versions, access rights and review
// markers are no types.
func TypeOf(value string) (Class, bool) {
	if t, ok := oneType(value); ok {
		return t, true
	}
	if len(value) > maxStatement || !strings.ContainsAny(value, separators) {
		return Class{}, false
	}
	var best Class
	found := false
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if t, ok := oneType(withoutLanguage(text.Clean(part))); ok && (!found || t.Rank > best.Rank) {
			best, found = t, true
		}
	}
	return best, found
}

// separators stand between types in one element: beside each other, or the
// narrower one after the broader, as MyCoRe has "Abschlussarbeiten » Dissertation".
const separators = ";|»>"

// withoutLanguage drops the language before a part of "sv=artikel|en=article".
func withoutLanguage(part string) string {
	if len(part) > 3 && part[2] == '=' {
		return part[3:]
	}
	return part
}

func oneType(value string) (Class, bool) {
	t := types()
	v := text.Clean(value)
	if vocabulary, term, ok := typeURI(v); ok {
		if vocabulary == schemaOrg {
			return typeOfSchema(term)
		}
		m, ok := t.in[typeKey{vocabulary, typeFold(term)}]
		return m, ok && m.URI != ""
	}
	if m, ok := t.any[typeFold(typePrefix(v))]; ok {
		return m, m.URI != ""
	}
	return typeOfMedia(v)
}

const schemaOrg = "schema.org"

// typeOfSchema is a class of schema.org by its own name. Those of web pages are
// of the page about an object.
func typeOfSchema(class string) (Class, bool) {
	if class == "" || class[0] < 'A' || 'Z' < class[0] || !text.IsAlphanumeric(class) || class == "Thing" || strings.HasSuffix(class, "Page") {
		return Class{}, false
	}
	return Class{URI: "https://schema.org/" + class, Rank: typeRank(schemaOrg, class, "exact"), Vocabulary: schemaOrg}, true
}

// typeOfMedia reads a media type where a type should be: it tells an image, a
// sound and a film; what is in an "application/pdf" it does not.
func typeOfMedia(v string) (Class, bool) {
	v = strings.ToLower(v)
	if !IsMediaType(v) {
		return Class{}, false
	}
	top, _, _ := strings.Cut(v, "/")
	m := Class{Rank: 3, Vocabulary: "media type"}
	switch top {
	case "image":
		m.URI = "https://schema.org/ImageObject"
	case "audio":
		m.URI = "https://schema.org/AudioObject"
	case "video":
		m.URI = "https://schema.org/VideoObject"
	}
	return m, m.URI != ""
}

// TypeIn is TypeOf for a value said to be of a vocabulary: "datacite"
// for resourceTypeGeneral, "coar", "dcmi", "eprint", "info:eu-repo", or a name
// that contains one of these. A value that is not in it is not found.
func TypeIn(vocabulary, value string) (Class, bool) {
	v := text.Clean(value)
	if name, term, ok := typeURI(v); ok {
		vocabulary, v = name, term
	}
	m, ok := types().in[typeKey{typeVocabulary(vocabulary), typeFold(v)}]
	return m, ok && m.URI != ""
}

type typeKey struct{ vocabulary, value string }

// typeTable is tables/types.tsv, folded for look-up.
type typeTable struct {
	in  map[typeKey]Class
	any map[string]Class // in any vocabulary: what repositories call things, then the highest rank
}

var types = sync.OnceValue(func() typeTable {
	t := typeTable{map[typeKey]Class{}, map[string]Class{}}
	for _, row := range rows("types") {
		vocabulary, value, class, fit := row[0], row[1], row[2], row[3]
		m := Class{Rank: typeRank(vocabulary, class, fit), Vocabulary: vocabulary}
		if class != "" {
			m.URI = "https://schema.org/" + class
		} else {
			m.why = notTypes[fit]
		}
		if _, term, ok := typeURI(value); ok {
			value = term
		}
		key := typeFold(value)
		t.in[typeKey{vocabulary, key}] = m
		if vocabulary == scopeCodes {
			continue
		}
		if old, ok := t.any[key]; !ok || m.tells(old) {
			t.any[key] = m
		}
	}
	return t
})

// tells reports whether a class is to stand for a word instead of an old one.
// COAR has a letter that is an article; what archives call one is none.
func (c Class) tells(old Class) bool {
	if c.URI != old.URI && (c.Vocabulary == label) != (old.Vocabulary == label) {
		return c.Vocabulary == label
	}
	return c.URI != "" && c.Rank > old.Rank
}

// label is the vocabulary of the words that are of none.
const label = "label"

// scopeCodes are those of ISO 19115: a series is one of data sets, which it is
// nowhere else.
const scopeCodes = "iso19115"

// notTypes says why a value is no type, by the last field of its row.
var notTypes = map[string]string{
	"version": "says which version it is, and names no type",
	"review":  "says whether it was reviewed, and names no type",
	"access":  "says who may open it, and names no type",
	"none":    "names no type",
}

// WhyNoType says why TypeOf finds no type in a value.
func WhyNoType(value string) string {
	t, v := types(), text.Clean(value)
	class, ok := t.any[typeFold(typePrefix(v))]
	if vocabulary, term, isURI := typeURI(v); isURI {
		class, ok = t.in[typeKey{vocabulary, typeFold(term)}]
	}
	if ok && class.why != "" {
		return class.why
	}
	return "not a known type"
}

// typeRank says how much a type tells. The classes of DCMI are so few that any
// other vocabulary tells more.
func typeRank(vocabulary, class, fit string) int {
	switch {
	case class == "" || fit == "other":
		return 0
	case class == "CreativeWork" && fit == "weak":
		return 1
	case class == "CreativeWork":
		return 2
	case fit == "weak":
		return 3
	case fit == "approx", vocabulary == "dcmi":
		return 4
	}
	return exactRank
}

// exactRank is that of a value which says exactly what the class does.
const exactRank = 5

// typeURI takes the URI of a type apart.
func typeURI(v string) (vocabulary, term string, ok bool) {
	host, path, isURL := uri.Split(v)
	if !isURL {
		for _, prefix := range [...]string{"info:eu-repo/semantics/", "info:eu-repo/semantic/"} {
			if term, ok := text.CutPrefixFold(v, prefix); ok {
				return "info:eu-repo", term, true
			}
		}
		return "", "", false
	}
	path = strings.TrimRight(path, "/")
	for _, base := range [...]struct{ at, vocabulary string }{
		{"purl.org/coar/resource_type/", "coar"}, {"purl.org/coar/version/", "coar"}, {"purl.org/coar/access_right/", "coar"}, {"vocabularies.coar-repositories.org/resource_types/", "coar"},
		{"purl.org/dc/dcmitype/", "dcmi"}, {"purl.org/eprint/type/", "eprint"}, {"schema.org/", schemaOrg},
		{"purl.org/info:eu-repo/semantics/", "info:eu-repo"},
	} {
		if term, ok := text.CutPrefixFold(strings.TrimPrefix(host, "www.")+path, base.at); ok {
			return base.vocabulary, term, true
		}
	}
	return "", "", false
}

// typePrefix drops the words that some repositories put before every type:
// those of national vocabularies, such as info:ar-repo, and the address of
// MyCoRe's own among them.
func typePrefix(v string) string {
	for _, mark := range [...]string{"-repo/semantics/", "/mir_genres#"} {
		if _, term, ok := strings.Cut(v, mark); ok {
			return term
		}
	}
	for _, prefix := range [...]string{"doc-type:", "publications:", "publication:", "info:"} {
		if rest, ok := text.CutPrefixFold(v, prefix); ok {
			return rest
		}
	}
	return v
}

// typeVocabulary reads the name, or address, of a vocabulary.
func typeVocabulary(name string) string {
	name = strings.ToLower(name)
	for _, v := range [...]struct{ word, vocabulary string }{
		{"datacite", "datacite"}, {"resourcetypegeneral", "datacite"}, {"coar", "coar"}, {"dcmi", "dcmi"},
		{"eu-repo", "info:eu-repo"}, {"eprint", "eprint"},
	} {
		if strings.Contains(name, v.word) {
			return v.vocabulary
		}
	}
	return name
}

// typeFold drops spaces too: "Journal Article", "JournalArticle" and
// "journal_article" are one.
func typeFold(v string) string {
	return strings.ReplaceAll(text.Fold(v), " ", "")
}
