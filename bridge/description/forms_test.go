package description

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// rule says what a member of a JSON document may be: a text of a form, or a
// number.
type rule struct {
	text   *regexp.Regexp
	number bool
}

func words(list string) rule {
	return rule{text: regexp.MustCompile(`^(` + strings.Join(strings.Fields(list), "|") + `)$`)}
}

func like(pattern string) rule { return rule{text: regexp.MustCompile(`^(?:` + pattern + `)$`)} }

var (
	anyText  = like(`(?s).+`)
	webOnly  = like(`https?://\S+`)
	language = like(`[a-z]{2,3}(-[A-Z]{2})?`)
	degree   = rule{number: true}
	w3cDate  = `\d{4}(-\d\d(-\d\d(T\S+)?)?)?`
)

// dataCiteForm is what DataCite 4.5 allows, as the JSON Schema of Invenio has it:
// the members that we write, and their values. The JSON Schema itself is in no
// registry from which a test could take it.
var dataCiteForm = withAgents(map[string]rule{
	"schemaVersion": like(`http://datacite\.org/schema/kernel-4`),
	"doi":           like(`10\.\d{4,9}/[-._;()/:a-zA-Z0-9]+`),
	"url":           webOnly,
	"types.resourceTypeGeneral": words(`Audiovisual Book BookChapter Collection ComputationalNotebook ConferencePaper ConferenceProceeding DataPaper Dataset
		Dissertation Event Image Instrument InteractiveResource Journal JournalArticle Model OutputManagementPlan PeerReview PhysicalObject Preprint Report
		Service Software Sound Standard StudyRegistration Text Workflow Other`),
	"types.resourceType": anyText,
	"titles.title":       anyText, "titles.lang": language, "titles.titleType": words(`AlternativeTitle Subtitle TranslatedTitle Other`),
	"publisher.name": anyText, "publisher.publisherIdentifier": anyText, "publisher.publisherIdentifierScheme": anyText,
	"publicationYear":  like(`\d{4}`),
	"subjects.subject": anyText, "subjects.subjectScheme": anyText, "subjects.valueUri": webOnly, "subjects.lang": language,
	"dates.date":            like(w3cDate + `|(` + w3cDate + `)?/(` + w3cDate + `)?`),
	"dates.dateType":        words(`Accepted Available Copyrighted Collected Created Issued Submitted Updated Valid Withdrawn Other`),
	"dates.dateInformation": anyText, "language": language,
	"alternateIdentifiers.alternateIdentifier": anyText, "alternateIdentifiers.alternateIdentifierType": anyText,
	"relatedIdentifiers.relatedIdentifier":     anyText,
	"relatedIdentifiers.relatedIdentifierType": words(`ARK arXiv bibcode DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL UPC URL URN w3id`),
	"relatedIdentifiers.relationType": words(`IsCitedBy Cites IsCollectedBy Collects IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsDescribedBy Describes
		HasVersion IsVersionOf IsNewVersionOf IsPartOf IsPreviousVersionOf IsPublishedIn HasPart IsReferencedBy References IsDocumentedBy Documents IsCompiledBy
		Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo IsReviewedBy Reviews IsDerivedFrom IsSourceOf IsRequiredBy Requires IsObsoletedBy Obsoletes IsMetadataFor`),
	"sizes": anyText, "formats": anyText, "version": anyText,
	"rightsList.rights": anyText, "rightsList.rightsUri": webOnly,
	"descriptions.description": anyText, "descriptions.lang": language,
	"descriptions.descriptionType":                 words(`Abstract Methods SeriesInformation TableOfContents TechnicalInfo Other`),
	"geoLocations.geoLocationPlace":                anyText,
	"geoLocations.geoLocationPoint.pointLongitude": degree, "geoLocations.geoLocationPoint.pointLatitude": degree,
	"geoLocations.geoLocationPolygon.polygonPoint.pointLongitude": degree, "geoLocations.geoLocationPolygon.polygonPoint.pointLatitude": degree,
	"geoLocations.geoLocationBox.westBoundLongitude": degree, "geoLocations.geoLocationBox.eastBoundLongitude": degree,
	"geoLocations.geoLocationBox.southBoundLatitude": degree, "geoLocations.geoLocationBox.northBoundLatitude": degree,
	"fundingReferences.funderName": anyText, "fundingReferences.funderIdentifier": anyText,
	"fundingReferences.funderIdentifierType": like(`ISNI|GRID|Crossref Funder ID|ROR|Other`),
	"fundingReferences.awardNumber":          anyText, "fundingReferences.awardUri": webOnly, "fundingReferences.awardTitle": anyText,
	"container.type": anyText, "container.title": anyText, "container.volume": anyText, "container.issue": anyText, "container.firstPage": anyText,
	"container.lastPage": anyText, "container.identifier": like(`\d{4}-\d{3}[\dX]`), "container.identifierType": words(`ISSN`),
})

