package description

import (
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// dcat is a data set in DCAT 3, in JSON-LD with a context of its own. Assessors
// that read no schema.org read this.
func dcat(d *Description) node {
	o := &d.Object
	doc := object("",
		object("@context", fixed("dcat", dcatProfile), fixed("dcterms", "http://purl.org/dc/terms/"),
			fixed("foaf", "http://xmlns.com/foaf/0.1/"), fixed("rdfs", "http://www.w3.org/2000/01/rdf-schema#")),
		fixed("@id", idOf(o)),
		array("@type", fixed("", "dcat:Dataset")),
		value("dcterms:title", first(d.Titles)),
		texts("dcterms:alternative", others(d.Titles)),
		each("dcterms:identifier", idsOf(o), func(id string) node { return fixed("", id) }),
		object("dcat:landingPage", fixed("@id", o.LandingPage.URL)),
		each("dcterms:creator", d.Creators, dcatAgent),
		each("dcterms:contributor", d.Contributors, dcatAgent),
		each("dcterms:publisher", d.Publishers, dcatNamed),
		value("dcterms:issued", d.Issued),
		value("dcterms:created", dated(d.Dates, "Created")),
		value("dcterms:modified", dated(d.Dates, "Updated")),
		texts("dcterms:language", d.Languages),
		texts("dcterms:description", d.Descriptions),
		texts("dcat:keyword", d.Subjects),
		each("dcat:theme", d.Concepts, dcatURI),
		object("dcterms:license", fixed("@id", o.License)),
		array("dcterms:accessRights", dcatRights(d, true)...),
		array("dcterms:rights", dcatRights(d, false)...),
		each("dcterms:rightsHolder", d.Holders, dcatNamed),
		value("dcat:version", d.Version),
		texts("dcterms:bibliographicCitation", d.Citations),
		each("dcterms:spatial", d.Places, func(p Place) node { return object("", value("rdfs:label", p.Name)) }),
		each("dcterms:temporal", d.Periods, func(v Value) node { return object("", value("rdfs:label", v)) }),
		each("dcat:distribution", o.Items, func(item bridge.ContentResource) node { return dcatFile(d, item) }),
	)
	for _, r := range dcatRelations {
		if n := each(r.property, relatedBy(d.Related, r.relations), dcatURI); !n.empty() {
			doc.nodes = append(doc.nodes, n)
		}
	}
	return doc
}

// dcatProfile is the namespace of DCAT.
const dcatProfile = "http://www.w3.org/ns/dcat#"

// dcatRelations are the relations, in lower case, that DCAT and Dublin Core have
// a property for.
var dcatRelations = []struct{ property, relations string }{
	{"dcterms:isPartOf", " ispartof ispublishedin "}, {"dcterms:hasPart", " haspart "}, {"dcterms:source", " isderivedfrom "},
	{"dcterms:references", " references cites "}, {"dcterms:isReferencedBy", " isreferencedby iscitedby "},
	{"dcterms:isVersionOf", " isversionof "}, {"dcterms:hasVersion", " hasversion "}, {"dcat:previousVersion", " isnewversionof "},
	{"dcterms:replaces", " replaces obsoletes "}, {"dcterms:isReplacedBy", " isreplacedby isobsoletedby "},
	{"dcterms:requires", " requires "}, {"dcterms:isRequiredBy", " isrequiredby "},
}

func dcatURI(v Value) node { return object("", value("@id", v)) }

func dcatNamed(v Value) node { return object("", value("foaf:name", v)) }

func dcatAgent(a Agent) node {
	kind := node{}
	if a.Kind.Text != "" {
		kind = array("@type", value("", a.Kind.as("foaf:"+a.Kind.Text)))
	}
	return object("", kind, value("@id", a.ID), value("foaf:name", a.Name), value("foaf:familyName", a.Family), value("foaf:givenName", a.Given))
}

// dcatRights are those that say who has access, or the others.
func dcatRights(d *Description, access bool) (out []node) {
	for _, v := range d.Conditions {
		switch {
		case (v.From.Kind == crosswalk.Access) != access:
		case isWeb(v.Text):
			out = append(out, dcatURI(v))
		default:
			out = append(out, value("", v))
		}
	}
	return out
}

// dcatFile is a file. Its media type is a URI if it is registered. DCAT 3, 6.8.15.
func dcatFile(d *Description, item bridge.ContentResource) node {
	media, format := "", ""
	if subtype := item.MediaType[strings.IndexByte(item.MediaType, '/')+1:]; strings.HasPrefix(subtype, "x-") {
		format = item.MediaType
	} else if subtype != "" {
		media = mediaTypes + item.MediaType
	}
	return object("",
		array("@type", fixed("", "dcat:Distribution")),
		value("dcterms:title", d.Files[bridge.NormalURL(item.URL)].Name),
		object("dcat:downloadURL", fixed("@id", item.URL)),
		object("dcat:mediaType", fixed("@id", media)),
		fixed("dcterms:format", format),
		number("dcat:byteSize", inBytes(sizeOf(d, item))),
	)
}

// mediaTypes is where IANA has the registered media types.
const mediaTypes = "https://www.iana.org/assignments/media-types/"

// inBytes is the number of a size in bytes; none if it has another unit.
func inBytes(size Value) Value {
	n, unit, _ := strings.Cut(strings.ToLower(size.Text), " ")
	switch unit {
	case "", "b", "byte", "bytes":
		if n != "" && text.IsDigits(n) && (n == "0" || n[0] != '0') { // as JSON writes numbers
			return size.as(n)
		}
	}
	return Value{}
}
