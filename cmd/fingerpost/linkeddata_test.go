package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/piprate/json-gold/ld"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/linkset"
	"fingerpost/config"
	"fingerpost/oaipmh/outbound"
	"fingerpost/testdata"
)

// TestLinkSetsAreLinkedData reads the link sets of the look-alikes as JSON-LD
// processors do, over HTTP: what they find are the links and their attributes,
// and nothing else. Two processors that share no code agree.
func TestLinkSetsAreLinkedData(t *testing.T) {
	p, address := publishLookAlikes(t)
	want := map[string][]string{} // triples by the address of a link set
	for _, r := range p.Repositories {
		for o, err := range p.db.Objects(t.Context(), r.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if o.Deleted {
				continue
			}
			target := address + "/" + r.ID + "/" + o.Key + "/linkset.json"
			body, _ := p.document(t, target, http.StatusOK)
			links, err := linkset.ParseJSON(body)
			if err != nil {
				t.Fatal(err)
			}
			want[target] = triplesOf(links)
		}
	}
	if len(want) < 50 {
		t.Fatalf("there are %d link sets", len(want))
	}
	t.Run("json-gold", func(t *testing.T) {
		for target, triples := range want {
			if diff := gocmp.Diff(triples, triplesAt(t, ld.NewDefaultDocumentLoader(nil), target)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", target, diff)
			}
		}
	})
	t.Run("jsonld.js", func(t *testing.T) {
		for target, triples := range triplesInJavaScript(t, slices.Collect(maps.Keys(want))) {
			if diff := gocmp.Diff(want[target], triples); diff != "" {
				t.Errorf("%s (-want +got):\n%s", target, diff)
			}
		}
	})
}

// triplesOf are what links say, in N-Triples: one for each link, and one for
// each attribute of a target.
func triplesOf(links linkset.LinkSet) []string {
	found := map[string]bool{}
	for _, l := range links {
		rel, profile := "http://www.iana.org/assignments/relation/"+l.Rel, l.Profile
		switch {
		case l.Rel == "type":
			rel = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
		case strings.Contains(l.Rel, ":"):
			rel = l.Rel
		}
		if profile == "CDIF1.0" {
			profile = "https://w3id.org/cdif/discovery/1.1"
		}
		found[fmt.Sprintf("<%s> <%s> <%s> .", l.Anchor, rel, l.Href)] = true
		if l.Type != "" {
			found[fmt.Sprintf("<%s> <http://purl.org/dc/terms/format> %q .", l.Href, l.Type)] = true
		}
		if profile != "" {
			found[fmt.Sprintf("<%s> <http://purl.org/dc/terms/conformsTo> <%s> .", l.Href, profile)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func triplesAt(t *testing.T, loader ld.DocumentLoader, target string) []string {
	t.Helper()
	options := ld.NewJsonLdOptions("")
	options.DocumentLoader, options.Format = loader, "application/n-quads"
	found, err := ld.NewJsonLdProcessor().ToRDF(target, options)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return linesOf(found.(string))
}

func linesOf(triples string) []string {
	lines := strings.FieldsFunc(triples, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return lines
}

// readAll prints the triples at each address that it is given.
const readAll = `
const jsonld = require(process.env.FINGERPOST_NODE_MODULES + '/jsonld');
(async () => {
  const found = {};
  for (const target of JSON.parse(require('fs').readFileSync(0))) {
    found[target] = await jsonld.toRDF(target, {format: 'application/n-quads', documentLoader: jsonld.documentLoaders.node()});
  }
  console.log(JSON.stringify(found));
})().catch(e => { console.error(e); process.exit(1); });`

func triplesInJavaScript(t *testing.T, targets []string) map[string][]string {
	t.Helper()
	modules := os.Getenv("FINGERPOST_NODE_MODULES")
	if _, err := exec.LookPath("node"); err != nil || modules == "" {
		t.Skip("jsonld.js is not here: install node, and name a folder of modules with jsonld in FINGERPOST_NODE_MODULES")
	}
	asked, err := json.Marshal(targets)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "-e", readAll)
	node.Stdin = bytes.NewReader(asked)
	var failure bytes.Buffer
	node.Stderr = &failure
	printed, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v: %s", err, failure.String())
	}
	var found map[string]string
	if err := json.Unmarshal(printed, &found); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for target, triples := range found {
		out[target] = linesOf(triples)
	}
	return out
}

// publishLookAlikes harvests all look-alikes and publishes them at an address
// that can be reached.
func publishLookAlikes(t *testing.T) (p *publication, address string) {
	t.Helper()
	all, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	return publishServed(t, lookAlikes(all), func(origin string) []string { return demoEnvironment(all, origin) })
}

// publishServed does so with the repositories that a handler serves; env is their
// configuration, of the handler's address.
func publishServed(t *testing.T, repositories http.Handler, env func(origin string) []string) (p *publication, address string) {
	t.Helper()
	origin := httptest.NewServer(repositories)
	t.Cleanup(origin.Close)
	p = new(publication)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.site.ServeHTTP(w, r) }))
	t.Cleanup(gateway.Close)
	c, err := config.ForURL("", append([]string{"FINGERPOST_DATA=" + t.TempDir(), "FINGERPOST_PUBLIC_URL=" + gateway.URL}, env(origin.URL)...))
	if err != nil {
		t.Fatal(err)
	}
	db, err := open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p.session = &session{Config: c, db: db}
	sources, err := sourcesOf(c, c.Repositories)
	if err != nil {
		t.Fatal(err)
	}
	h := &harvest.Harvester{Store: db, Clock: outbound.WallClock(), Log: slog.New(slog.DiscardHandler)}
	for _, source := range sources {
		if _, err := h.Run(t.Context(), source, harvest.Options{}); err != nil {
			t.Fatalf("harvest %s: %v", source.ID, err)
		}
	}
	if p.site, err = newSite(p.session, nil, nil); err != nil {
		t.Fatal(err)
	}
	return p, gateway.URL
}
