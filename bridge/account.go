package bridge

import (
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
)

// accounting says of every value why it led to no link.
type accounting struct {
	*view
	page  string // the landing page; "" if there is none
	shown bool   // of what it states, which is asked where the harvested metadata gives nothing
}

// account rejects, with the reason, every value that no decision spoke of.
func (a accounting) account() {
	if !a.notes.wanted() {
		return
	}
	looked := map[*crosswalk.Statement]*candidate{}
	for i := range a.candidates {
		looked[a.candidates[i].Statement] = &a.candidates[i]
	}
	for i := range a.statements.List {
		st := &a.statements.List[i]
		if !st.InLinks() {
			continue
		}
		a.notes.reject("", "", a.unused(st, looked[st]), st)
	}
}

// unused says why a value led to no link.
func (a accounting) unused(st *crosswalk.Statement, c *candidate) string {
	switch {
	case c != nil:
		return a.unusedCandidate(c)
	case st.Kind == crosswalk.Related:
		return "said to be something else: " + st.Qualifier
	case a.page == "":
		return "not considered, since there is no landing page"
	case a.shown && st.Kind == crosswalk.Page && SameURL(st.Value, a.page):
		return "the landing page once more"
	case a.shown:
		return "the harvested metadata goes before what the landing page states"
	}
	switch st.Kind {
	case crosswalk.Rights, crosswalk.Licence:
		if _, err := vocabulary.LicenceOf(st.Value); err != nil {
			return err.Error()
		}
		return "a licence is stated before it"
	case crosswalk.Type:
		if _, ok := a.class(st); ok {
			return "not more specific than the type taken"
		}
		return vocabulary.WhyNoType(st.Value)
	case crosswalk.Format:
		if _, ok := vocabulary.MediaTypeOf(st.Value); ok {
			return "not paired: there are not as many files as media types"
		}
		return "not a media type"
	case crosswalk.Date:
		return "only the year is kept"
	}
	return "another value of the same kind was taken"
}

// unusedCandidate says why a loose value led to no link.
func (a accounting) unusedCandidate(c *candidate) string {
	switch {
	case c.refused != "":
		return c.refused
	case c.isID && !c.id.Persistent():
		return string(c.id.Scheme) + " is never what to cite"
	case c.isID && !isIdentifier(c):
		return "an identifier of something related"
	case c.isID:
		return "an identifier that is not known to be the repository's own"
	case !c.isURL():
		return "neither a URL nor an identifier"
	case c.match == identifier.NoMatch && !c.own:
		return "on another host, without the local part of the OAI identifier"
	case c.match == identifier.NoMatch:
		return "without the local part of the OAI identifier"
	case c.match == identifier.PartMatch && a.page == "":
		return "only some of the local part of the OAI identifier is in it"
	case SameURL(c.URL, a.page):
		return "the landing page once more"
	case a.mapping.platform.Aggregator:
		return "a page of the aggregator"
	case !c.own:
		return "on another host, where the local part of the OAI identifier may be there by chance"
	}
	return "another page of the object"
}
