package description

import (
	"strings"

	"fingerpost/bridge"
)

// Explanation says where each value of a document comes from, or why there is no
// such document.
type Explanation struct {
	Identifier string           `json:"identifier"`
	Document   string           `json:"document"`
	Type       string           `json:"type"`
	Profile    string           `json:"profile"`
	Values     []ExplainedValue `json:"values"`
	Missing    []string         `json:"missing,omitempty"` // what the records do not state
	Reason     string           `json:"reason,omitempty"`  // why there is none, if for another reason
}

// ExplainedValue is a value of a document, the element it was made of, and, if it
// is that of a link, the rule of the link.
type ExplainedValue struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	From  string `json:"from"`
	Rule  string `json:"rule,omitempty"`
}

// ofTheFormat is where a value comes from that no element states: the format
// demands it, or a table has it.
const ofTheFormat = "fingerpost"

// Explain says where each value of a document comes from. What the links say too
// has the element and the rule of the link.
func (d *Description) Explain(doc Document, links bridge.Explanation) Explanation {
	e := Explanation{
		Identifier: d.Identifier, Document: doc.Name, Type: doc.MediaType, Profile: doc.ProfileIn(d.Object.Documents),
		Values: []ExplainedValue{}, Missing: missing(d, doc.Needs),
	}
	if len(e.Missing) == 0 && d.Object.Documents&doc.Needs == 0 {
		e.Missing = []string{"text in each title, publisher and right that is stated"}
	}
	if len(e.Missing) > 0 {
		return e
	}
	linked := sourcesOf(d, links)
	for _, l := range d.Lines(doc) {
		v := ExplainedValue{Path: l.Path, Value: l.Text, From: ofTheFormat}
		if l.From != nil {
			v.From = d.From(l.Value)
		}
		if of, ok := linked[l.Text]; ok && (l.From == nil || of.From == v.From) {
			v.From, v.Rule = of.From, of.Rule
		}
		e.Values = append(e.Values, v)
	}
	return e
}

// sourcesOf has the element and the rule of everything that the links say, in
// the forms in which documents write it.
func sourcesOf(d *Description, links bridge.Explanation) map[string]ExplainedValue {
	out := map[string]ExplainedValue{
		links.LandingPage: {From: links.PageFrom, Rule: links.PageRule},
		d.Changed:         {From: "the record's datestamp"},
	}
	for _, l := range links.Links {
		from := ExplainedValue{From: l.From, Rule: l.Rule}
		switch {
		case l.From == ofTheFormat:
			continue
		case l.TypeRule != "":
			typed := ExplainedValue{From: l.TypeFrom, Rule: l.TypeRule}
			out[l.Type], out[mediaTypes+l.Type] = typed, typed
		case strings.HasPrefix(l.Href, schemaOrgClass):
			class := strings.TrimPrefix(l.Href, schemaOrgClass)
			out["schema:"+class], out["dcat:"+class] = from, from
		}
		out[l.Href] = from
		out[strings.TrimPrefix(l.Href, "https://doi.org/")] = from
	}
	return out
}

// missing says what a document asks for and the records do not state.
func missing(d *Description, of bridge.Documents) (out []string) {
	need := func(what string, stated bool) {
		if !stated {
			out = append(out, what)
		}
	}
	title := first(d.Titles)
	need("a title", title.Text != "")
	need("a landing page", d.Object.LandingPage.URL != "")
	switch of {
	case bridge.CDIF:
		need("a title of three characters", len([]rune(title.Text)) >= 3)
		need("a licence, or something else about rights", d.Object.License != "" || len(d.Conditions) > 0)
		need("a datestamp", d.Changed != "")
	case bridge.DataCite:
		need("a creator", len(named(d.Creators)) > 0)
		need("a publisher", len(d.Publishers) > 0)
		need("a date of publication that is sure", d.Issued.Text != "")
		need("a type", d.Object.Type != "")
	case bridge.DCAT:
		need("that it is a data set", d.Object.Type == schemaOrgClass+"Dataset")
	}
	return out
}
