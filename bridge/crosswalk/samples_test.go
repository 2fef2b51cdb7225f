package crosswalk

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/element"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest/recorded"
)

// ignored are the elements with text that no statement is made of: by a part of
// the crosswalk's namespace, the path, and why.
var ignored = []passedOver{
	{"", regexp.MustCompile(`(^|/)(recordInfo|metainfo|metadataStandard\w+|dateStamp|Metadata_\w+|\w+_DIF_\w+|metsHdr|schemaVersion|isReferenceQuality|datacentreSymbol|meta)(/|$)`), "is about the record"},
	{"", regexp.MustCompile(`(^|/)(contactInfo|ptcontac|distrib/cntinfo|Contact_Address|author-notes|positionName)(/|$)`), "says where to reach people"},
	{"jats", regexp.MustCompile(`^(body|back)/`), "is the article itself, and what it cites"},
	{"jats", regexp.MustCompile(`/contrib/xref$|/journal-id$|/aff(/|$)`), "refers to what is read, or is more than what is"},
	{"http://www.isotc211.org", regexp.MustCompile(`^(contact|language|characterSet|contentInfo|referenceSystemInfo)/|/characterSet/|/RS_Identifier/codeSpace/`), "is about the record, or about how the data are encoded"},
	{"http://www.isotc211.org", regexp.MustCompile(`/(role|dateType|MD_Keywords/type|function|protocol|thesaurusName|onLine|DQ_Scope|report|timeInterval|TimePeriod/description|unitsOfDistribution|distributionFormat/MD_Format/version)/?`), "says how another value is meant"},
	{"http://www.loc.gov/METS/", regexp.MustCompile(`^amdSec/`), "is about the files' preservation, and where viewers and owners are"},
	{"http://www.loc.gov/", regexp.MustCompile(`(^|/)relatedItem/`), "is about another item, beyond its title, its identifiers and the pages"},
	{"http://www.loc.gov/", regexp.MustCompile(`(^|/)(extension/|contribState$|location$|role/roleTerm$)`), "is a repository's own, or says how another value is meant"},
	{"http://www.opengis.net/cat/csw/csdgm", regexp.MustCompile(`^distinfo/(distliab|resdesc)$|/(placekt|themekt)$`), "is about the distributor, or says how another value is meant"},
	{"http", regexp.MustCompile(`/(mediaType|mimeType|affiliationId|licenseName)$|/taxonRankName$|/(entityName|formatName|keywordThesaurus|role)$|keywordThesaurus$`), "says how another value is meant"},
	{"urn:nbn:de", regexp.MustCompile(`/format$`), "says how another value is meant"},
	{"http://www.w3.org/2005/Atom", regexp.MustCompile(`^(id|triples/.*)$`), "is about the map and its bundles"},
	{"urn:mpeg:mpeg21", regexp.MustCompile(`(^|/)Descriptor/Statement/`), "is about the document and its parts, or says how another value is meant"},
	{"http://www.loc.gov/MARC21/slim", regexp.MustCompile(`^(leader|controlfield|datafield/subfield)$`), "is about the record, or says how another value is meant"},
	{"http://www.lyncode.com/xoai", regexp.MustCompile(`/field$`), "is DSpace's own, or says how another value is meant"},
	{"fingerpost:landing-page:1", regexp.MustCompile(`^(header|link|json-ld|a)/`), "is about the page or its site, or is no part of links"},
	{"http://gcmd.gsfc.nasa.gov", regexp.MustCompile(`^(Data_Center/|Related_URL/|Personnel/)`), "is about the centre, or says how another value is meant"},
}

type passedOver struct {
	reader string
	path   *regexp.Regexp
	why    string
}

// TestSamplesAreReadWhole: of the recorded answers in a format that can be read,
// every text is stated, or passed over on purpose.
func TestSamplesAreReadWhole(t *testing.T) {
	unread := map[string]int{}
	for _, file := range recorded.Files(t) {
		for _, r := range recordsIn(t, file.Path) {
			for _, path := range unreadIn(r.Metadata) {
				unread[path]++
			}
		}
	}
	for path, n := range unread {
		t.Errorf("%d texts of %s are neither stated nor passed over on purpose", n, path)
	}
}

var (
	recordElements = regexp.MustCompile(`(?s)<(\w+:)?record\b.*</(\w+:)?record>`)
	inPaths        = regexp.MustCompile(`\[\d+\]|[\w-]+:`) // numbers and prefixes
)

// recordsIn reads a recorded answer. Of some only the records were kept.
func recordsIn(t *testing.T, file string) []oaipmh.Record {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := oaipmh.ReadPage(body, "text/xml")
	if err != nil {
		answer := `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>` + string(recordElements.Find(body)) + `</ListRecords></OAI-PMH>`
		page, _ = oaipmh.ReadPage([]byte(answer), "text/xml")
	}
	return page.Records
}

// unreadIn are the paths of the texts in a record of which nothing is stated.
func unreadIn(metadata []byte) (paths []string) {
	root, err := element.Parse(metadata)
	if err != nil || crosswalkOf(root) == len(crosswalks) {
		return nil
	}
	name := crosswalks[crosswalkOf(root)].namespace
	said, err := Read(metadata, All)
	if err != nil {
		return nil
	}
	stated := map[string]bool{}
	for _, st := range said {
		stated[st.At.Path()] = true
	}
	for e := range root.Descendants() {
		path := e.Path()
		if !isText(e) || statedAbove(stated, path) {
			continue
		}
		if path = inPaths.ReplaceAllString(path, ""); !isIgnored(name, path) {
			paths = append(paths, name+" "+path)
		}
	}
	return paths
}

// isText reports whether an element has text of its own, and not only in others.
func isText(e element.Element) bool {
	own := len(strings.ReplaceAll(e.Text(), " ", ""))
	for c := range e.Children() {
		own -= len(strings.ReplaceAll(c.Text(), " ", ""))
	}
	return own > 0
}

// statedAbove reports whether an element, or one around it, is stated.
func statedAbove(stated map[string]bool, path string) bool {
	for {
		if stated[path] {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

func isIgnored(reader, path string) bool {
	return slices.ContainsFunc(ignored, func(i passedOver) bool {
		return strings.Contains(reader, i.reader) && i.path.MatchString(path)
	})
}
