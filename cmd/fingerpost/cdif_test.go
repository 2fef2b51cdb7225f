package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/server/edge"
)

// CDIF, metadata publication, by the look-alikes: what is in the page (option 1)
// and in the list (option 3) is what is in the file of an object (option 2), for
// all objects whose records state enough, and for no others.
func TestCDIFOfLookAlikes(t *testing.T) {
	p, address := publishLookAlikes(t)
	pages, lists := 0, [][]byte{}
	for _, r := range p.Repositories {
		proxy := pageProxy(t, p, r)
		listed := []string{}
		for o, err := range p.db.Objects(t.Context(), r.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			folder := address + "/" + r.ID + "/" + o.Key + "/metadata/"
			want, profile := "", ""
			switch {
			case o.Deleted:
			case o.Documents&bridge.CDIF != 0:
				body, _ := p.document(t, folder+"cdif.jsonld", http.StatusOK)
				want, profile = string(body), ` profile="CDIF1.0"`
				listed = append(listed, idIn(t, body))
			case o.Documents&bridge.Citation != 0:
				body, _ := p.document(t, folder+"schema.jsonld", http.StatusOK)
				want = string(body)
			}
			if page, ok := pageOf(t, proxy, o); ok {
				pages++
				if want != "" {
					want = `<script type="application/ld+json"` + profile + ">\n" + want + "</script>\n"
				}
				if got := scriptIn(page); got != want {
					t.Errorf("%s: the page has\n%s\nwant\n%s", o.Identifier, got, want)
				}
			}
		}
		body, _ := p.document(t, address+"/"+r.ID+"/cdif.jsonld", http.StatusOK)
		if diff := gocmp.Diff(listed, elementsOf(t, body)); diff != "" {
			t.Errorf("%s: documents and list differ (-want +got): %s", r.ID, diff)
		}
		lists = append(lists, body)
	}
	if pages < 50 {
		t.Errorf("only %d pages were seen", pages)
	}
	t.Run("shapes", func(t *testing.T) { listsHaveShape(t, lists) })
}

// listsHaveShape checks lists by CDIF's schema, and all as one graph by its shapes:
// the engine takes most of its time to begin.
func listsHaveShape(t *testing.T, lists [][]byte) {
	t.Helper()
	shapes, tools := os.Getenv("FINGERPOST_SHAPES"), os.Getenv("FINGERPOST_TOOLS")
	if shapes == "" || tools == "" {
		t.Skip("FINGERPOST_SHAPES names no folder of shapes, or FINGERPOST_TOOLS none of tools: .ci/run sets both")
	}
	all := append(append([]byte("["), bytes.Join(lists, []byte(","))...), ']')
	for shape, documents := range map[string][][]byte{"CDIFDiscoverySchema.json": lists, "CDIF-Discovery-Shapes.ttl": {all}} {
		arguments := []string{filepath.Join(tools, "jsonld-check/check.mjs"), filepath.Join(shapes, shape)}
		for i, d := range documents {
			file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".jsonld"))
			if err := os.WriteFile(file, d, 0o600); err != nil {
				t.Fatal(err)
			}
			arguments = append(arguments, file)
		}
		out, err := exec.CommandContext(t.Context(), "node", arguments...).CombinedOutput()
		if n := strings.Count("\n"+string(out), "\nok "); err != nil || n != len(documents) {
			t.Errorf("%s: %d of %d passed, %v\n%.5000s", shape, n, len(documents), err, out)
		}
	}
}

// pageProxy stands in front of a repository whose pages say nothing.
func pageProxy(t *testing.T, p *publication, r config.Repository) *edge.Proxy {
	t.Helper()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><head></head></html>")
	}))
	t.Cleanup(origin.Close)
	r.Edge.Origin, r.Edge.HTML = origin.URL, true
	e, err := newEdges(p.session, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := e.proxy(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}

// pageOf asks the proxy for the landing page of an object; false if the page is
// elsewhere.
func pageOf(t *testing.T, proxy *edge.Proxy, o store.Object) (string, bool) {
	t.Helper()
	u, err := url.Parse(o.LandingPage.URL)
	if err != nil || u.Host != proxy.Public.Host || u.Fragment != "" {
		return "", false
	}
	w := httptest.NewRecorder()
	proxy.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil))
	if w.Code != http.StatusOK {
		t.Errorf("%s: got %d", u, w.Code)
	}
	return w.Body.String(), true
}

func scriptIn(page string) string {
	begin, end := strings.Index(page, "<script"), strings.LastIndex(page, "</script>\n")
	if begin < 0 || end < begin {
		return ""
	}
	return page[begin : end+len("</script>\n")]
}

func idIn(t *testing.T, document []byte) string {
	t.Helper()
	var d struct {
		ID string `json:"@id"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// elementsOf returns what the elements of a list are called.
func elementsOf(t *testing.T, list []byte) []string {
	t.Helper()
	var l struct {
		Elements []json.RawMessage `json:"schema:itemListElement"`
	}
	if err := json.Unmarshal(list, &l); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range l.Elements {
		out = append(out, idIn(t, e))
	}
	return out
}
