package oaitest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// generated makes its records up: record i is the same whenever it is asked
// for.
type generated struct {
	n      int
	site   string // https://repository.example.org
	host   string
	dspace bool
	bare   bool
}

func newGenerated(n int, o Options) *generated {
	_, host, _ := strings.Cut(o.Site, "://")
	return &generated{n: n, site: o.Site, host: host, dspace: o.Platform == "dspace", bare: o.Bare}
}

// Generated records are stamped a little more than a minute apart.
var (
	firstDatestamp = time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	datestampStep  = 67 * time.Second
)

func (g *generated) len() int                 { return g.n }
func (g *generated) has(_ int, p string) bool { return p == "oai_dc" || p == "datacite" && !g.bare }
func (g *generated) stem() string {
	if g.dspace {
		return "oai:" + g.host + ":20.500.12345/"
	}
	return "oai:" + g.host + ":"
}

func (g *generated) header(i int) oaipmh.Header {
	return oaipmh.Header{
		Identifier: g.stem() + strconv.Itoa(i+1),
		Datestamp:  oaipmh.Second.Format(firstDatestamp.Add(time.Duration(i) * datestampStep)),
		Sets:       pick(kinds, i).sets,
	}
}

func (g *generated) find(identifier string) (int, bool) {
	number, ok := strings.CutPrefix(identifier, g.stem())
	i, err := strconv.Atoi(number)
	return i - 1, ok && err == nil && i >= 1 && i <= g.n && strconv.Itoa(i) == number
}

func (g *generated) formats() []oaipmh.MetadataFormat {
	all := []oaipmh.MetadataFormat{
		{Prefix: "datacite", Schema: "http://schema.datacite.org/meta/kernel-4/metadata.xsd", Namespace: "http://datacite.org/schema/kernel-4"},
		{Prefix: "oai_dc", Schema: "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"},
	}
	if g.bare {
		return all[1:]
	}
	return all
}

func (g *generated) append(b []byte, i int, prefix string) []byte {
	switch {
	case prefix == "datacite":
		return g.datacite(b, i)
	case g.dspace:
		return g.dspaceDC(b, i)
	}
	return g.eprintsDC(b, i)
}

var kinds = []struct {
	sets                          []string
	dc, general, extension, media string
}{
	{[]string{"status:published", "type:article"}, "Article", "JournalArticle", "pdf", "application/pdf"},
	{[]string{"status:published", "type:dataset"}, "Dataset", "Dataset", "csv", "text/csv"},
	{[]string{"status:published", "type:thesis"}, "Thesis", "Dissertation", "pdf", "application/pdf"},
	{[]string{"status:published", "type:book"}, "Book", "Book", "epub", "application/epub+zip"},
}

var (
	families  = []string{"Brontë", "Çelik", "Dąbrowska", "Eriksson", "Fernández", "Grünwald", "Hailu", "Ivanova", "Jónsdóttir", "Kováč", "Lê", "Moreau"}
	givens    = []string{"Ada", "Bálint", "Chloé", "Dmitri", "Élise", "Farid", "Greta", "Hugo", "İpek", "João", "Katalin"}
	topics    = []string{"tidal sediments", "alpine lichens", "harbour archives", "vowel harmony", "glacial meltwater", "parish registers", "soil fungi", "city soundscapes", "copper smelting"}
	places    = []string{"the North Atlantic", "Upper Silesia", "the Faroe Islands", "Lake Tana", "the Po valley", "southern Anatolia", "Galway Bay"}
	licences  = []string{"https://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by-nc/4.0/", "https://creativecommons.org/publicdomain/zero/1.0/"}
	sentences = []string{
		"Measurements were taken at fourteen sites over three winters &amp; compared with records kept since 1911.",
		"The share of samples below the threshold (&lt; 5 mg) fell from one half to less than a tenth.",
		"We describe the instruments, the order in which they were read, and every correction that was applied.",
		"A second observer repeated the reading without knowledge of the first; agreement was high throughout.",
		"The material comes from four collections, of which two had not been catalogued before this study began.",
		"Where sources disagree the older one is followed, and the difference is noted in the accompanying table.",
		"Results are given with their uncertainty, and the raw series can be downloaded with the programs used.",
		"Seasonal variation explains most of what earlier work had taken for a steady decline over the century.",
		"Interviews with twenty-three residents show how names of places and of winds were passed on in families.",
		"No difference was found between the northern and the southern transect once depth was accounted for.",
		"The editors' marginal notes are transcribed in full; abbreviations have been resolved in brackets.",
	}
)

