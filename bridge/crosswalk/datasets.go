package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// What formats of data centres (DIF, EML, FGDC, ISO 19139) have in common: in
// the fields for addresses stand the page of the data set and its files, and
// as often the centre's home page, a project's, or a form to search with.

// sole takes one value alone for what a field is meant for. Of several that
// differ nothing says which it is.
func (s *Statements) sole(k Kind, list []element.Element) {
	keys := map[string]bool{}
	for _, e := range list {
		keys[identifier.NormalURL(e.Text())] = true
	}
	if len(keys) > 1 {
		k = Identifier
	}
	s.each(k, list)
}

// entrance sorts out an address that cannot be that of a single data set.
func (s *Statements) entrance(e element.Element) bool {
	if !isEntrance(e.Text()) {
		return false
	}
	s.related(e, "a home page, or a form to search with")
	return true
}

// isEntrance reports whether an address is the first page of a site, or the
// form with which it is searched, and so is that of no single data set.
func isEntrance(address string) bool {
	a, ok := uri.Parse(address)
	if !ok {
		return false
	}
	path, query, _ := strings.Cut(strings.ToLower(a.Rest), "?")
	path = strings.Trim(path, "/")
	switch path {
	case "", "index.html", "index.htm", "index.php", "index.jsp", "home":
		return query == ""
	}
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	return strings.HasSuffix(name, "search") && !strings.HasSuffix(name, "research")
}

// namesDataset reports whether an address contains what a centre calls its
// data set. A word that many sites have in their addresses is no name.
func namesDataset(address, name string) bool {
	a, ok := uri.Parse(address)
	if !ok || len(name) > identifier.MaxLength || !strings.ContainsAny(name, "0123456789") {
		return false
	}
	id := identifier.SplitOAI(name, "")
	return id.In(a) >= identifier.FullMatch
}

// saysPage and saysOther read the description of an address.
func saysPage(description string) bool {
	return text.ContainsAny(strings.ToLower(description), "landing page", "top-level access page")
}

func saysOther(description string) bool {
	return text.ContainsAny(strings.ToLower(description), "home page", "homepage", "project", "search")
}
