package description

import (
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
)

// schemaOrgDocument is schema.org in JSON-LD with a context of its own, so that
// nothing has to be fetched. Where the record states what CDIF asks for, it is
// CDIF core and discovery 1.1 too.
func (d *Description) schemaOrgDocument() node {
	o := &d.Object
	class := d.class()
	name, others := d.names()
	files := "schema:encoding"
	if class == "Dataset" {
		files = "schema:distribution"
	}
	doc := object("",
		object("@context", fixed("schema", "http://schema.org/"), fixed("dcterms", "http://purl.org/dc/terms/"), fixed("dcat", "http://www.w3.org/ns/dcat#")),
		fixed("@id", d.id()),
		array("@type", fixed("", "schema:"+class)),
		value("schema:name", name),
		texts("schema:alternateName", others),
		each("schema:identifier", d.ids(), func(id string) node { return fixed("", id) }),
		fixed("schema:url", o.LandingPage.URL),
		each("schema:creator", d.Creators, schemaAgent),
		each("schema:editor", d.withRole(true), schemaAgent),
		each("schema:contributor", d.withRole(false), schemaAgent),
		texts("schema:publisher", d.Publishers),
		value("schema:datePublished", d.Issued),
		value("schema:dateCreated", d.date("Created")),
		d.modified(),
		texts("schema:inLanguage", d.Languages),
		each("schema:description", d.Descriptions, func(v Value) node { return value("", v) }),
		texts("schema:keywords", d.Subjects),
		array("schema:license", fixed("", o.License)),
		texts("schema:conditionsOfAccess", d.conditions()),
		d.schemaContainer(),
		each(files, o.Items, d.schemaFile),
		value("schema:version", d.Version),
		value("schema:isbn", d.ISBN),
		each("schema:spatialCoverage", d.Places, func(v Value) node {
			return object("", array("@type", fixed("", "schema:Place")), value("schema:name", v))
		}),
		texts("schema:temporalCoverage", d.Periods),
		each("schema:funding", d.Funding, schemaFunding),
	)
	for _, r := range schemaRelations {
		if n := each("schema:"+r.property, d.relatedBy(r.relations), func(v Value) node {
			return object("", node{name: "@id", text: v.Text, from: v.From})
		}); !n.empty() {
			doc.nodes = append(doc.nodes, n)
		}
	}
	if d.IsCDIF() {
		doc.nodes = append(doc.nodes, d.catalogRecord())
	}
	return doc
}

// schemaRelations are the relations, in lower case, that schema.org has a
// property for.
var schemaRelations = []struct{ property, relations string }{
	{"isPartOf", " ispartof ispublishedin "}, {"hasPart", " haspart "}, {"isBasedOn", " isderivedfrom "}, {"citation", " cites references "},
}

func (d *Description) relatedBy(relations string) (out []Value) {
	for _, v := range d.Related {
		if v.From.Qualifier != "" && strings.Contains(relations, " "+strings.ToLower(v.From.Qualifier)+" ") {
			out = append(out, v)
		}
	}
	return out
}

// IsCDIF reports whether the record states what CDIF core 1.1 asks for: a title
// of three characters, something about rights, a page, and a day of change.
func (d *Description) IsCDIF() bool { return len(d.missing(bridge.CDIF)) == 0 }

// id is what the object is called in linked data.
func (d *Description) id() string {
	if d.Object.CiteAs != "" {
		return d.Object.CiteAs
	}
	return d.Object.LandingPage.URL
}

