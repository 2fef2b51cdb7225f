package description

import (
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

var creatorKinds = []crosswalk.Kind{crosswalk.Creator, crosswalk.CreatorName, crosswalk.CreatorID}
var contributorKinds = []crosswalk.Kind{crosswalk.Contributor, crosswalk.ContributorID}

// agents reads creators and contributors. What is said of one stands together,
// in a group.
func (r reader) agents() {
	r.Creators = r.agentsOf(creatorKinds)
	r.Contributors = r.agentsOf(contributorKinds)
}

func (r reader) agentsOf(kinds []crosswalk.Kind) []Agent {
	list := r.most(func(st *crosswalk.Statement) bool {
		return slices.Contains(kinds, st.Kind) && bridge.IsName(text.Plain(st.Value, longestValue))
	})
	if len(list) == 0 {
		list = r.richest(kinds...) // identifiers alone
	}
	if len(list) == 0 {
		return nil
	}
	var out []Agent
	for _, group := range r.groups(list[0].Doc) {
		if !slices.ContainsFunc(group, func(st *crosswalk.Statement) bool { return slices.Contains(kinds, st.Kind) }) {
			continue
		}
		if a := agentOf(group); (a.Name.Text != "" || a.ID.Text != "") && len(out) < mostValues && !slices.ContainsFunc(out, a.same) {
			out = append(out, a)
		}
	}
	return out
}

// groups returns what one record says of each person or organisation.
func (r reader) groups(doc uint8) (out [][]*crosswalk.Statement) {
	last := -1
	for i := range r.list {
		st := &r.list[i]
		if st.Doc != doc || !saysAgent(st.Kind) {
			continue
		}
		if int(st.Group) != last {
			out, last = append(out, nil), int(st.Group)
		}
		out[len(out)-1] = append(out[len(out)-1], st)
	}
	return out
}

func saysAgent(k crosswalk.Kind) bool {
	switch k {
	case crosswalk.Creator, crosswalk.CreatorName, crosswalk.CreatorID, crosswalk.Contributor, crosswalk.ContributorID,
		crosswalk.FamilyName, crosswalk.GivenName, crosswalk.NameType, crosswalk.Affiliation, crosswalk.AffiliationID:
		return true
	}
	return false
}

func (a Agent) same(b Agent) bool {
	return a.Name.Text == b.Name.Text && a.ID.Text == b.ID.Text && a.Role.Text == b.Role.Text
}

func agentOf(group []*crosswalk.Statement) (a Agent) {
	for _, st := range group {
		a.add(st)
	}
	if a.Kind.Text == "" && a.Scheme == string(identifier.ORCID) {
		a.Kind = Value{"Person", a.ID.From}
	}
	if a.Name.Text == "" && a.Family.Text != "" { // MODS may state the parts alone
		a.Name = a.Family
		if a.Given.Text != "" {
			a.Name.Text += ", " + a.Given.Text
		}
	}
	a.split()
	return a
}

// split parts the name of a person at its only comma.
func (a *Agent) split() {
	family, given, ok := strings.Cut(a.Name.Text, ", ")
	if a.Kind.Text != "Person" || a.Family.Text != "" || !ok || strings.Contains(given, ",") {
		return
	}
	a.Family, a.Given = Value{family, a.Name.From}, Value{given, a.Name.From}
}

func (a *Agent) add(st *crosswalk.Statement) {
	v := Value{text.Plain(st.Value, longestValue), st}
	switch st.Kind {
	case crosswalk.Creator, crosswalk.CreatorName, crosswalk.Contributor:
		if st.Kind == crosswalk.Contributor && st.Qualifier != "" {
			a.Role = Value{st.Qualifier, st}
		}
		a.identify(st)
		if a.Name.Text == "" && bridge.IsName(v.Text) {
			a.Name = v
		}
	case crosswalk.CreatorID, crosswalk.ContributorID:
		a.identify(st)
	case crosswalk.FamilyName:
		a.Family = v
	case crosswalk.GivenName:
		a.Given = Value{strings.TrimSpace(a.Given.Text + " " + v.Text), st}
	case crosswalk.NameType:
		a.Kind = Value{nameTypes[strings.ToLower(v.Text)], st}
	case crosswalk.Affiliation:
		if v.Text != "" && !slices.ContainsFunc(a.Affiliations, func(o Value) bool { return o.Text == v.Text }) {
			a.Affiliations = append(a.Affiliations, v)
		}
	}
}

// identify takes the first identifier of a known scheme.
func (a *Agent) identify(st *crosswalk.Statement) {
	if a.ID.Text != "" {
		return
	}
	if id, err := identifier.Author(st.Value, st.Scheme); err == nil {
		a.ID, a.Scheme = Value{id.URI, st}, string(id.Scheme)
	}
}

// nameTypes are what the formats call persons and organisations.
var nameTypes = map[string]string{
	"personal": "Person", "person": "Person", "organizational": "Organization", "organisational": "Organization",
	"corporate": "Organization", "organization": "Organization",
}
