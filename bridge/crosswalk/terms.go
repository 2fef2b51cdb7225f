package crosswalk

import "fingerpost/bridge/element"

// term is what an element or a type means that a format has a name for.
type term struct {
	kind      Kind
	qualifier string
}

// add adds the text of an element by what its format calls it; false if terms
// does not have that name.
func (s *Statements) add(terms map[string]term, name string, e element.Element, scheme string) bool {
	t, ok := terms[name]
	if ok && s.wants(t.kind) {
		s.say(Statement{Kind: t.kind, At: e, Value: e.Text(), Scheme: scheme, Qualifier: t.qualifier})
	}
	return ok
}

// addChildren does so for all children, and does not mind what has no term.
func (s *Statements) addChildren(terms map[string]term, parent element.Element) {
	for e := range parent.Children() {
		s.add(terms, e.Local(), e, "")
	}
}

// addDescendants does so for all that is in an element.
func (s *Statements) addDescendants(terms map[string]term, parent element.Element) {
	for e := range parent.Descendants() {
		s.add(terms, e.Local(), e, "")
	}
}

// each adds the texts of elements.
func (s *Statements) each(k Kind, list []element.Element) {
	for _, e := range list {
		s.text(k, e, "")
	}
}
