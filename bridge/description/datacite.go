package description

import (
	"cmp"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// dataCite is DataCite's JSON, kernel 4.
func dataCite(d *Description) node {
	o := &d.Object
	return object("",
		fixed("schemaVersion", "http://datacite.org/schema/kernel-4"),
		fixed("doi", dataCiteDOI(o)),
		object("types", value("resourceTypeGeneral", d.StatedType.as(d.Type.dataCite)), value("resourceType", d.StatedType)),
		each("creators", named(d.Creators), dataCiteAgent),
		each("titles", d.Titles, dataCiteTitle),
		object("publisher", dataCitePublisher(d)...),
		value("publicationYear", yearOf(d.Issued)),
		array("contributors", dataCiteContributors(d)...),
		array("subjects", dataCiteSubjects(d)...),
		array("dates", dataCiteDates(d)...),
		value("language", only(d.Languages)),
		array("alternateIdentifiers", dataCiteIDs(d)...),
		each("relatedIdentifiers", d.Related, dataCiteRelation),
		texts("sizes", d.Sizes),
		texts("formats", d.Formats),
		value("version", d.Version),
		each("rightsList", dataCiteRights(d), func(n node) node { return object("", n) }),
		each("descriptions", d.Descriptions, func(v Value) node {
			return object("", value("description", v), fixed("descriptionType", descriptionType(v)), dataCiteLang(v))
		}),
		each("geoLocations", d.Places, dataCitePlace),
		each("fundingReferences", d.Funding, dataCiteFunding),
		object("container", dataCiteContainer(d.Container)...),
		fixed("url", o.LandingPage.URL),
	)
}

func dataCiteContainer(c Container) []node {
	out := nonEmpty([]node{value("title", c.Title), value("volume", c.Volume), value("issue", c.Issue),
		value("firstPage", firstOf(c.First, c.Pages)), value("lastPage", c.Last)})
	if issn := first(c.ISSN); issn.Text != "" {
		out = append(out, fixed("type", "Journal"), value("identifier", issn), fixed("identifierType", "ISSN"))
	}
	return out
}

func dataCitePublisher(d *Description) []node {
	name, id := first(d.Publishers), d.PublisherID
	if id.Text == "" || id.From.At != name.From.At {
		return []node{value("name", name)}
	}
	return []node{value("name", name), value("publisherIdentifier", id), value("publisherIdentifierScheme", id.as(id.From.Scheme))}
}

// dataCiteSubjects have the URI that stands in the same element.
func dataCiteSubjects(d *Description) (out []node) {
	uris := map[element.Element]Value{}
	for _, v := range d.Concepts {
		uris[v.From.At] = v
	}
	for _, v := range d.Subjects {
		out = append(out, object("", value("subject", v), fixed("subjectScheme", v.From.Scheme), value("valueUri", uris[v.From.At]), dataCiteLang(v)))
	}
	return out
}

func dataCiteIDs(d *Description) (out []node) {
	for _, id := range otherIDs(&d.Object) {
		out = append(out, object("", fixed("alternateIdentifier", id), fixed("alternateIdentifierType", idScheme(id))))
	}
	if d.ISBN.Text != "" {
		out = append(out, object("", value("alternateIdentifier", d.ISBN), fixed("alternateIdentifierType", "ISBN")))
	}
	return out
}

func dataCiteContributors(d *Description) (out []node) {
	for _, a := range named(d.Contributors) {
		out = append(out, dataCiteContributor(a))
	}
	for _, v := range d.Holders {
		out = append(out, object("", value("name", v), value("contributorType", v.as("RightsHolder"))))
	}
	return out
}

// dataCiteDOI is left out if it has characters that DataCite's own never have.
func dataCiteDOI(o *bridge.Object) string {
	doi := doiOf(o)
	for _, r := range doi {
		if r >= 0x80 || !text.IsAlphanumeric(string(r)) && !strings.ContainsRune("-._;()/:", r) {
			return ""
		}
	}
	return doi
}

func otherIDs(o *bridge.Object) (out []string) {
	for _, id := range idsOf(o) {
		if id != o.CiteAs || doiOf(o) == "" {
			out = append(out, id)
		}
	}
	return out
}

func idScheme(id string) string {
	if parsed, ok := identifier.Parse(id); ok {
		return string(parsed.Scheme)
	}
	return "URL"
}

func dataCiteAgent(a Agent) node { return object("", dataCiteName(a)...) }

func dataCiteName(a Agent) []node {
	kind := a.Kind.as(map[string]string{"Person": "Personal", "Organization": "Organizational"}[a.Kind.Text])
	return []node{
		value("name", a.Name), value("nameType", kind), value("givenName", a.Given), value("familyName", a.Family),
		array("nameIdentifiers", object("", dataCiteID(a)...)),
		each("affiliation", a.Affiliations, dataCiteAffiliation),
	}
}

func dataCiteAffiliation(a Affiliation) node {
	return object("", value("name", a.Name), value("affiliationIdentifier", a.ID), value("affiliationIdentifierScheme", a.scheme()))
}

func dataCiteID(a Agent) []node {
	if a.ID.Text == "" {
		return nil
	}
	return []node{value("nameIdentifier", a.ID), fixed("nameIdentifierScheme", a.Scheme)}
}

// dataCiteContributor leaves out whose role is not stated. One that DataCite has
// no word for is "Other".
func dataCiteContributor(a Agent) node {
	if a.Role.Text == "" {
		return node{}
	}
	role := cmp.Or(contributorTypes[strings.ToLower(strings.ReplaceAll(a.Role.Text, " ", ""))], "Other")
	return object("", append(dataCiteName(a), value("contributorType", a.Role.as(role)))...)
}

// wordTable is a table from words in lower case to those words, and from others.
func wordTable(words string, others map[string]string) map[string]string {
	for w := range strings.FieldsSeq(words) {
		others[strings.ToLower(w)] = w
	}
	return others
}

// What DataCite calls the roles, dates, titles, descriptions and relations that
// formats state, in lower case.
var (
	contributorTypes = wordTable(`ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Producer
		ProjectLeader ProjectManager ProjectMember RegistrationAgency RegistrationAuthority RelatedPerson Researcher ResearchGroup
		RightsHolder Sponsor Supervisor WorkPackageLeader Other`,
		map[string]string{"edt": "Editor", "advisor": "Supervisor", "ths": "Supervisor", "thesisadvisor": "Supervisor", "contactpoint": "ContactPerson"})
	dateTypes = wordTable(`Accepted Available Copyrighted Collected Created Issued Submitted Updated Valid Withdrawn Other`,
		map[string]string{"modified": "Updated", "datemodified": "Updated", "dateaccepted": "Accepted", "datesubmitted": "Submitted", "received": "Submitted",
			"datecreated": "Created", "datevalid": "Valid", "publication": "Issued", "creation": "Created", "revision": "Updated", "copyrightdate": "Copyrighted", "dateavailable": "Available"})
	titleTypes       = wordTable(`AlternativeTitle Subtitle TranslatedTitle Other`, map[string]string{"alternative": "AlternativeTitle", "translated": "TranslatedTitle"})
	descriptionTypes = wordTable(`Abstract Methods SeriesInformation TableOfContents TechnicalInfo`, map[string]string{"table of contents": "TableOfContents"})
	relationTypes    = wordTable(`IsCitedBy Cites IsCollectedBy Collects IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsDescribedBy Describes
		HasMetadata IsMetadataFor HasVersion IsVersionOf IsNewVersionOf IsPartOf IsPreviousVersionOf IsPublishedIn HasPart IsReferencedBy References
		IsDocumentedBy Documents IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo IsReviewedBy Reviews IsDerivedFrom IsSourceOf
		IsRequiredBy Requires IsObsoletedBy Obsoletes`, map[string]string{"replaces": "Obsoletes", "isreplacedby": "IsObsoletedBy"})
)

func descriptionType(v Value) string {
	if t := descriptionTypes[strings.ToLower(v.From.Qualifier)]; t != "" {
		return t
	}
	return "Other"
}

func dataCiteTitle(v Value) node {
	kind := titleTypes[strings.ToLower(v.From.Qualifier)]
	if kind == "" && v.From.Qualifier != "" {
		kind = "Other"
	}
	return object("", value("title", v), fixed("titleType", kind), dataCiteLang(v))
}

func dataCiteLang(v Value) node {
	return value("lang", of(v.From, languageOf(v.From.Lang)))
}

// dataCiteDates are those whose kind is stated. A kind that DataCite has no word
// for stands beside "Other".
func dataCiteDates(d *Description) (out []node) {
	if d.Issued.Text != "" && dated(d.Dates, "Issued").Text == "" {
		out = append(out, object("", value("date", d.Issued), fixed("dateType", "Issued")))
	}
	for _, v := range d.Dates {
		switch kind := dateType(v); {
		case v.From.Qualifier == "" || !isRange(v.Text):
		case kind != "":
			out = append(out, object("", value("date", v), value("dateType", v.as(kind))))
		default:
			out = append(out, object("", value("date", v), fixed("dateType", "Other"), value("dateInformation", v.as(v.From.Qualifier))))
		}
	}
	return out
}

func dataCiteRelation(v Value) node {
	relation := relationTypes[strings.ToLower(v.From.Qualifier)]
	scheme := "URL"
	if id, ok := identifier.Parse(v.Text); ok {
		switch id.Scheme {
		case identifier.DOI, identifier.Handle, identifier.ARK, identifier.PURL, identifier.ArXiv:
			scheme = string(id.Scheme)
		}
	}
	if relation == "" || relation == "HasMetadata" {
		return node{}
	}
	return object("", value("relatedIdentifier", v), fixed("relatedIdentifierType", scheme), value("relationType", v.as(relation)))
}

// dataCiteRights are the licence that the links name, and everything else that
// is said of rights.
func dataCiteRights(d *Description) []node {
	out := []node{fixed("rightsUri", d.Object.License)}
	for _, v := range d.Conditions {
		out = append(out, value("rights", v))
	}
	return nonEmpty(out)
}

func dataCiteFunding(f Funding) node {
	if f.Funder.Text == "" {
		return node{}
	}
	id := []node{}
	if f.FunderID.Text != "" {
		id = append(id, value("funderIdentifier", f.FunderID), value("funderIdentifierType", f.FunderID.as(funderScheme(f.FunderID))))
	}
	award := f.URI
	if !isWeb(award.Text) {
		award = Value{}
	}
	return object("", append(id, value("funderName", f.Funder), value("awardNumber", f.Award), value("awardUri", award), value("awardTitle", f.Title))...)
}

func funderScheme(v Value) string {
	switch s := v.From.Scheme; s {
	case "ISNI", "GRID", "ROR", "Crossref Funder ID":
		return s
	}
	return "Other"
}
