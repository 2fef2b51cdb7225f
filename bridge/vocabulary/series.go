package vocabulary

import (
	"slices"
	"strings"

	"fingerpost/bridge/text"
)

// SeriesType returns the type of what is in a collection, if its name says so
// of everything in it: "Doctoral Dissertations", but not "Dissertations and
// Capstone Projects".
func SeriesType(name string) (Class, bool) {
	words := strings.Fields(text.Fold(name))
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	if class, ok := TypeOf(name); ok && class.Rank == exactRank && !isSerial(class) {
		return class, true
	}
	switch {
	case has("other", "capstone", "capstones", "project", "projects", "papers", "publications", "presentations", "posters",
		"reports", "articles", "essays", "proposals", "abstracts", "works", "guide", "guides", "guidelines", "forms", "awards"):
		return Class{}, false
	case has("thesis", "theses", "dissertation", "dissertations"):
		return TypeOf("thesis")
	case strings.HasSuffix(text.Fold(name), "research report"), strings.HasSuffix(text.Fold(name), "technical report"):
		return TypeOf("report")
	}
	return Class{}, false
}

// isSerial reports whether a class is that of what appears in parts: a
// collection with such a name is one, and its objects are the parts.
func isSerial(c Class) bool {
	switch strings.TrimPrefix(c.URI, "https://schema.org/") {
	case "Periodical", "Newspaper", "PublicationVolume", "Collection", "WebSite":
		return true
	}
	return false
}