func pick[T any](list []T, i int) T { return list[i%len(list)] }

func (g *generated) title(b []byte, i int) []byte {
	b = append(b, "On "...)
	b = append(b, pick(topics, i)...)
	b = append(b, " of "...)
	b = append(b, pick(places, i/9)...)
	b = append(b, ": a survey, part "...)
	return strconv.AppendInt(b, int64(i+1), 10)
}

// abstract is as long as most are.
func (g *generated) abstract(b []byte, i int) []byte {
	for k := range 8 {
		if k > 0 {
			b = append(b, ' ')
		}
		b = append(b, pick(sentences, i+k*3)...)
	}
	return b
}

func (g *generated) creator(b []byte, i int) []byte {
	b = append(b, pick(families, i)...)
	b = append(b, ", "...)
	return append(b, pick(givens, i/3)...)
}

func (g *generated) doi(b []byte, i int) []byte {
	b = append(b, "10.12345/fp."...)
	return strconv.AppendInt(b, int64(i+1), 10)
}

func (g *generated) landing(b []byte, i int) []byte {
	b = append(b, g.site...)
	if g.dspace {
		b = append(b, "/handle/20.500.12345/"...)
		return strconv.AppendInt(b, int64(i+1), 10)
	}
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(i+1), 10)
	return append(b, '/')
}

// orcid appends an ORCID iD with its check digit (ISO 7064, mod 11-2), from a
// range that is not assigned.
func orcid(b []byte, i int) []byte {
	digits := fmt.Sprintf("00000099%07d", i%10_000_000)
	total := 0
	for _, d := range digits {
		total = (total + int(d-'0')) * 2
	}
	digits += string("0123456789X"[(12-total%11)%11])
	return append(b, digits[0:4]+"-"+digits[4:8]+"-"+digits[8:12]+"-"+digits[12:16]...)
}

// element appends <name>…</name>.
func element(b []byte, name string, fill func(b []byte) []byte) []byte {
	b = append(append(append(b, "<"...), name...), '>')
	b = fill(b)
	return append(append(append(b, "</"...), name...), ">\n"...)
}

