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

// Agent is a person or an organisation.
type Agent struct {
	Name          Value
	Family, Given Value // as stated, or as the comma has them if it is a person
	Kind          Value // "Person" or "Organization"; "" if it is not said
	ID            Value // as a URI
	Scheme        string
	Role          Value
	Affiliations  []Value
}

// agentsOf reads creators or contributors. What is said of one stands together,
// in a group.
func agentsOf(s said, kinds []crosswalk.Kind) (out []Agent) {
	list := s.most(func(st *crosswalk.Statement) bool {
		return slices.Contains(kinds, st.Kind) && bridge.IsName(text.Plain(st.Value, longestValue))
	})
	if len(list) == 0 {
		list = s.richest(kinds...) // identifiers alone
	}
	if len(list) == 0 {
		return nil
	}
	for _, group := range s.groups(list[0].Doc, saysAgent) {
		if !slices.ContainsFunc(group, func(st *crosswalk.Statement) bool { return slices.Contains(kinds, st.Kind) }) {
			continue
		}
		if a := agentOf(group); (a.Name.Text != "" || a.ID.Text != "") && len(out) < mostValues && !slices.ContainsFunc(out, a.same) {
			out = append(out, a)
		}
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
		a.Kind = a.ID.as("Person")
	}
	if a.Name.Text == "" && a.Family.Text != "" { // MODS may state the parts alone
		a.Name = joined(", ", a.Family, a.Given)
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
	a.Family, a.Given = a.Name.as(family), a.Name.as(given)
}

func (a *Agent) add(st *crosswalk.Statement) {
	v := stated(st, longestValue)
	switch st.Kind {
	case crosswalk.Creator, crosswalk.CreatorName, crosswalk.Contributor:
		if st.Kind == crosswalk.Contributor && st.Qualifier != "" {
			a.Role = of(st, st.Qualifier)
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
		a.Given = joined(" ", a.Given, v)
	case crosswalk.NameType:
		a.Kind = of(st, nameTypes[strings.ToLower(v.Text)])
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
		a.ID, a.Scheme = of(st, id.URI), string(id.Scheme)
	}
}

// nameTypes are what the formats call persons and organisations.
var nameTypes = map[string]string{
	"personal": "Person", "person": "Person", "organizational": "Organization", "organisational": "Organization",
	"corporate": "Organization", "organization": "Organization",
}

// named are the agents that have a name.
func named(list []Agent) (out []Agent) {
	for _, a := range list {
		if a.Name.Text != "" {
			out = append(out, a)
		}
	}
	return out
}

func namesOf(list []Agent) (out []Value) {
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
}

// editors are the contributors that are said to be that.
func editors(contributors []Agent) (out []Agent) {
	for _, a := range contributors {
		if isEditor(a) {
			out = append(out, a)
		}
	}
	return out
}

func notEditors(contributors []Agent) []Agent {
	return slices.DeleteFunc(slices.Clone(contributors), isEditor)
}

func isEditor(a Agent) bool {
	switch strings.ToLower(a.Role.Text) {
	case "editor", "edt":
		return true
	}
	return false
}