// withAgents adds the members of creators and contributors, which are the same.
func withAgents(rules map[string]rule) map[string]rule {
	for _, who := range []string{"creators.", "contributors."} {
		for member, r := range map[string]rule{
			"name": anyText, "nameType": words(`Personal Organizational`), "givenName": anyText, "familyName": anyText,
			"nameIdentifiers.nameIdentifier": anyText, "nameIdentifiers.nameIdentifierScheme": anyText,
			"affiliation.name": anyText, "affiliation.affiliationIdentifier": anyText, "affiliation.affiliationIdentifierScheme": anyText,
		} {
			rules[who+member] = r
		}
	}
	rules["contributors.contributorType"] = words(`ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Producer
		ProjectLeader ProjectManager ProjectMember RegistrationAgency RegistrationAuthority RelatedPerson Researcher ResearchGroup RightsHolder Sponsor
		Supervisor WorkPackageLeader Other`)
	return rules
}

// cslForm is what csl-data.json 1.0 allows, of what we write.
var cslForm = map[string]rule{
	"id": anyText,
	"type": words(`article article-journal book chapter dataset document graphic map motion_picture paper-conference report software
		speech thesis`),
	"title": anyText, "author.literal": anyText, "author.family": anyText, "author.given": anyText,
	"editor.literal": anyText, "editor.family": anyText, "editor.given": anyText,
	"publisher": anyText, "publisher-place": anyText,
	"issued.date-parts": degree, "submitted.date-parts": degree, "available-date.date-parts": degree,
	"container-title": anyText, "volume": anyText, "issue": anyText, "page": anyText, "number": anyText, "collection-title": anyText,
	"event": anyText, "event-place": anyText, "edition": anyText, "genre": anyText,
	"ISSN": like(`\d{4}-\d{3}[\dX]`), "ISBN": like(`[\d-]+X?`), "language": language, "abstract": anyText, "keyword": anyText, "version": anyText,
	"DOI": like(`10\.\S+`), "URL": webOnly,
}

// dataCiteNeeds are the members without which one of DataCite's is not allowed.
var dataCiteNeeds = map[string][]string{
	"":                     {"creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"},
	"types":                {"resourceTypeGeneral"},
	"titles":               {"title"},
	"creators":             {"name"},
	"contributors":         {"name", "contributorType"},
	"creators.affiliation": {"name"}, "creators.nameIdentifiers": {"nameIdentifier", "nameIdentifierScheme"},
	"publisher":            {"name"},
	"subjects":             {"subject"},
	"dates":                {"date", "dateType"},
	"alternateIdentifiers": {"alternateIdentifier", "alternateIdentifierType"}, "relatedIdentifiers": {"relatedIdentifier", "relatedIdentifierType", "relationType"},
	"descriptions":      {"description", "descriptionType"},
	"fundingReferences": {"funderName"},
}

// DataCite JSON and CSL-JSON have the members and values that their schemas allow.
func TestFormsOfJSON(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, wrong := range formsOfJSON(describe(t, s)) {
			t.Errorf("%s: %s", s.Identifier, wrong)
		}
	}
}

// formsOfJSON says what the documents have that their formats do not allow.
func formsOfJSON(d *Description) (out []string) {
	for _, c := range []struct {
		name  string
		rules map[string]rule
		needs map[string][]string
	}{{"datacite.json", dataCiteForm, dataCiteNeeds}, {"csl.json", cslForm, map[string][]string{"": {"id", "type"}}}} {
		doc, _ := Named(c.name)
		body, ok := d.Render(doc)
		if !ok {
			continue
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			out = append(out, fmt.Sprintf("%s: %v", c.name, err))
		}
		for _, wrong := range formErrors("", v, c.rules, c.needs) {
			out = append(out, c.name+": "+wrong)
		}
	}
	return out
}

// formErrors says what a document has that its rules do not allow.
func formErrors(path string, v any, rules map[string]rule, needs map[string][]string) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range needs[path] {
			if v[name] == nil {
				out = append(out, path+" has no "+name)
			}
		}
		for name, member := range v {
			out = append(out, formErrors(strings.TrimPrefix(path+"."+name, "."), member, rules, needs)...)
		}
	case []any:
		for i, member := range v {
			out = append(out, formErrors(path, member, rules, needs)...)
			if i > 0 && path != "creators" && path != "contributors" && reflect.DeepEqual(member, v[i-1]) && !strings.HasSuffix(path, "date-parts") && !strings.HasPrefix(path, "geo") && path != "author" && path != "editor" {
				out = append(out, fmt.Sprintf("%s has %v twice", path, member))
			}
		}
	case string:
		if r, ok := rules[path]; !ok || r.number || !r.text.MatchString(v) {
			out = append(out, fmt.Sprintf("%s may not be %.100q", path, v))
		}
	case float64:
		if !rules[path].number {
			out = append(out, fmt.Sprintf("%s may not be %v", path, v))
		}
	default:
		out = append(out, fmt.Sprintf("%s is %T", path, v))
	}
	return out
}
