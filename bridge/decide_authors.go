package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
)

// namedAuthor is a creator with an identifier.
type namedAuthor struct {
	identifier.ID
	from *crosswalk.Statement
}

// authors returns the persistent identifiers of the creators, in their order:
// one for each. Contributors and affiliations are not authors.
func authors(v *view) []string {
	var found []namedAuthor
	v.eachOf(crosswalk.Creator, crosswalk.CreatorID, func(st *crosswalk.Statement) {
		id, err := identifier.Author(st.Value, st.Scheme)
		if err != nil {
			if v.notes.wanted() {
				v.notes.reject(relAuthor, "", err.Error(), st)
			}
			return
		}
		a := namedAuthor{id, st}
		if n := len(found); n > 0 && found[n-1].from.Doc == st.Doc && found[n-1].from.Group == st.Group {
			found[n-1] = v.notes.preferred(found[n-1], a)
			return
		}
		found = append(found, a)
	})
	out := slices.Compact(v.ruled.authors)
	for _, a := range found {
		if slices.Contains(out, a.URI) {
			v.notes.reject(relAuthor, "", "the same author once more", a.from)
			continue
		}
		v.notes.accept(relAuthor, a.URI, "creator", a.from)
		out = append(out, a.URI)
	}
	return out
}

// preferred returns the better of two identifiers of one person.
func (n *notes) preferred(a, b namedAuthor) namedAuthor {
	if b.AuthorRank() < a.AuthorRank() {
		a, b = b, a
	}
	n.reject(relAuthor, "", "another identifier of the same person is preferred", b.from)
	return a
}

// IsName reports whether what stands as a creator is a name, and not only an
// identifier.
func IsName(value string) bool {
	return strings.Trim(value, "0123456789-xX ./") != "" && !strings.Contains(value, "://")
}
