package bridge

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/vocabulary"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest/recorded"
)

// sampleShares are the least shares of links in the recorded answers, as
// TestSamples counts them: by folder and the platform that is learned from the
// answers alone.
const sampleShares = `
folder            platform        landing cite-as    item   typed    type licence  author
arxiv             arxiv               100     100       0       0     100       0       0
asu               -                   100     100       0       0     100       3       0
bhl               bhl                 100       0       0       0     100       0       0
bochum-hss        -                   100     100     100     100     100       0       0
citeseerx         citeseerx           100       0       0       0     100       0       0
ckan              -                   100      75      50      50     100      75       0
columbia          columbia            100     100       0       0     100       0       0
contentdm         -                    83       0       0       0      83      50       0
contentdm         contentdm           100       0       0       0       0       0       0
cyberleninka      -                   100       0       0       0     100       0       0
dans-easy         -                   100     100       0       0     100     100       0
dara              datacite            100     100       0       0     100       0       0
datacite-oai      datacite            100     100       0       0      96       6       3
dataverse         -                   100     100       0       0      97      97      38
dataverse         dataverse           100     100       0       0     100     100       0
digitalcommons    digitalcommons      100       0      82     100     100      13       0
dpla-hub          -                   100       0      90       0       9       0       0
dryad-dspace      dryad                86      86       0       0      86      50       0
dspace            -                   100       0       0       0     100       0       0
dspace            dspace               95      76       2     100      78       9       0
egi-datahub       -                   100       0       0       0     100     100       0
envri             -                     0       0       0       0       0       0       0
eprints           eprints             100       0      53     100     100       8       0
eprints           librecat            100       0     100       0     100       0       0
erudit            erudit              100      58       0       0     100       0       0
fedora            -                   100       0       0       0     100     100       0
hal               hal                 100     100     100     100     100       0       0
icat              -                   100     100       0       0     100     100       0
icpsr             -                     0       0       0       0       0       0       0
icpsr             icpsr               100     100       0       0      75       0       0
invenio           -                   100       0       0       0     100     100       0
invenio-legacy    invenio             100       0     100     100     100       0       0
islandora         -                   100       0       0       0     100     100       0
ivoa              -                    50       0       0       0      50       0       0
librecat          -                   100      50     100       0     100      50       0
librecat          librecat            100     100      66     100     100       0       0
maxwell           -                   100       0       0       0     100       0       0
mit               dspace              100     100       0       0     100       0       0
mla-core          -                   100     100       0       0      84       0       0
muenster-miami    -                   100     100       0       0     100       0       0
mycore            mycore              100     100      87     100     100      12       0
nature            nature              100     100       0       0     100       0       0
ncar              -                   100       0       0       0     100       0       0
noaa              -                   100       0       0       0     100       0       0
ojs3              pkp                 100      96      99     100     100      97       0
opus4             -                   100       0     100     100     100     100       0
opus4             opus                100     100       0       0     100     100       0
pangaea           pangaea             100      75       0       0     100      50     100
pdc               -                   100       0       0       0     100       0       0
pmc               pmc                 100     100       0       0     100       5       0
primo             -                   100       0     100     100     100     100       0
purdue            -                   100     100       0       0     100       0       0
radar             -                    66      66       0       0      66       0      33
rcaap-aggregator  pkp                   0       0       0       0       0       0       0
rcaap-aggregator  rcaap                 0       0       0       0       0       0       0
scicat            -                   100     100       0       0     100       0       0
seanoe            -                   100     100       0       0     100      50       0
sickle            -                   100       0       0       0     100       0       0
sldr              -                   100     100     100     100     100     100       0
slks              -                   100       0       0       0     100       0       0
springshare       springshare         100       0       0       0       0       0       0
tdar              tdar                100       0       0       0     100       0       0
ucescholarship    escholarship        100     100       0       0     100       0       0
unt-aubrey        -                   100     100       0       0     100       0       0
visuallibrary     -                   100     100      66     100     100      33      66
wdcc              -                   100     100       0       0     100      50       0
zenodo            -                   100     100       0       0     100      50      50
zenodo            zenodo              100     100       0       0     100      73       2
`

// TestSamples maps recorded answers of real repositories. What must hold of
// every link holds of theirs, and no share falls below what it was.
func TestSamples(t *testing.T) {
	counts := map[string]*counted{} // by folder and the platform that is learned
	for _, file := range recorded.Files(t) {
		s := readSample(t, file.Path)
		if len(s.records) == 0 {
			continue
		}
		learned := Learn(s.baseURL, oaipmh.Identify{}, nil, nil, s.records)
		name := file.Platform + " " + cmp.Or(learned.Platform, "-")
		if counts[name] == nil {
			counts[name] = &counted{}
		}
		mapSample(t, s, learned, counts[name])
	}
	var report strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		got := counts[name].shares()
		fmt.Fprintf(&report, "%s %v\n", name, got)
		for i, least := range leastShares(t, name) {
			if got[i] < least {
				t.Errorf("%s: got %v, want at least %v", name, got, leastShares(t, name))
				break
			}
		}
	}
	t.Log("\n" + report.String())
}

