package bridge

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/element"
	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh"
)

// sampleFigures are what is found in the recorded answers, as TestSamples
// counts it: by folder and the platform that is learned from the answers alone.
// files are those of all records, typed those with a media type.
const sampleFigures = `
folder            platform       records landing cite-as   files   typed    type licence  author
arxiv             arxiv               30      30      30       0       0      30       0       0
asu               -                   29      29      29       0       0      29       1       0
bhl               bhl                 43      43       0       0       0      43       0       0
citeseerx         citeseerx           30      30       0       0       0      30       0       0
ckan              -                    4       4       3       9       5       4       1       0
columbia          columbia             6       6       6       0       0       6       0       0
contentdm         -                    6       5       0       0       0       5       3       0
cyberleninka      -                   30      30       0       0       0      30       0       0
dans-easy         -                    2       2       2       0       0       2       2       0
dara              datacite             2       2       2       0       0       2       0       0
datacite-oai      datacite            32      32      32       0       0      31       2       1
dataverse         -                   42      42      42       0       0      41      41      16
dataverse         dataverse            1       1       1       0       0       1       1       0
digitalcommons    digitalcommons     426     426       0     350     350     426      57       0
dpla-hub          -                   11      11       0      10       0       1       0       0
dryad-dspace      dryad               30      26      26       0       0      26      15       0
dspace            -                    1       1       0       0       0       1       0       0
dspace            dspace             560     534     430      13      13     437      54       1
egi-datahub       -                    1       1       0       0       0       0       1       0
envri             -                    1       0       0       0       0       0       0       0
eprints           eprints             70      70       0      48      48      70       0       0
eprints           librecat             1       1       0       1       0       1       0       0
erudit            erudit              46      46      27       0       0      46       0       0
fedora            -                    1       1       0       0       0       1       1       0
icat              -                    1       1       1       0       0       1       1       0
icpsr             -                    1       0       0       0       0       0       0       0
icpsr             icpsr                4       4       4       0       0       3       0       0
invenio           -                    1       1       0       0       0       1       1       0
islandora         -                    2       2       0       0       0       2       2       0
ivoa              -                    2       1       0       0       0       1       0       0
librecat          librecat            30      30      30      20      20      30       0       0
maxwell           -                    5       5       0       0       0       5       0       0
mla-core          -                   25      25      25       0       0      21       0       0
nature            nature              30      30      30       0       0      30       0       0
ncar              -                    1       1       0       0       0       0       0       0
noaa              -                    5       5       0       0       0       5       0       0
pangaea           pangaea              4       4       3       0       0       4       2       4
pdc               -                    1       1       0       0       0       0       0       0
pmc               pmc                 51      51      51       0       0      51       3       0
primo             -                    1       1       0       1       1       1       1       0
purdue            -                    2       2       2       0       0       2       0       0
radar             -                    3       2       2       0       0       2       0       1
rcaap-aggregator  pkp                  1       0       0       0       0       0       0       0
rcaap-aggregator  rcaap               30       0       0       0       0       0       0       0
scicat            -                    1       1       1       0       0       0       0       0
seanoe            -                    2       2       2       0       0       2       1       0
sickle            -                    3       3       0       0       0       3       0       0
sldr              -                    1       1       1      15      15       1       0       0
slks              -                    2       2       0       0       0       0       0       0
springshare       springshare          1       1       0       0       0       0       0       0
tdar              tdar                24      24       0       0       0      24       0       0
ucescholarship    escholarship         6       6       6       0       0       6       0       0
unt-aubrey        -                    1       1       1       0       0       1       0       0
wdcc              -                    2       2       2       0       0       1       1       0
zenodo            -                    2       2       2       0       0       2       1       1
zenodo            zenodo              38      38      38       0       0      38      28       1
`

