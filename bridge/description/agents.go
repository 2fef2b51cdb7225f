package description

import (
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
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
	Affiliations  []Affiliation
}

// Affiliation is an organisation that somebody belongs to.
type Affiliation struct{ Name, ID Value }

// scheme is what the metadata calls that of the identifier.
func (a Affiliation) scheme() Value {
	if a.ID.Text == "" {
		return Value{}
	}
	return a.ID.as(a.ID.From.Scheme)
}

// agentsOf reads those who made an object, or who contributed to it, in the
// record that names most of them. What is said of one stands together, in a
// group.
func agentsOf(s said, kinds []crosswalk.Kind) (best []Agent) {
	for rest := s; len(rest) > 0; {
		record := rest.record(rest[0].Doc)
		rest = rest[len(record):]
		if list := agentsIn(record, kinds); best == nil || len(named(list)) > len(named(best)) {
			best = list
		}
	}
	return best
}

func agentsIn(record said, kinds []crosswalk.Kind) (out []Agent) {
	for _, group := range record.groups(saysAgent) {
		if !isOf(kinds, group) {
			continue
		}
		if a := agentOf(group); (a.Name.Text != "" || a.ID.Text != "") && len(out) < mostValues && !slices.ContainsFunc(out, a.same) {
			out = append(out, a)
		}
	}
	return out
}

// isOf reports whether a group is about creators or contributors. MODS may state
// the parts of a name alone: without a role it is a creator's.
func isOf(kinds []crosswalk.Kind, group []*crosswalk.Statement) bool {
	part := (*crosswalk.Statement)(nil)
	for _, st := range group {
		switch {
		case slices.Contains(kinds, st.Kind):
			return true
		case slices.Contains(creatorKinds, st.Kind), slices.Contains(contributorKinds, st.Kind):
			return false
		case st.Kind == crosswalk.FamilyName:
			part = st
		}
	}
	return part != nil && (part.Qualifier == "") == slices.Contains(kinds, crosswalk.Creator)
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
		// UNTL has other words beside the name.
		if better := a.Name.Text == "" || st.Kind == crosswalk.CreatorName && a.Name.From.Kind == crosswalk.Creator; better && bridge.IsName(v.Text) {
			a.Name = v
		}
	case crosswalk.CreatorID, crosswalk.ContributorID:
		a.identify(st)
	case crosswalk.FamilyName:
		if a.Family = v; st.Qualifier != "" {
			a.Role = of(st, st.Qualifier)
		}
	case crosswalk.GivenName:
		a.Given = joined(" ", a.Given, v)
	case crosswalk.NameType:
		a.Kind = of(st, nameTypes[strings.ToLower(v.Text)])
	case crosswalk.Affiliation:
		if v.Text != "" && !slices.ContainsFunc(a.Affiliations, func(o Affiliation) bool { return o.Name.Text == v.Text }) {
			a.Affiliations = append(a.Affiliations, Affiliation{Name: v})
		}
	case crosswalk.AffiliationID:
		if n := len(a.Affiliations); n > 0 && a.Affiliations[n-1].Name.From.At == st.At {
			a.Affiliations[n-1].ID = v
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
