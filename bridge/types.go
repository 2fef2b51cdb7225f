package bridge

import (
	_ "embed"
	"strings"
	"sync"
)

// typeMatch is what typeOf found.
type typeMatch struct {
	uri string // of a class of schema.org
	// rank orders matches: of several types stated, the highest tells most.
	// CreativeWork tells least but for what is none, such as an event.
	rank       int
	vocabulary string // that the value is from; "label" if it is from none
}

// typeOf returns the class of schema.org for a value of dc:type: a URI or a
// label of a known vocabulary, or what repositories call things. Versions,
// access rights and review markers are no types.
func typeOf(value string) (typeMatch, bool) {
	t := types()
	v := cleanValue(value)
	if vocabulary, term, ok := typeURI(v); ok {
		m, ok := t.in[typeKey{vocabulary, typeFold(term)}]
		return m, ok && m.uri != ""
	}
	if m, ok := t.any[typeFold(typePrefix(v))]; ok {
		return m, m.uri != ""
	}
	return typeOfMedia(v)
}

// typeOfMedia reads a media type where a type should be: it tells an image, a
// sound and a film; what is in an "application/pdf" it does not.
func typeOfMedia(v string) (typeMatch, bool) {
	v = strings.ToLower(v)
	if !isMediaType(v) {
		return typeMatch{}, false
	}
	top, _, _ := strings.Cut(v, "/")
	m := typeMatch{rank: 3, vocabulary: "media type"}
	switch top {
	case "image":
		m.uri = "https://schema.org/ImageObject"
	case "audio":
		m.uri = "https://schema.org/AudioObject"
	case "video":
		m.uri = "https://schema.org/VideoObject"
	}
	return m, m.uri != ""
}

// typeOfVocabulary is typeOf for a value said to be of a vocabulary: "datacite"
// for resourceTypeGeneral, "coar", "dcmi", "eprint", "info:eu-repo", or a name
// that contains one of these. A value that is not in it is not found.
func typeOfVocabulary(vocabulary, value string) (typeMatch, bool) {
	v := cleanValue(value)
	if name, term, ok := typeURI(v); ok {
		vocabulary, v = name, term
	}
	m, ok := types().in[typeKey{typeVocabulary(vocabulary), typeFold(v)}]
	return m, ok && m.uri != ""
}

type typeKey struct{ vocabulary, value string }

// typeTable is tables/types.tsv, folded for look-up.
type typeTable struct {
	in  map[typeKey]typeMatch
	any map[string]typeMatch // whatever the vocabulary: the highest rank
}

//go:embed tables/types.tsv
var typesTSV string

var types = sync.OnceValue(func() typeTable {
	t := typeTable{map[typeKey]typeMatch{}, map[string]typeMatch{}}
	for _, row := range rows(typesTSV) {
		vocabulary, value, class, fit := row[0], row[1], row[2], row[3]
		m := typeMatch{rank: typeRank(vocabulary, class, fit), vocabulary: vocabulary}
		if class != "" {
			m.uri = "https://schema.org/" + class
		}
		if _, term, ok := typeURI(value); ok {
			value = term
		}
		key := typeFold(value)
		t.in[typeKey{vocabulary, key}] = m
		if old, ok := t.any[key]; !ok || m.uri != "" && m.rank > old.rank {
			t.any[key] = m
		}
	}
	return t
})

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
	return 5
}

// typeURI takes the URI of a type apart.
func typeURI(v string) (vocabulary, term string, ok bool) {
	host, path, isURL := splitURL(v)
	if !isURL {
		for _, prefix := range [...]string{"info:eu-repo/semantics/", "info:eu-repo/semantic/"} {
			if term, ok := cutPrefixFold(v, prefix); ok {
				return "info:eu-repo", term, true
			}
		}
		return "", "", false
	}
	path = strings.TrimRight(path, "/")
	for _, base := range [...]struct{ at, vocabulary string }{
		{"purl.org/coar/resource_type/", "coar"}, {"vocabularies.coar-repositories.org/resource_types/", "coar"},
		{"purl.org/dc/dcmitype/", "dcmi"}, {"purl.org/eprint/type/", "eprint"}, {"schema.org/", "schema.org"},
		{"purl.org/info:eu-repo/semantics/", "info:eu-repo"},
	} {
		if term, ok := cutPrefixFold(strings.TrimPrefix(host, "www.")+path, base.at); ok {
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
		if rest, ok := cutPrefixFold(v, prefix); ok {
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
	return strings.ReplaceAll(fold(v), " ", "")
}