// TestSamples maps recorded answers of real repositories. They are not part of
// the project: FINGERPOST_SAMPLES names the folder, with a folder for each
// platform. What must hold of every link holds of theirs, and the figures are
// those that were found right by eye.
func TestSamples(t *testing.T) {
	dir := os.Getenv("FINGERPOST_SAMPLES")
	if dir == "" {
		t.Skip("FINGERPOST_SAMPLES does not name a folder of recorded answers; they are not ours to publish")
	}
	total := 0
	var report strings.Builder
	for _, folder := range folders(t, dir) {
		counts := map[string]*counted{}
		for _, file := range files(t, filepath.Join(dir, folder)) {
			s := readSample(t, file)
			if len(s.records) == 0 {
				continue
			}
			learned := Learn(s.baseURL, oaipmh.Identify{}, nil, nil, s.records)
			if counts[learned.Platform] == nil {
				counts[learned.Platform] = &counted{}
			}
			mapSample(t, s, learned, counts[learned.Platform])
			total += len(s.records)
		}
		want := figuresOf(folder)
		for _, platform := range slices.Sorted(maps.Keys(counts)) {
			got := fmt.Sprintf("%-17s %-15s%s", folder, cmp.Or(platform, "-"), counts[platform])
			report.WriteString(got + "\n")
			if len(want) > 0 && !slices.Contains(want, got) {
				t.Errorf("got  %s\nwant one of\n     %s", got, strings.Join(want, "\n     "))
			}
		}
	}
	t.Log("\n" + report.String())
	if total == 0 {
		t.Errorf("no record was found in %s", dir)
	}
}

// figuresOf returns the lines about a folder; none if it is not known.
func figuresOf(folder string) []string {
	var out []string
	for line := range strings.Lines(sampleFigures) {
		if strings.HasPrefix(line, folder+" ") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// counted is how many of the records have what, and how many files there are.
type counted struct{ records, landing, citeAs, files, typed, typ, licence, author int }

func (c counted) String() string {
	return fmt.Sprintf("%7d %7d %7d %7d %7d %7d %7d %7d", c.records, c.landing, c.citeAs, c.files, c.typed, c.typ, c.licence, c.author)
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
	c.files += len(o.Items)
	for _, item := range o.Items {
		c.typed += one(item.MediaType != "")
	}
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
	if id, ok := ParseIdentifier(o.CiteAs); !ok || !id.Persistent() {
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

func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// notTypes are what repositories put into dc:type that names no kind of thing:
// versions, reviews, embargoes, methods, and media types that tell nothing.
var notTypes = strings.Fields(`PeerReviewed NonPeerReviewed publishedversion acceptedversion
	info:eu-repo/semantics/publishedVersion info:eu-repo/semantics/acceptedVersion Versionréviséeparlespairs/Postprint
	application/pdf DFT FEM HartreeFockMethod theme oneyear untilArticleAppears none
	discourse-type:narrative linguistic-type:primary_text`)

// TestSampleValues holds the share of dc:type and dc:format that is understood.
// Sizes and extents, which are no media types, do not count.
func TestSampleValues(t *testing.T) {
	dir := os.Getenv("FINGERPOST_SAMPLES")
	if dir == "" {
		t.Skip("FINGERPOST_SAMPLES does not name a folder of recorded answers; they are not ours to publish")
	}
	types, formats := shareOf{unknown: map[string]int{}}, shareOf{unknown: map[string]int{}}
	for _, folder := range folders(t, dir) {
		for _, file := range files(t, filepath.Join(dir, folder)) {
			for _, r := range readSample(t, file).records {
				tree, err := element.Parse(r.Metadata)
				if err != nil {
					continue
				}
				for e := range tree.Root().Children() {
					value := e.Text()
					switch {
					case value == "":
					case e.Local() == "type" && !slices.Contains(notTypes, strings.ReplaceAll(value, " ", "")):
						_, ok := typeOf(value)
						types.count(value, ok)
					case e.Local() == "format" && strings.Contains(value, "/"):
						_, ok := mediaTypeOf(value)
						formats.count(value, ok)
					}
				}
			}
		}
	}
	for name, s := range map[string]shareOf{"dc:type": types, "dc:format": formats} {
		t.Logf("%d of %d values of %s are understood, not %v", s.known, s.all, name, s.unknown)
		if s.known*100 < s.all*98 {
			t.Errorf("%d of %d values of %s are understood, want 98 %%", s.known, s.all, name)
		}
	}
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