const dcRoot = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
`

// commonDC appends what both platforms have.
func (g *generated) commonDC(b []byte, i int) []byte {
	b = element(b, "dc:title", func(b []byte) []byte { return g.title(b, i) })
	for k := range 1 + i%4 {
		b = element(b, "dc:creator", func(b []byte) []byte { return g.creator(b, i+k*5) })
	}
	for k := range 4 {
		b = text.AppendElement(b, "dc:subject", pick(topics, i+k*2))
	}
	b = element(b, "dc:description", func(b []byte) []byte { return g.abstract(b, i) })
	b = text.AppendElement(b, "dc:publisher", "University of the Example Coast")
	b = element(b, "dc:date", func(b []byte) []byte { return strconv.AppendInt(b, int64(1990+i%35), 10) })
	b = text.AppendElement(b, "dc:type", pick(kinds, i).dc)
	b = text.AppendElement(b, "dc:type", "PeerReviewed")
	b = text.AppendElement(b, "dc:language", "en")
	return text.AppendElement(b, "dc:rights", pick(licences, i))
}

func (g *generated) file(b []byte, i, n int) []byte {
	b = g.landing(b, i)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, "/survey-part-"...)
	b = strconv.AppendInt(b, int64(i+1), 10)
	return append(append(b, '.'), pick(kinds, i+n-1).extension...)
}

func (g *generated) eprintsDC(b []byte, i int) []byte {
	b = append(b, dcRoot...)
	if g.bare {
		return g.bareDC(b, i)
	}
	b = g.commonDC(b, i)
	for n := 1; n <= 1+i%2; n++ {
		b = text.AppendElement(b, "dc:format", pick(kinds, i+n-1).media)
		b = element(b, "dc:identifier", func(b []byte) []byte { return g.file(b, i, n) })
	}
	b = element(b, "dc:identifier", func(b []byte) []byte {
		b = append(g.creator(b, i), " ("...)
		b = append(strconv.AppendInt(b, int64(1990+i%35), 10), ") "...)
		return append(g.title(b, i), ". Journal of Coastal Studies, 12 (3). ISSN 2049-3630"...)
	})
	b = element(b, "dc:relation", func(b []byte) []byte { return g.doi(append(b, "https://doi.org/"...), i) })
	b = element(b, "dc:relation", func(b []byte) []byte { return g.landing(b, i) })
	return append(b, "</oai_dc:dc>"...)
}

func (g *generated) bareDC(b []byte, i int) []byte {
	b = element(b, "dc:title", func(b []byte) []byte { return g.title(b, i) })
	b = element(b, "dc:creator", func(b []byte) []byte { return g.creator(b, i) })
	b = element(b, "dc:date", func(b []byte) []byte { return strconv.AppendInt(b, int64(1990+i%35), 10) })
	b = text.AppendElement(b, "dc:type", pick(kinds, i).dc)
	b = element(b, "dc:identifier", func(b []byte) []byte { return g.landing(b, i) })
	return append(b, "</oai_dc:dc>"...)
}

func (g *generated) dspaceDC(b []byte, i int) []byte {
	b = append(b, dcRoot...)
	b = g.commonDC(b, i)
	b = text.AppendElement(b, "dc:format", pick(kinds, i).media)
	b = element(b, "dc:identifier", func(b []byte) []byte { return g.doi(append(b, "https://doi.org/"...), i) })
	b = element(b, "dc:identifier", func(b []byte) []byte { return g.landing(b, i) })
	b = element(b, "dc:identifier", func(b []byte) []byte {
		return strconv.AppendInt(append(b, "http://hdl.handle.net/20.500.12345/"...), int64(i+1), 10)
	})
	return append(b, "</oai_dc:dc>"...)
}

const dataciteRoot = `<resource xmlns="http://datacite.org/schema/kernel-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4/metadata.xsd">
`

func (g *generated) datacite(b []byte, i int) []byte {
	b = append(b, dataciteRoot...)
	b = append(b, `<identifier identifierType="DOI">`...)
	b = append(g.doi(b, i), "</identifier>\n<creators>\n"...)
	for k := range 1 + i%4 {
		b = g.dataciteCreator(b, i+k*5, i*4+k)
	}
	b = append(b, "</creators>\n<titles>"...)
	b = element(b, "title", func(b []byte) []byte { return g.title(b, i) })
	b = append(b, "</titles>\n<publisher>University of the Example Coast</publisher>\n"...)
	b = element(b, "publicationYear", func(b []byte) []byte { return strconv.AppendInt(b, int64(1990+i%35), 10) })
	b = append(b, "<subjects>\n"...)
	for k := range 4 {
		b = text.AppendElement(b, "subject", pick(topics, i+k*2))
	}
	b = append(b, "</subjects>\n"...)
	b = fmt.Appendf(b, "<resourceType resourceTypeGeneral=%q>%s</resourceType>\n", pick(kinds, i).general, pick(kinds, i).dc)
	b = append(b, `<alternateIdentifiers><alternateIdentifier alternateIdentifierType="URL">`...)
	b = append(g.landing(b, i), "</alternateIdentifier></alternateIdentifiers>\n"...)
	b = fmt.Appendf(b, "<formats><format>%s</format></formats>\n", pick(kinds, i).media)
	b = fmt.Appendf(b, "<rightsList><rights rightsURI=%q/></rightsList>\n", pick(licences, i))
	b = append(b, `<descriptions><description descriptionType="Abstract">`...)
	b = append(g.abstract(b, i), "</description></descriptions>\n"...)
	return append(b, "</resource>"...)
}

func (g *generated) dataciteCreator(b []byte, name, number int) []byte {
	b = append(b, "<creator>\n"...)
	b = append(b, `<creatorName nameType="Personal">`...)
	b = append(g.creator(b, name), "</creatorName>\n"...)
	b = text.AppendElement(b, "givenName", pick(givens, name/3))
	b = text.AppendElement(b, "familyName", pick(families, name))
	b = append(b, `<nameIdentifier nameIdentifierScheme="ORCID" schemeURI="https://orcid.org">https://orcid.org/`...)
	b = append(orcid(b, number), "</nameIdentifier>\n"...)
	return append(b, "<affiliation>University of the Example Coast</affiliation>\n</creator>\n"...)
}
