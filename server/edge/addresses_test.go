package edge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/linkset"
)

// TestAddressesAsTheManualHasThem asks web servers with a map for each address
// in the table of docs/edge.md. What the lookup finds is tested in package server.
func TestAddressesAsTheManualHasThem(t *testing.T) {
	columns := map[string]int{"apache": 4, "haproxy": 5, "nginx": 6}
	var pages []Page
	rows := manualRows(t)
	for _, row := range rows {
		uri := public + code(row[1])
		pages = append(pages, Page{uri, linkset.LinkSet{{Anchor: uri, Rel: "linkset", Href: uri}}})
	}
	eachMapServer(t, pages, func(t *testing.T, name, base string) {
		for _, row := range rows {
			published, asked := code(row[1]), code(row[2])
			if got := ask(t, base, "GET", published).links(); len(got) != 1 {
				t.Errorf("%s: want one link, got %q", published, got)
			}
			want := 0
			if row[columns[name]] == "yes" {
				want = 1
			}
			if got := ask(t, base, "GET", asked).links(); len(got) != want {
				t.Errorf("%s for %s: want %d links, got %q", asked, published, want, got)
			}
		}
	})
}

// eachMapServer starts each web server that takes a map, with that of pages, and
// tests it at its address.
func eachMapServer(t *testing.T, pages []Page, test func(t *testing.T, name, base string)) {
	for _, f := range frontEnds {
		if f.mode != MapMode {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			test(t, f.name, f.serve(t, pages))
		})
	}
}

// manualRows are the cells of the table of addresses.
func manualRows(t *testing.T) (rows [][]string) {
	t.Helper()
	manual, err := os.ReadFile("../../docs/edge.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(manual)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 7 && strings.HasPrefix(cells[1], "`") {
			rows = append(rows, cells)
		}
	}
	if len(rows) < 10 {
		t.Fatalf("the manual has %d addresses", len(rows))
	}
	return rows
}

func code(cell string) string { return strings.Trim(cell, "`") }

// serve runs a web server with a map of pages, in front of an origin that
// answers whatever it is asked for.
func (f frontEnd) serve(t testing.TB, pages []Page) (base string) {
	t.Helper()
	f.need(t)
	origin := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) }))
	at := place{readableDir(t), freeAddress(t), origin.Listener.Addr().String()}
	run(t, at, f.start(t, at, f.partsFor(t, at, "127.0.0.1:9", Everything, pages)))
	return "http://" + at.address
}

// Addresses that are the same to a web server, or that nothing but its map can tell
// apart. None of them may have another's links, or keep the server from starting.
func TestPagesDoNotGetTheLinksOfOthers(t *testing.T) {
	long := "/long/" + strings.Repeat("(", 1400)
	published := []string{
		"/handle/1/aB", "/handle/1/Ab", "/view?id=aB", "/view?id=Ab", "/only/Small", "/scheme/a%3Fb", "/a/b", "/a%2Fb", "/A/B",
		"/oai?verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai_dc", "/quotes'/%22/%5C/$host/${x}/%25", "//double//slash", "/naïve%20%C3%84", "/query?a='%22%5C$host&b=%C3%84", long, long + "X", "/tab%20%25%30%39",
		"/twice%2520encoded.pdf", "/twice%20encoded.pdf", "/twice%252520encoded.pdf", "/letter%2541",
	}
	never := []string{
		"/handle/1/ab", "/view?id=ab", "/only/small", "/ONLY/SMALL", "/scheme/a?b", "/a/b", "/a%2Fb", "/double/slash", "/%64ouble//slash",
		"/letterA", "/letter%41", "/view?id=aB/", "/oai?verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai_dc&x=1", "/oai?verb=GetRecords&identifier=oai:x:1&metadataPrefix=oai_dc",
		"/handle/1/%61B%00", "/handle/1/aB%09", "/handle/1/aB%0A", "/x%09/handle/1/aB%09%3Chttps:%2F%2Fevil.example%2F%3E", "/x%09%3Cy%3E%09/x", "/handle/1/aB%3F", "/NA%C3%AFVE%20%C3%84",
	}
	var pages []Page
	for _, p := range published {
		pages = append(pages, Page{public + p, linkset.LinkSet{{Anchor: public + p, Rel: "linkset", Href: public + p + "$'"}}})
	}
	eachMapServer(t, pages, func(t *testing.T, name, base string) {
		for i, p := range published {
			var want []string
			if !strings.HasPrefix(p, "/a") && (name != "nginx" || !strings.Contains(p, "%3F")) {
				want = []string{pages[i].Links.Joined()}
			}
			if got := ask(t, base, "GET", p).links(); !slices.Equal(want, got) {
				t.Errorf("%s: want %q, got %q", p, want, got)
			}
		}
		for _, p := range never {
			if got := ask(t, base, "GET", p).links(); len(got) > 0 {
				t.Errorf("%s: want no links, got %q", p, got)
			}
		}
	})
}

// Random addresses, made of everything that servers treat differently, are found
// only with the links of their own page.
func TestLinksAreThoseOfThePage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := strings.Fields("a A b / // . %2F %2f %25 %2E 20 41 %41 %20 %3F %3f ? & = + %2B , ; %26 %3D %C3%A9 %c3%a9 %C3%89 $ ' ( %22 %5C ~ %7E %09 " +
		"verb=GetRecord identifier=a metadataPrefix=b")
	address := func() string {
		var b strings.Builder
		b.WriteString("/")
		for range 1 + random.IntN(5) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	var pages []Page
	var asked []string
	pageOf := map[string]string{} // by the value of its header
	for range 400 {
		p := address()
		links := linkset.LinkSet{{Anchor: public + p, Rel: "linkset", Href: fmt.Sprintf("https://links.example.org/%x", p)}}
		pages, asked = append(pages, Page{public + p, links}), append(asked, p, address())
		pageOf[links.Joined()] = p
	}
	eachMapServer(t, pages, func(t *testing.T, _, base string) {
		found := 0
		for _, q := range asked {
			a := ask(t, base, "GET", q)
			if len(a.links()) == 0 {
				continue
			}
			found++
			page, address := keyOf(pageOf[a.links()[0]]), keyOf(q)
			if page.path != address.path || inOrder(page.query) != inOrder(address.query) {
				t.Errorf("%s: got the links of %s", q, page.raw)
			}
		}
		if found < len(pages)/3 {
			t.Errorf("want most pages to be found, got %d", found)
		}
	})
}

// inOrder is a query whatever the order of its arguments.
func inOrder(query string) string {
	arguments := strings.Split(strings.TrimPrefix(query, "?"), "&")
	slices.Sort(arguments)
	return strings.Join(arguments, "&")
}
