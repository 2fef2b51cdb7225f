package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

// entry is a url element as it is read.
type entry struct {
	loc, lastmod string
	links        linkset.LinkSet
}

// readPage reads a page as strictly as the schemas are: urlset holds url, url
// holds loc, perhaps lastmod, then ln, and nothing else.
func readPage(page []byte) ([]entry, error) {
	var set struct {
		XMLName xml.Name
		URLs    []struct {
			XMLName  xml.Name
			Children []struct {
				XMLName xml.Name
				Text    string     `xml:",chardata"`
				Attrs   []xml.Attr `xml:",any,attr"`
			} `xml:",any"`
		} `xml:",any"`
	}
	if err := xml.Unmarshal(page, &set); err != nil {
		return nil, err
	}
	const sitemap, terms = "http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.openarchives.org/rs/terms/"
	if set.XMLName != (xml.Name{Space: sitemap, Local: "urlset"}) {
		return nil, fmt.Errorf("root is %v", set.XMLName)
	}
	var entries []entry
	for _, u := range set.URLs {
		if u.XMLName != (xml.Name{Space: sitemap, Local: "url"}) {
			return nil, fmt.Errorf("urlset holds %v", u.XMLName)
		}
		var e entry
		for i, c := range u.Children {
			switch {
			case i == 0 && c.XMLName == xml.Name{Space: sitemap, Local: "loc"}:
				e.loc = c.Text
			case i == 1 && c.XMLName == xml.Name{Space: sitemap, Local: "lastmod"}:
				e.lastmod = c.Text
			case i > 0 && c.XMLName == xml.Name{Space: terms, Local: "ln"}:
				e.links = append(e.links, readLink(e.loc, c.Attrs))
			default:
				return nil, fmt.Errorf("child %d of url %s is %v", i, e.loc, c.XMLName)
			}
		}
		if e.loc == "" {
			return nil, fmt.Errorf("a url has no loc")
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func readLink(loc string, attrs []xml.Attr) linkset.Link {
	l := linkset.Link{Anchor: loc}
	for _, a := range attrs {
		switch a.Name.Local {
		case "rel":
			l.Rel = a.Value
		case "href":
			l.Href = a.Value
		case "type":
			l.Type = a.Value
		case "profile":
			l.Profile = a.Value
		}
	}
	return l
}

// The Signmap has every live object once, with the links of its landing page
// as the link set has them, and those to the link set; the inbox is none of
// what a Signmap has. Signmap.
func TestSignmapIsTheLinkSets(t *testing.T) {
	const inbox = "https://repo.example.org/inbox"
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories[0].Inbox = inbox })
	_, _, page := g.ask(t, "GET", "/main/signmap.xml", nil)
	entries, err := readPage([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]entry{}
	for _, e := range entries {
		got[e.loc] = e
		if _, err := time.Parse(time.RFC3339, e.lastmod); err != nil {
			t.Errorf("%s: lastmod %q: %v", e.loc, e.lastmod, err)
		}
	}
	if len(got) != len(entries) || len(got) != len(objects)-1 {
		t.Errorf("got %d entries, %d of them distinct, want %d", len(entries), len(got), len(objects)-1)
	}
	for name, o := range objects {
		loc, key := anchor(o.LandingPage.URL), store.KeyOf(identifierOf(name))
		if name == "gone" {
			continue
		}
		_, _, doc := g.ask(t, "GET", "/main/"+key+"/linkset.json", nil)
		all, err := linkset.ParseJSON([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(doc, inbox) {
			t.Errorf("%s: the link set does not have the inbox:\n%s", name, doc)
		}
		listed := slices.DeleteFunc(all.From(loc), func(l linkset.Link) bool { return l.Href == inbox })
		want := append(listed,
			linkset.Link{Anchor: loc, Rel: "linkset", Href: g.urls.linkSetJSON("main", key), Type: "application/linkset+json"},
			linkset.Link{Anchor: loc, Rel: "linkset", Href: g.urls.linkSetText("main", key), Type: "application/linkset"})
		if diff := gocmp.Diff(sorted(want), sorted(got[loc].links)); diff != "" {
			t.Errorf("%s: link set and Signmap differ: %s", name, diff)
		}
	}
}

// Days stay days: the repository does not know the time.
func TestLastmodIsAsPrecise(t *testing.T) {
	at := time.Date(2030, 5, 6, 7, 8, 9, 0, time.FixedZone("", 3600))
	for _, c := range []struct {
		days bool
		at   time.Time
		want string
	}{
		{true, at, "2030-05-06"},
		{false, at, "2030-05-06T06:08:09Z"},
		{false, time.Time{}, ""},
	} {
		pw := pageWriter{days: c.days}
		if got := pw.lastmod(c.at); got != c.want {
			t.Errorf("days=%v: got %q, want %q", c.days, got, c.want)
		}
	}
}

// What gzip gives is the page.
func TestSignmapZipped(t *testing.T) {
	g := newGateway(t, nil)
	_, bareHeader, bare := g.ask(t, "GET", "/main/signmap.xml", nil)
	_, header, zipped := g.ask(t, "GET", "/main/signmap.xml", http.Header{"Accept-Encoding": {"gzip"}})
	if header.Get("Content-Length") != fmt.Sprint(len(zipped)) || header.Get("ETag") == bareHeader.Get("ETag") {
		t.Errorf("got %v for %d bytes", header, len(zipped))
	}
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || string(got) != bare {
		t.Errorf("unzipped it is %d bytes (%v), want the %d of the page", len(got), err, len(bare))
	}
	status, _, body := g.ask(t, "GET", "/main/signmap.xml", http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {header.Get("ETag")}})
	if status != 304 || body != "" {
		t.Errorf("got %d and %d bytes, want 304", status, len(body))
	}
}

// A page whose objects did not change keeps its file, bytes and ETag; of the
// one that did, the old files go.
func TestOnlyChangedPagesAreRendered(t *testing.T) {
	g := newGateway(t, gatewayFor("signmap-index.txt"))
	read := func(n int) (string, os.FileInfo) {
		_, header, _ := g.ask(t, "GET", fmt.Sprintf("/main/signmap-%d.xml", n), nil)
		files := g.pageFiles(t, n)
		if len(files) != 2 {
			t.Fatalf("files of page %d: %v; want the page and its gzip", n, files)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return header.Get("ETag"), info
	}
	tag1, file1 := read(1)
	tag2, file2 := read(2)
	o := objects["article"] // the first in order: on page 1
	o.Year = 2029
	o.CiteAs = "https://doi.org/10.1234/changed"
	g.save(t, "article", o, false)
	g.clock.pass()
	newTag1, newFile1 := read(1)
	newTag2, newFile2 := read(2)
	if newTag1 == tag1 || os.SameFile(file1, newFile1) {
		t.Error("the page of the changed object is the old one")
	}
	if newTag2 != tag2 || !os.SameFile(file2, newFile2) {
		t.Errorf("the other page was rendered again: ETag %s, was %s", newTag2, tag2)
	}
}

// pageFiles are the files of a page: the page, then its gzip.
func (g *gateway) pageFiles(t testing.TB, n int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(g.PageFolder, "main", fmt.Sprintf("signmap-%d.*", n)))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(filepath.Ext(b), filepath.Ext(a)) })
	return files
}

// A page of which one file is missing is rendered again, with the same bytes, and
// what a process left that was killed goes.
func TestMissingPagesAreRenderedAgain(t *testing.T) {
	g := newGateway(t, nil)
	gzipped := http.Header{"Accept-Encoding": {"gzip"}}
	_, _, bare := g.ask(t, "GET", "/main/signmap.xml", nil)
	_, _, zipped := g.ask(t, "GET", "/main/signmap.xml", gzipped)
	for _, file := range g.pageFiles(t, 1) {
		left := filepath.Join(filepath.Dir(file), "signmap-1.123"+unfinished)
		if err := errors.Join(os.Remove(file), os.WriteFile(left, []byte("<urlset>"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, _, got := g.ask(t, "GET", "/main/signmap.xml", nil); got != bare {
			t.Errorf("served %d bytes, want the %d of the page", len(got), len(bare))
		}
		if _, _, got := g.ask(t, "GET", "/main/signmap.xml", gzipped); got != zipped {
			t.Errorf("served %d bytes as gzip, want %d", len(got), len(zipped))
		}
		if files := g.pageFiles(t, 1); len(files) != 2 {
			t.Errorf("left: %v", files)
		}
	}
}

// A file that is there is taken, whoever made it: the page is not rendered again.
func TestPagesOutliveARestart(t *testing.T) {
	g := newGateway(t, nil)
	g.ask(t, "GET", "/main/signmap.xml", nil)
	before, err := os.Stat(g.pageFiles(t, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	g.signmaps = newPaged(g.parts, signmapPages)
	g.router = g.newRouter()
	g.ask(t, "GET", "/main/signmap.xml", nil)
	if after, err := os.Stat(g.pageFiles(t, 1)[0]); err != nil || !os.SameFile(before, after) {
		t.Errorf("the page was rendered again: %v", err)
	}
}

// A request for thousands of parts of a page gets the page.
func TestRangesAreBounded(t *testing.T) {
	g := newGateway(t, nil)
	_, _, page := g.ask(t, "GET", "/main/signmap.xml", nil)
	for n, want := range map[int]int{1: 206, mostRanges: 206, mostRanges + 1: 200, 5000: 200} {
		ranges := "bytes=" + strings.TrimSuffix(strings.Repeat("0-4,", n), ",")
		status, _, body := g.ask(t, "GET", "/main/signmap.xml", http.Header{"Range": {ranges}})
		if status != want || len(body) > 2*len(page) || want == 200 && body != page {
			t.Errorf("%d ranges: got %d and %d bytes, want %d", n, status, len(body), want)
		}
	}
}

// An index names as many pages as it may.
func TestIndexIsBounded(t *testing.T) {
	var log strings.Builder
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	_, repo := firstPage(t, g)
	pages := make([]store.SignmapPage, mostSitemaps+1)
	for i := range pages {
		pages[i] = store.SignmapPage{Number: i + 1, Objects: 1}
	}
	d := g.signmaps.signmapIndex(repo, pages)
	if n := bytes.Count(d.body, []byte("<sitemap>")); n != mostSitemaps || len(d.body) > mostBytes || !strings.Contains(log.String(), "more pages than an index may name") {
		t.Errorf("got %d sitemaps in %d bytes; the log says:\n%s", n, len(d.body), log.String())
	}
}

// A folder that cannot be written costs time, not the Signmap.
func TestUnwritableFolder(t *testing.T) {
	var log strings.Builder
	g := newGateway(t, func(c *Config, _ *[]store.Option) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		c.PageFolder = filepath.Join(c.PageFolder, "file")
		if err := os.WriteFile(c.PageFolder, nil, 0o444); err != nil {
			t.Fatal(err)
		}
	})
	for range 2 {
		status, _, page := g.ask(t, "GET", "/main/signmap.xml", nil)
		entries, err := readPage([]byte(page))
		if status != 200 || err != nil || len(entries) != len(objects)-1 {
			t.Errorf("got %d, %d entries, %v", status, len(entries), err)
		}
	}
	if n := strings.Count(log.String(), "let this user write there"); n != 1 {
		t.Errorf("the log says %d times what to do, want once:\n%s", n, log.String())
	}
}

// Too many open files are not the fault of the folder.
func TestTooManyOpenFilesHaveTheirOwnRemedy(t *testing.T) {
	err := &fs.PathError{Op: "open", Path: "signmap.xml", Err: syscall.EMFILE}
	if got := fileRemedy(err); !strings.Contains(got, "ulimit -n") {
		t.Errorf("got %s", got)
	}
	if got := fileRemedy(&fs.PathError{Op: "open", Path: "signmap.xml", Err: syscall.EACCES}); !strings.Contains(got, "folder") {
		t.Errorf("got %s", got)
	}
}

// Without a folder nothing is written, wherever the program was started.
func TestNoFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.PageFolder = "" })
	if status, _, page := g.ask(t, "GET", "/main/signmap.xml", nil); status != 200 || !strings.HasSuffix(page, pageTail) {
		t.Errorf("got %d %s", status, page)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v", left, err)
	}
}

// Where a page could become too large, entries go without items, authors and
// further metadata, in this order, and never without identifier and link set.
func TestEntriesGiveWay(t *testing.T) {
	g := newGateway(t, nil)
	_, repo := firstPage(t, g)
	o := store.Object{Repository: "main", Identifier: "x", Key: store.KeyOf("x"), Prefixes: []string{"oai_dc", "datacite"}, Object: objects["article"]}
	for range 40 {
		o.Authors = append(o.Authors, "https://orcid.org/0000-0002-1825-0097")
	}
	links := repo.signpost(o)
	loc := anchor(o.LandingPage.URL)
	size := func(links linkset.LinkSet) int { return len(appendURL(nil, loc, "", links)) }
	links = links.From(loc)
	full, withoutItems := size(links), size(links.Except("item"))
	withoutAuthors := size(links.Except("item").Except("author"))
	for _, c := range []struct {
		room int
		want string // rels that are left, and how many
	}{
		{full, "author 41, describedby 4, item 2"},
		{full - 1, "author 41, describedby 4, item 0"},
		{withoutItems - 1, "author 0, describedby 4, item 0"},
		{withoutAuthors - 1, "author 0, describedby 1, item 0"},
	} {
		pw := pageWriter{w: io.Discard, room: c.room + 3*reserve, left: 4}
		if err := pw.add(o, links); err != nil {
			t.Fatal(err)
		}
		entries, err := readPage([]byte(pageHead + string(pw.b) + pageTail))
		if err != nil {
			t.Fatal(err)
		}
		left := entries[0].links
		got := fmt.Sprintf("author %d, describedby %d, item %d", len(left.Rel("author")), len(left.Rel("describedby")), len(left.Rel("item")))
		if got != c.want || len(left.Rel("cite-as")) != 1 || len(left.Rel("linkset")) != 2 {
			t.Errorf("room %d: got %s and %v, want %s", c.room, got, left, c.want)
		}
	}
}

// A page is well-formed and within the bounds for any objects. If their entries
// without files fit the reserve, all objects are on it.
func TestPagesAreBounded(t *testing.T) {
	g := newGateway(t, nil)
	_, repo := firstPage(t, g)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "objects")
		room := rapid.IntRange(300, 2*reserve*(n+1)).Draw(t, "room")
		var page bytes.Buffer
		pw := pageWriter{w: &page, room: room, left: n}
		pw.b = append(pw.b, pageHead...)
		fits := room >= n*reserve
		for i := range n {
			o := store.Object{Repository: "main", Identifier: fmt.Sprint(i), Prefixes: []string{"oai_dc"}}
			o.LandingPage.URL = "https://repo.example.org/" + rapid.String().Draw(t, "path")
			o.CiteAs = "https://doi.org/" + rapid.String().Draw(t, "doi")
			o.Key = store.KeyOf(o.Identifier)
			o.Items = manyFiles(rapid.IntRange(0, 60).Draw(t, "files"))
			links := repo.signpost(o)
			loc := anchor(o.LandingPage.URL)
			fits = fits && loc != "" && len(loc) <= longestLoc && len(appendURL(nil, loc, "", links.From(loc).Except("item"))) <= reserve
			if err := pw.add(o, links); err != nil {
				t.Fatal(err)
			}
		}
		pw.b = append(pw.b, pageTail...)
		if err := pw.flush(); err != nil {
			t.Fatal(err)
		}
		entries, err := readPage(page.Bytes())
		if err != nil || page.Len() > room+len(pageHead)+len(pageTail) || len(entries)+pw.omitted != n || fits && pw.omitted > 0 {
			t.Errorf("got %d bytes in room for %d, %d entries and %d omitted of %d, %v:\n%s", page.Len(), room, len(entries), pw.omitted, n, err, &page)
		}
	})
}

// A loc is less than 2,048 characters: sitemaps.org.
func TestLongLocIsLeftOut(t *testing.T) {
	for length, want := range map[int]int{longestLoc: 0, longestLoc + 1: 1} {
		pw := pageWriter{w: io.Discard, room: mostBytes}
		o := store.Object{}
		o.LandingPage.URL = "https://repo.example.org/" + strings.Repeat("a", length-len("https://repo.example.org/"))
		if err := pw.add(o, nil); err != nil || pw.omitted != want {
			t.Errorf("%d characters: omitted %d, %v; want %d", length, pw.omitted, err, want)
		}
	}
}
