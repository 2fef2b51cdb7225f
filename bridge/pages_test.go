package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/vocabulary"
)

// recordedPage is a landing page as it was recorded, and what it states.
type recordedPage struct {
	file    string
	page    landingpage.Page
	landing string
	items   [][]string // each by all its addresses
	media   map[string]string
	doi     string
	licence string
	orcids  []string
	read    bool // by a person
}

// rowsOf reads a table of the folder that FINGERPOST_PAGES names, without its head.
func rowsOf(t *testing.T, folder, name string) (rows [][]string) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return rows[1:]
}

// recordedPages are the pages in the folder that FINGERPOST_PAGES names. They are
// not part of the project, since they are not ours to publish.
func recordedPages(t *testing.T) (pages []recordedPage) {
	t.Helper()
	folder := os.Getenv("FINGERPOST_PAGES")
	if folder == "" {
		t.Skip("FINGERPOST_PAGES names no folder of recorded landing pages")
	}
	addresses := map[string]string{}
	for _, row := range rowsOf(t, folder, "INDEX.tsv") {
		addresses[row[0]], _, _ = strings.Cut(row[2], " ")
	}
	for _, row := range rowsOf(t, folder, "truth.tsv") {
		pages = append(pages, readRecorded(t, folder, row, addresses[row[0]]))
	}
	return pages
}

func readRecorded(t *testing.T, folder string, row []string, address string) recordedPage {
	t.Helper()
	p := recordedPage{file: row[0], read: row[7] == "read", media: map[string]string{}}
	stated := func(cell string) string { return strings.TrimPrefix(cell, "-") }
	p.landing, p.doi, p.licence, p.orcids = stated(row[1]), stated(row[3]), stated(row[4]), strings.Fields(stated(row[5]))
	for item := range strings.FieldsSeq(stated(row[2])) {
		urls, media, _ := strings.Cut(item, ";")
		p.items = append(p.items, strings.Split(urls, "|"))
		for u := range strings.SplitSeq(urls, "|") {
			p.media[NormalURL(u)] = stated(media)
		}
	}
	body, err := os.ReadFile(filepath.Join(folder, p.file))
	if err != nil {
		t.Fatal(err)
	}
	shown := p.address(address)
	p.page = landingpage.Page{Asked: shown, URL: shown, Status: http.StatusOK, Header: headersOf(t, folder, p.file), Body: bytes.NewReader(body)}
	return p
}

// address is that of the recorded page. Where only its DOI is known, or nothing,
// it is the site of what the page states.
func (p recordedPage) address(recorded string) string {
	if u, err := url.Parse(recorded); err == nil && u.Host != "" && u.Host != "doi.org" {
		return recorded
	}
	for _, stated := range append([]string{p.landing}, slices.Concat(p.items...)...) {
		if u, err := url.Parse(stated); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host + "/"
		}
	}
	return "https://unknown.example.org/"
}

func headersOf(t *testing.T, folder, file string) http.Header {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, strings.TrimSuffix(file, ".html")+".headers"))
	if errors.Is(err, os.ErrNotExist) {
		return http.Header{"Content-Type": {"text/html"}}
	}
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(text, '\n', '\n')))).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	return http.Header(header)
}

