package description

import (
	"strings"

	"fingerpost/bridge"
)

// schemaOrg is schema.org in JSON-LD with a context of its own, so that
// nothing has to be fetched. Where the record states what CDIF asks for, it is
// CDIF core and discovery 1.1 too.
func schemaOrg(d *Description) node {
	o := &d.Object
	class := classOf(o)
	files := "schema:encoding"
	if class == "Dataset" {
		files = "schema:distribution"
	}
	doc := object("",
		context(),
		fixed("@id", idOf(o)),
		array("@type", fixed("", "schema:"+class)),
		value("schema:name", first(d.Titles)),
		texts("schema:alternateName", others(d.Titles)),
		each("schema:identifier", idsOf(o), func(id string) node { return fixed("", id) }),
		fixed("schema:url", o.LandingPage.URL),
		each("schema:creator", d.Creators, schemaAgent),
		each("schema:editor", editors(d.Contributors), schemaAgent),
		each("schema:contributor", notEditors(d.Contributors), schemaAgent),
		texts("schema:publisher", d.Publishers),
		value("schema:datePublished", d.Issued),
		value("schema:dateCreated", dated(d.Dates, "Created")),
		modified(d),
		texts("schema:inLanguage", d.Languages),
		each("schema:description", d.Descriptions, func(v Value) node { return value("", v) }),
		texts("schema:keywords", d.Subjects),
		array("schema:license", fixed("", o.License)),
		texts("schema:conditionsOfAccess", d.Conditions),
		each(files, o.Items, func(item bridge.ContentResource) node { return schemaFile(d, item) }),
		value("schema:version", d.Version),
		value("schema:isbn", d.ISBN),
		value("schema:bookEdition", bookEdition(d)),
		value("schema:inSupportOf", inSupportOf(d)),
		texts("schema:creditText", d.Citations),
		each("schema:about", d.Concepts, func(v Value) node { return object("", value("@id", v)) }),
		each("schema:audience", d.Audience, func(v Value) node {
			return object("", array("@type", fixed("", "schema:Audience")), value("schema:audienceType", v))
		}),
		each("schema:copyrightHolder", d.Holders, func(v Value) node { return object("", value("schema:name", v)) }),
		each("schema:spatialCoverage", d.Places, schemaPlace),
		texts("schema:temporalCoverage", d.Periods),
		each("schema:funding", d.Funding, schemaFunding),
	)
	for _, r := range schemaRelations {
		if n := array("schema:"+r.property, schemaRelated(d, r.property, r.relations)...); !n.empty() {
			doc.nodes = append(doc.nodes, n)
		}
	}
	if isCDIF(d) {
		doc.nodes = append(doc.nodes, catalogRecord(idOf(o), d.Changed))
	}
	return doc
}

// schemaRelations are the relations, in lower case, that schema.org has a
// property for.
var schemaRelations = []struct{ property, relations string }{
	{"isPartOf", " ispartof ispublishedin "}, {"hasPart", " haspart "}, {"isBasedOn", " isderivedfrom "}, {"citation", " cites references "},
}

// schemaRelated are the addresses and titles of what stands in a relation to the
// object.
func schemaRelated(d *Description, property, relations string) (out []node) {
	if property == "isPartOf" {
		out = append(out, schemaContainer(&d.Container), object("", value("schema:name", d.Container.Series)))
	}
	for _, v := range relatedBy(d.Related, relations) {
		out = append(out, object("", value("@id", v)))
	}
	for _, v := range relatedBy(d.RelatedTitles, relations) {
		out = append(out, object("", value("schema:name", v)))
	}
	return out
}

func relatedBy(list []Value, relations string) (out []Value) {
	for _, v := range list {
		if v.From.Qualifier != "" && strings.Contains(relations, " "+strings.ToLower(v.From.Qualifier)+" ") {
			out = append(out, v)
		}
	}
	return out
}

// isCDIF reports whether the record states what CDIF core 1.1 asks for: a title
// of three characters, something about rights, a page, and a day of change.
func isCDIF(d *Description) bool { return d.complete&bridge.CDIF != 0 }

// modified is the date that DataCite calls Updated; else, where CDIF asks for
// one, the day of the datestamp, for the record is all that is known.
func modified(d *Description) node {
	if v := dated(d.Dates, "Updated"); isMonth(dayOf(v.Text)) {
		return value("schema:dateModified", v.as(dayOf(v.Text)))
	}
	if isCDIF(d) {
		return fixed("schema:dateModified", d.Changed)
	}
	return node{}
}

func schemaAgent(a Agent) node {
	kind := node{}
	if a.Kind.Text != "" {
		kind = array("@type", value("", a.Kind.as("schema:"+a.Kind.Text)))
	}
	return object("",
		kind,
		value("@id", a.ID),
		value("schema:name", a.Name),
		value("schema:familyName", a.Family),
		value("schema:givenName", a.Given),
		each("schema:affiliation", a.Affiliations, schemaAffiliation),
	)
}

func schemaAffiliation(a Affiliation) node {
	id := a.ID
	if !isWeb(id.Text) {
		id = Value{}
	}
	return object("", array("@type", fixed("", "schema:Organization")), value("@id", id), value("schema:name", a.Name))
}

// bookEdition and inSupportOf are properties of books and theses.
func bookEdition(d *Description) Value {
	if classOf(&d.Object) != "Book" {
		return Value{}
	}
	return d.Edition
}

func inSupportOf(d *Description) Value {
	if classOf(&d.Object) != "Thesis" {
		return Value{}
	}
	return d.Thesis.Degree
}

func schemaContainer(c *Container) node {
	return object("", // without a type: CDIF asks for the address of a CreativeWork
		value("schema:name", c.Title),
		texts("schema:issn", c.ISSN),
		value("schema:volumeNumber", c.Volume),
		value("schema:issueNumber", c.Issue),
		value("schema:pageStart", c.First),
		value("schema:pageEnd", c.Last),
		value("schema:pagination", c.Pages),
	)
}

func schemaFile(d *Description, item bridge.ContentResource) node {
	class := "schema:MediaObject"
	if classOf(&d.Object) == "Dataset" {
		class = "schema:DataDownload"
	}
	return object("",
		array("@type", fixed("", class)),
		value("schema:name", d.Files[bridge.NormalURL(item.URL)].Name),
		fixed("schema:contentUrl", item.URL),
		array("schema:encodingFormat", fixed("", item.MediaType)),
		value("schema:contentSize", sizeOf(d, item)),
		fixed("schema:conditionsOfAccess", conditionsOf(item)),
	)
}

func conditionsOf(item bridge.ContentResource) string {
	if item.Restricted {
		return "restricted"
	}
	return ""
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

// context has what the names of properties begin with.
func context() node {
	return object("@context", fixed("schema", "http://schema.org/"), fixed("dcterms", "http://purl.org/dc/terms/"), fixed("dcat", "http://www.w3.org/ns/dcat#"))
}

// catalogRecord says which profiles the document about something conforms to. It
// has no name, for that would be invented.
func catalogRecord(about, changed string) node {
	return object("schema:subjectOf",
		array("@type", fixed("", "dcat:CatalogRecord")),
		array("schema:additionalType", object("", fixed("@id", "dcat:CatalogRecord"))),
		object("schema:about", fixed("@id", about)),
		fixed("schema:dateModified", changed),
		array("dcterms:conformsTo",
			object("", fixed("@id", "https://w3id.org/cdif/core/1.1")),
			object("", fixed("@id", discoveryProfile))),
	)
}

const discoveryProfile = "https://w3id.org/cdif/discovery/1.1"