func (d *Description) ids() []string {
	out := []string{d.id()}
	for _, a := range d.Object.Aliases {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// class is the class of schema.org without its namespace.
func (d *Description) class() string {
	if class, ok := strings.CutPrefix(d.Object.Type, schemaOrg); ok {
		return class
	}
	return "CreativeWork"
}

// names are the title and the others.
func (d *Description) names() (Value, []Value) {
	if len(d.Titles) == 0 {
		return Value{}, nil
	}
	return d.Titles[0], d.Titles[1:]
}

// modified is the date that DataCite calls Updated; else, where CDIF asks for
// one, the day of the datestamp, for the record is all that is known.
func (d *Description) modified() node {
	if v := d.date("Updated"); isMonth(v.Text) {
		return value("schema:dateModified", v)
	}
	if d.IsCDIF() {
		return fixed("schema:dateModified", d.Changed)
	}
	return node{}
}

// isMonth reports whether a date begins with a year and a month, as CDIF asks.
func isMonth(date string) bool {
	const form = "0000-00"
	return len(date) >= len(form) && text.IsDigits(date[:4]) && date[4] == '-' && text.IsDigits(date[5:7])
}

// date is the first date of a kind, as DataCite calls it.
func (d *Description) date(kind string) Value {
	for _, v := range d.Dates {
		if dateType(v) == kind {
			return v
		}
	}
	return Value{}
}

// conditions are the rights that are not the licence that the links name.
func (d *Description) conditions() (out []Value) {
	for _, v := range d.Rights {
		if uri, err := vocabulary.LicenceOf(v.Text); err == nil && uri == d.Object.License || v.Text == d.Object.License {
			continue
		}
		out = append(out, v)
	}
	return out
}

func (d *Description) withRole(editors bool) (out []Agent) {
	for _, a := range d.Contributors {
		if isEditor(a) == editors {
			out = append(out, a)
		}
	}
	return out
}

func isEditor(a Agent) bool {
	switch strings.ToLower(a.Role.Text) {
	case "editor", "edt":
		return true
	}
	return false
}

func schemaAgent(a Agent) node {
	kind := node{}
	if a.Kind.Text != "" {
		kind = array("@type", node{text: "schema:" + a.Kind.Text, from: a.Kind.From})
	}
	return object("",
		kind,
		node{name: "@id", text: a.ID.Text, from: a.ID.From},
		value("schema:name", a.Name),
		value("schema:familyName", a.Family),
		value("schema:givenName", a.Given),
		each("schema:affiliation", a.Affiliations, func(v Value) node {
			return object("", array("@type", fixed("", "schema:Organization")), value("schema:name", v))
		}),
	)
}

func (d *Description) schemaContainer() node {
	c := &d.Container
	if c.Title.Text == "" && len(c.ISSN) == 0 {
		return node{}
	}
	return object("schema:isPartOf", // without a type: CDIF asks for the address of a CreativeWork
		value("schema:name", c.Title),
		texts("schema:issn", c.ISSN),
		value("schema:volumeNumber", c.Volume),
		value("schema:issueNumber", c.Issue),
		value("schema:pageStart", c.First),
		value("schema:pageEnd", c.Last),
	)
}

func (d *Description) schemaFile(item bridge.ContentResource) node {
	class := "schema:MediaObject"
	if d.class() == "Dataset" {
		class = "schema:DataDownload"
	}
	return object("",
		array("@type", fixed("", class)),
		fixed("schema:contentUrl", item.URL),
		array("schema:encodingFormat", fixed("", item.MediaType)),
		value("schema:contentSize", d.size(item)),
	)
}

// size is that of a file: as its format states it, or the only number of bytes
// that is stated beside a single file.
func (d *Description) size(item bridge.ContentResource) Value {
	if v, ok := d.FileSizes[bridge.NormalURL(item.URL)]; ok {
		return v
	}
	if len(d.Object.Items) != 1 {
		return Value{}
	}
	var found []Value
	for _, v := range slices.Concat(d.Formats, d.Sizes) {
		if isBytes(v.Text) {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return Value{}
	}
	return found[0]
}

// isBytes reports whether a text is a number of bytes.
func isBytes(v string) bool {
	number, unit, ok := strings.Cut(strings.ToLower(v), " ")
	return ok && number != "" && strings.Trim(number, "0123456789.,") == "" &&
		slices.Contains([]string{"bytes", "byte", "b", "kb", "mb", "gb", "kib", "mib", "gib"}, unit)
}

func schemaFunding(f Funding) node {
	award := object("",
		array("@type", fixed("", "schema:MonetaryGrant")),
		value("schema:name", f.Title),
		value("schema:identifier", f.Award),
		value("schema:url", f.URI),
		object("schema:funder", funderKind(f), value("schema:name", f.Funder), value("schema:identifier", f.FunderID)),
	)
	if len(award.nodes) == 1 {
		return node{}
	}
	return award
}

func funderKind(f Funding) node {
	if f.Funder.Text == "" && f.FunderID.Text == "" {
		return node{}
	}
	return array("@type", fixed("", "schema:Organization"))
}

// catalogRecord says which profiles the document conforms to. It has no name,
// for that would be invented.
func (d *Description) catalogRecord() node {
	return object("schema:subjectOf",
		array("@type", fixed("", "dcat:CatalogRecord")),
		array("schema:additionalType", object("", fixed("@id", "dcat:CatalogRecord"))),
		object("schema:about", fixed("@id", d.id())),
		fixed("schema:dateModified", d.Changed),
		array("dcterms:conformsTo",
			object("", fixed("@id", "https://w3id.org/cdif/core/1.1")),
			object("", fixed("@id", discoveryProfile))),
	)
}

const discoveryProfile = "https://w3id.org/cdif/discovery/1.1"