// object maps a page that was asked for beside a record that states nothing.
func (p recordedPage) object(t *testing.T, record []byte) Object {
	t.Helper()
	m, err := NewMapping(p.page.URL, Learned{PageFiles: FilesBelieved}, Settings{LandingPage: p.page.URL, CiteAsPublishedDOI: true, Pages: true})
	if err != nil {
		t.Fatal(err)
	}
	silent := Record{Prefix: "oai_dc", Metadata: []byte(`<oai_dc:dc xmlns:oai_dc="` + crosswalk.OAIDC + `"/>`)}
	o, err := m.Map("oai:repo.example.edu:12", []Record{silent, {Prefix: landingpage.Prefix, Metadata: record}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// wrongTruth are cells of truth.tsv that reading the page proves wrong.
var wrongTruth = map[string]string{
	"https://peerj.com/articles/4375":          "the landing page itself, in the place of a file",
	"http://europepmc.org/articles/PMC2654146": "the landing page itself, in the place of a file",
	"http://europepmc.org/articles/PMC3783412": "the landing page itself, in the place of a file",
	"http://europepmc.org/articles/PMC4062894": "the landing page itself, in the place of a file",
	"http://europepmc.org/articles/PMC4160115": "the landing page itself, in the place of a file",
	"https://orcid.org/0000-0001-6507-739X":    "a data curator's, whom the page names as editor, not as author",
}

// confirmed is what reading the page proves right where truth.tsv has only what a
// parser found.
var confirmed = map[string]string{
	"https://www.biorxiv.org/content/10.1101/2020.03.22.002386v3.full.txt":               "the full text, as the title of the link says",
	"https://creativecommons.org/licenses/by/4.0/ biorxiv":                               "DC.Rights says so in words and with its address",
	"http://www.biomedcentral.com/bmcgenomics/content/download/xml/1471-2164-13-425.xml": "the article in XML",
	"http://www.biomedcentral.com/content/download/xml/1471-2458-13-1092.xml":            "the article in XML",
	"http://www.biomedcentral.com/content/download/xml/1471-2164-13-425.xml":             "the article in XML",
	"http://www.ijbnpa.org/content/download/xml/1479-5868-11-34.xml":                     "the article in XML",
}

// pageColumn is what is found of a column of truth.tsv.
type pageColumn struct {
	want, got int
	missed    []string
}

// Of what a careful reader takes from the recorded pages 98 % are found in each
// column, and nothing that is not the object's. Files on hosts of others are not
// believed: rows that no person has read are counted for what they link alone.
func TestRecordedPages(t *testing.T) {
	columns := map[string]*pageColumn{"landing": {}, "item": {}, "DOI": {}, "licence": {}, "ORCID": {}}
	for _, p := range recordedPages(t) {
		record, err := landingpage.Read(p.page)
		var o Object
		var said []crosswalk.Statement
		if err == nil {
			o = p.object(t, record)
			said, err = crosswalk.Read(record, crosswalk.Links)
		}
		if strings.HasPrefix(p.file, "challenge/") {
			var wall *landingpage.WallError
			if !errors.As(err, &wall) {
				t.Errorf("%s: %v, want a wall", p.file, err)
			}
		}
		p.wrong(t, o)
		if p.read {
			p.count(columns, o, said)
		}
	}
	for name, c := range columns {
		t.Logf("%s: %d of %d", name, c.got, c.want)
		if c.want == 0 || c.got*100 < c.want*98 {
			t.Errorf("%s: %d of %d are found, want 98 %%; not %q", name, c.got, c.want, c.missed)
		}
	}
}

// count counts what is found of a page.
func (p recordedPage) count(columns map[string]*pageColumn, o Object, said []crosswalk.Statement) {
	find := func(column string, want string, found bool) {
		c := columns[column]
		if want == "" || wrongTruth[want] != "" {
			return
		}
		c.want++
		if found {
			c.got++
		} else {
			c.missed = append(c.missed, p.file+" "+want)
		}
	}
	find("landing", p.landing, slices.ContainsFunc(said, func(st crosswalk.Statement) bool {
		return st.Kind == crosswalk.Page && SameURL(st.Value, p.landing)
	}))
	for _, addresses := range p.items {
		find("item", addresses[0], slices.ContainsFunc(o.Items, func(i ContentResource) bool {
			return slices.ContainsFunc(addresses, func(u string) bool { return SameURL(u, i.URL) })
		}))
	}
	find("DOI", p.doi, strings.EqualFold(o.CiteAs, p.doi))
	find("licence", p.licence, o.License == p.canonicalLicence())
	for _, orcid := range p.orcids {
		find("ORCID", orcid, slices.Contains(o.Authors, orcid))
	}
}

func (p recordedPage) canonicalLicence() string {
	licence, _ := vocabulary.LicenceOf(p.licence)
	return licence
}

// wrong complains about what is linked and is not the object's. A media type may
// be unknown, but not another.
func (p recordedPage) wrong(t *testing.T, o Object) {
	t.Helper()
	for _, i := range o.Items {
		media, stated := p.media[NormalURL(i.URL)]
		if !stated && confirmed[i.URL] == "" {
			t.Errorf("%s: %s is no file of the object", p.file, i.URL)
		}
		if stated && i.MediaType != "" && i.MediaType != media {
			t.Errorf("%s: %s is of type %s, not %s", p.file, i.URL, media, i.MediaType)
		}
	}
	if o.CiteAs != "" && !strings.EqualFold(o.CiteAs, p.doi) {
		t.Errorf("%s: %s is not the object's identifier", p.file, o.CiteAs)
	}
	if o.License != "" && o.License != p.canonicalLicence() && confirmed[o.License+" "+filepath.Dir(p.file)] == "" {
		t.Errorf("%s: %s is not the object's licence", p.file, o.License)
	}
	for _, a := range o.Authors {
		if !slices.Contains(p.orcids, a) {
			t.Errorf("%s: %s is not an author's", p.file, a)
		}
	}
}