// leastShares returns the shares of a folder and platform; none if the table
// does not have it.
func leastShares(t *testing.T, name string) (out []int) {
	t.Helper()
	for line := range strings.Lines(sampleShares) {
		words := strings.Fields(line)
		if len(words) < 3 || strings.Join(words[:2], " ") != name {
			continue
		}
		for _, w := range words[2:] {
			n, err := strconv.Atoi(w)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
	}
	return out
}

// counted is how many of the records have what; typed, how many have a media
// type for each of their files.
type counted struct{ records, landing, citeAs, files, typed, typ, licence, author int }

// shares are percentages of the records, rounded down; typed is of those with files.
func (c counted) shares() []int {
	of := func(n, all int) int { return 100 * n / max(all, 1) }
	return []int{of(c.landing, c.records), of(c.citeAs, c.records), of(c.files, c.records), of(c.typed, c.files),
		of(c.typ, c.records), of(c.licence, c.records), of(c.author, c.records)}
}

func (c *counted) add(o Object) {
	one := func(has bool) int {
		if has {
			return 1
		}
		return 0
	}
	c.landing++
	c.citeAs += one(o.CiteAs != "")
	c.typ += one(o.Type != "")
	c.licence += one(o.License != "")
	c.author += one(len(o.Authors) > 0)
	c.files += one(len(o.Items) > 0)
	c.typed += one(len(o.Items) > 0 && !slices.ContainsFunc(o.Items, func(i ContentResource) bool { return i.MediaType == "" }))
}

func mapSample(t *testing.T, s sample, learned Learned, c *counted) {
	t.Helper()
	m, err := NewMapping(s.baseURL, learned, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.records {
		if len(r.Metadata) == 0 {
			continue
		}
		c.records++
		o, err := m.Map(r.Identifier, []Record{{Prefix: "sample", Sets: r.Sets, Metadata: r.Metadata}}, nil)
		if err != nil {
			continue
		}
		c.add(o)
		holds(t, s.file+" "+r.Identifier, o)
	}
}

// holds checks what must hold of every object.
func holds(t testing.TB, name string, o Object) {
	t.Helper()
	set := Signpost(o, nil, Gateway{LinkSetJSON: "https://gateway.example.org/json", LinkSetText: "https://gateway.example.org/text"})
	if len(set) == 0 {
		t.Errorf("%s: no links of %+v", name, o)
	}
	for _, l := range set {
		if err := linkset.Check(l); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		u, err := url.Parse(l.Href)
		if err != nil || !u.IsAbs() || isPlaceholder(u.Hostname()) {
			t.Errorf("%s: %s may not be linked", name, l.Href)
		}
	}
	if o.CiteAs == "" || o.CiteAs == o.LandingPage.URL {
		return
	}
	if id, ok := identifier.Parse(o.CiteAs); !ok || !id.Persistent() {
		t.Errorf("%s: cite-as %s is no persistent identifier", name, o.CiteAs)
	}
}

// sample is a recorded answer.
type sample struct {
	file, baseURL string
	records       []oaipmh.Record
}

var (
	requestElement = regexp.MustCompile(`<request\b[^>]*>([^<]*)</request>`)
	recordElements = regexp.MustCompile(`(?s)<(\w+:)?record\b.*</(\w+:)?record>`)
)

// readSample reads an answer as the harvester does. Of some only the records
// were kept.
func readSample(t *testing.T, file string) sample {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{file: file}
	if m := requestElement.FindSubmatch(body); m != nil {
		s.baseURL = strings.TrimSpace(string(m[1]))
	}
	page, err := oaipmh.ReadPage(body, "text/xml")
	if err != nil {
		answer := `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>` + string(recordElements.Find(body)) + `</ListRecords></OAI-PMH>`
		if page, err = oaipmh.ReadPage([]byte(answer), "text/xml"); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	s.records = page.Records
	for _, bad := range page.Bad {
		t.Logf("%s: %s: %v", file, bad.Identifier, bad.Err)
	}
	return s
}

// otherWords are what a few repositories put into dc:type that names no kind of
// thing: methods, and media types that tell nothing.
var otherWords = strings.Fields(`application/pdf DFT FEM HartreeFockMethod theme discourse-type:narrative linguistic-type:primary_text`)

// TestSampleValues holds the share of dc:type and dc:format that is understood.
// Sizes and extents, which are no media types, do not count.
func TestSampleValues(t *testing.T) {
	types, formats := shareOf{unknown: map[string]int{}}, shareOf{unknown: map[string]int{}}
	for _, file := range recorded.Files(t) {
		for _, r := range readSample(t, file.Path).records {
			root, err := element.Parse(r.Metadata)
			if err != nil {
				continue
			}
			for e := range root.Children() {
				value := e.Text()
				switch {
				case value == "":
				case e.Local() == "type" && !slices.Contains(otherWords, value) && !isNoType(value):
					_, ok := vocabulary.TypeOf(value)
					types.count(value, ok)
				case e.Local() == "format" && strings.Contains(value, "/"):
					_, ok := vocabulary.MediaTypeOf(value)
					formats.count(value, ok)
				}
			}
		}
	}
	for name, s := range map[string]shareOf{"dc:type": types, "dc:format": formats} {
		t.Logf("%d of %d values of %s are understood, not %v", s.known, s.all, name, s.unknown)
		if s.known*100 < s.all*96 {
			t.Errorf("%d of %d values of %s are understood, want 96 %%", s.known, s.all, name)
		}
	}
}

// isNoType reports whether a value says something else than a type.
func isNoType(value string) bool {
	_, ok := vocabulary.TypeOf(value)
	return !ok && vocabulary.WhyNoType(value) != "not a known type"
}

type shareOf struct {
	known, all int
	unknown    map[string]int
}

func (s *shareOf) count(value string, known bool) {
	s.all++
	if known {
		s.known++
	} else {
		s.unknown[value]++
	}
}
