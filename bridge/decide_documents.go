package bridge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// Documents says which documents the metadata states enough for. They are made
// of the records when they are asked for; links to them are made without.
type Documents int

const (
	Citation Documents = 1 << iota // schema.org, CSL-JSON, BibTeX, RIS: a title
	CDIF                           // and something about rights
	DataCite                       // and a creator, a publisher, a sure year, a type
	DCAT                           // a title, and that it is a data set
)

// documents decides by what is stated of each kind, in whatever record. Where
// one of several values is no text, it does not rely on the others.
func documents(v *view, o Object, dated bool) (out Documents) {
	var has [crosswalk.Publisher + 1]bool
	named, short, empty := false, false, false
	for i := range v.statements.List {
		st := &v.statements.List[i]
		switch st.Kind {
		case crosswalk.Title:
			n := shown(st.Value)
			short = short || n < shortestTitle
			empty = empty || n == 0
		case crosswalk.Creator, crosswalk.CreatorName:
			named = named || IsName(st.Value)
		case crosswalk.Publisher, crosswalk.Rights, crosswalk.Licence:
			empty = empty || shown(st.Value) == 0
		default:
			continue
		}
		has[st.Kind] = true
	}
	if !has[crosswalk.Title] || empty {
		return 0
	}
	out = Citation
	if !short && (o.License != "" || has[crosswalk.Rights] || has[crosswalk.Licence]) {
		out |= CDIF
	}
	if named && dated && has[crosswalk.Publisher] && o.Type != "" {
		out |= DataCite
	}
	if o.Type == "https://schema.org/Dataset" {
		out |= DCAT
	}
	return out
}

// shortestTitle is how many characters a name has at least in CDIF.
const shortestTitle = 3

// shown counts the characters of a value that are shown, up to shortestTitle.
func shown(value string) (n int) {
	if strings.ContainsAny(value, "<&") {
		return utf8.RuneCountInString(text.Plain(value, 100))
	}
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == shortestTitle {
				break
			}
		}
	}
	return n
}
