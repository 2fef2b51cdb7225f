package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// cdifList is a page of a CDIF list as it is read.
type cdifList struct {
	Context  any              `json:"@context"`
	Elements []map[string]any `json:"schema:itemListElement"`
	Number   int              `json:"schema:numberOfItems"`
}

func (g *gateway) list(t testing.TB, path string) cdifList {
	t.Helper()
	_, _, body := g.ask(t, "GET", path, nil)
	var list cdifList
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
	if list.Number != len(list.Elements) {
		t.Errorf("%s: %d elements, said to be %d", path, len(list.Elements), list.Number)
	}
	return list
}

// saveDC saves a numbered object with a record in Dublin Core.
func (g *gateway) saveDC(t testing.TB, i int, title string, documents bridge.Documents) {
	t.Helper()
	o := store.Object{Repository: "main", Identifier: numberedIdentifier(i), Prefixes: []string{"oai_dc"}, Object: numbered(i)}
	o.Documents = documents
	metadata := `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		`<dc:title>` + title + `</dc:title><dc:rights>CC BY 4.0</dc:rights></oai_dc:dc>`
	record := store.Record{Identifier: o.Identifier, Prefix: "oai_dc", Datestamp: "2030-05-06T07:08:09Z", Metadata: []byte(metadata)}
	batch := store.Batch{Objects: []store.Object{o}, Records: []store.Record{record}, Checkpoint: store.Checkpoint{Repository: "main", Prefix: "oai_dc"}}
	if err := g.db.Save(context.WithoutCancel(t.Context()), "main", batch); err != nil {
		t.Fatal(err)
	}
}

// The pages of the list have every object that has a CDIF document, and it is
// the same there but for the context, which the list has.
func TestListHasTheDocuments(t *testing.T) {
	const all = bridge.Citation | bridge.CDIF
	g := newGateway(t, func(_ *Config, options *[]store.Option) {
		*options = append(*options, store.SignmapLimits(store.Limits{Objects: 3 * atOnce, Weight: 1 << 30, MaxWeight: 1 << 30}))
	})
	want := map[string]bool{}
	for i := range 5*atOnce + 1 {
		documents := bridge.Documents(all)
		if i%7 == 3 {
			documents = bridge.Citation
		} else {
			want[numbered(i).CiteAs] = true
		}
		g.saveDC(t, i, fmt.Sprint("Tides ", i, " &lt;/script&gt;&lt;!-- \u2028 größer"), documents)
	}
	g.clock.pass()
	for page := 1; page <= 2; page++ {
		list := g.list(t, fmt.Sprintf("/main/cdif-%d.jsonld", page))
		for _, element := range list.Elements {
			id := element["@id"].(string)
			if !want[id] {
				t.Errorf("%s is in the list again, or has no CDIF document", id)
			}
			delete(want, id)
			var i int
			if _, err := fmt.Sscanf(id, "https://doi.org/10.1234/%d", &i); err != nil {
				t.Fatal(err)
			}
			_, _, body := g.ask(t, "GET", "/main/"+store.KeyOf(numberedIdentifier(i))+"/metadata/cdif.jsonld", nil)
			var document map[string]any
			if err := json.Unmarshal([]byte(body), &document); err != nil {
				t.Fatal(err)
			}
			element["@context"] = list.Context
			if diff := cmp.Diff(document, element); diff != "" {
				t.Fatalf("%s: document and element of the list differ: %s", id, diff)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the list: %v", want)
	}
	_, _, body := g.ask(t, "GET", "/main/cdif-1.jsonld", nil)
	if i := strings.IndexFunc(body, func(r rune) bool { return r > '~' || r == '<' || r == '>' || r == '&' }); i >= 0 {
		t.Errorf("not in ASCII, or not escaped: %q", body[i:min(i+40, len(body))])
	}
}

// A change touches one page: the others keep file, bytes and ETag.
func TestOnlyTheChangedPageOfTheListIsRendered(t *testing.T) {
	g := newGateway(t, func(c *Config, options *[]store.Option) {
		gatewayFor("cdif.txt")(c, options)
		*options = append(*options, store.Now(c.Now))
	})
	g.saveDC(t, 1, "Tides", bridge.Citation|bridge.CDIF)
	g.clock.pass()
	tag := func(page int) string {
		_, header, _ := g.ask(t, "GET", fmt.Sprintf("/main/cdif-%d.jsonld", page), nil)
		return header.Get("ETag")
	}
	before := [...]string{tag(1), tag(2)}
	sitemap := func() (lines []string) {
		_, _, body := g.ask(t, "GET", "/main/cdif-sitemap.xml", nil)
		for line := range strings.SplitSeq(body, "\n") {
			if strings.HasPrefix(line, "<url>") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	named := sitemap()
	o := objects["plain"]
	o.CiteAs = "https://doi.org/10.1234/changed"
	g.clock.pass()
	g.save(t, "plain", o, false) // on the second page
	g.clock.pass()
	if after := [...]string{tag(1), tag(2)}; after[0] != before[0] || after[1] == before[1] {
		t.Errorf("ETags were %q, and are %q", before, after)
	}
	if now := sitemap(); len(now) != 2 || now[0] != named[0] || now[1] == named[1] {
		t.Errorf("the sitemap was %q, and is %q", named, now)
	}
}

// Without a folder the list is rendered into the answer.
func TestListWithoutAFolder(t *testing.T) {
	g := newGateway(t, gatewayFor("nofolder.txt"))
	saveDescribed(t, g, described, enough, false)
	for _, zipped := range []string{"", "gzip"} {
		status, header, body := g.ask(t, "GET", "/main/cdif.jsonld", http.Header{"Accept-Encoding": {zipped}})
		if status != 200 || header.Get("X-Robots-Tag") != "noindex" || !bytes.HasSuffix([]byte(body), []byte("\"schema:numberOfItems\": 1\n}\n")) {
			t.Errorf("got %d, %v\n%s", status, header, body)
		}
	}
}
