package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/piprate/json-gold/ld"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/oaipmh/oaitest/recorded"
)

// TestSamples serves every recorded answer of a real repository byte by byte,
// harvests it over HTTP, publishes it, and checks what must always hold. It logs
// the coverage of each platform as a table.
func TestSamples(t *testing.T) {
	files := recorded.Files(t)
	var table platforms
	t.Run("files", func(t *testing.T) {
		for _, file := range files {
			t.Run(file.Platform+"/"+filepath.Base(file.Path), func(t *testing.T) {
				t.Parallel()
				body, err := os.ReadFile(file.Path)
				if err != nil {
					t.Fatal(err)
				}
				if answersOther.Match(body) {
					return // an answer without records
				}
				p := publish(t, body)
				p.recordsAreAccountedFor(t, body)
				p.documentsAreValid(t)
				p.signmapIsValid(t)
				table.add(t, file.Platform, p)
			})
		}
	})
	t.Logf("\n%s", table.markdown())
}

var (
	answersOther = regexp.MustCompile(`<(?:[\w.-]+:)?(?:ListMetadataFormats|ListSets|Identify|error)[\s>]`)
	requestOf    = regexp.MustCompile(`<(?:[\w.-]+:)?request\b[^>]*>\s*([^<?]+?)\s*[<?]`)
	headerOf     = regexp.MustCompile(`(?s)<(?:[\w.-]+:)?header(?:\s[^>]*)?>.*?</(?:[\w.-]+:)?header\s*>`)
	identifierOf = regexp.MustCompile(`(?s)<(?:[\w.-]+:)?identifier(?:\s[^>]*[^/])?>\s*(.*?)\s*</`)
	hostOf       = regexp.MustCompile(`^oai:([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+):`)
)

// sampleIdentifiers are those that the headers in a file name.
func sampleIdentifiers(body []byte) []string {
	var ids []string
	for _, h := range headerOf.FindAll(body, -1) {
		if m := identifierOf.FindSubmatch(h); m != nil {
			ids = append(ids, unescapeXML(string(m[1])))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func unescapeXML(s string) string {
	var out string
	if xml.Unmarshal([]byte("<x>"+s+"</x>"), &out) != nil {
		return s
	}
	return out
}

// sampleAddress is where the answer came from: what it says of the request,
// or else the repository that its identifiers name.
func sampleAddress(body []byte) string {
	if m := requestOf.FindSubmatch(body); m != nil {
		if u, err := url.Parse(string(m[1])); err == nil && u.Host != "" {
			return "http://" + u.Host + u.Path
		}
	}
	for _, id := range sampleIdentifiers(body) {
		if m := hostOf.FindStringSubmatch(id); m != nil {
			return "http://" + m[1] + "/oai"
		}
	}
	return "http://repository.test/oai"
}

// publication is a repository that was harvested and is published.
type publication struct {
	*session
	site http.Handler
	runs []store.Run
	// unbound: the recorded answer uses a namespace that it does not declare,
	// so that no copy of it can.
	unbound bool
}

const publicURL = "https://links.example.org"

// publish harvests a repository that answers as recorded, at the address at
// which it was recorded, in every format it has.
func publish(t *testing.T, body []byte) *publication {
	t.Helper()
	origin, err := oaitest.Verbatim(body, oaitest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := publishAt(t, origin, sampleAddress(body), nil)
	p.unbound = errors.Is(standsAlone(body), errUnbound)
	return p
}

// publishAt harvests a repository at an address.
func publishAt(t *testing.T, origin http.Handler, address string, set func(*config.Repository)) *publication {
	t.Helper()
	server := httptest.NewServer(origin)
	t.Cleanup(server.Close)
	client := clientOf(t, server)
	c, err := config.ForURL(address, []string{"FINGERPOST_DATA=" + t.TempDir(), "FINGERPOST_PUBLIC_URL=" + publicURL})
	if err != nil {
		t.Fatal(err)
	}
	c.Repositories[0].Formats = offered(t, address, client)
	if set != nil {
		set(&c.Repositories[0])
	}
	db, err := open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p := &publication{session: &session{Config: c, db: db}}
	sources, err := sourcesOf(p.Config, c.Repositories)
	if err != nil {
		t.Fatal(err)
	}
	sources[0].Client = client
	h := &harvest.Harvester{Store: db, Clock: client.Clock, Log: slog.New(slog.DiscardHandler)}
	if p.runs, err = h.Run(t.Context(), sources[0], harvest.Options{}); err != nil {
		t.Fatalf("harvest: %v", err)
	}
	if p.site, err = newSite(p.session, nil, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// clientOf finds every host at server, and speaks plain HTTP with it.
func clientOf(t *testing.T, server *httptest.Server) oaipmh.Options {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return oaipmh.Options{Transport: transport, Clock: oaitest.NewClock(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))}
}

func offered(t *testing.T, address string, o oaipmh.Options) []string {
	t.Helper()
	client, err := oaipmh.New(address, o)
	if err != nil {
		t.Fatal(err)
	}
	formats, err := client.ListMetadataFormats(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var prefixes []string
	for _, f := range formats {
		prefixes = append(prefixes, f.Prefix)
	}
	return prefixes
}

// recordsAreAccountedFor checks that every record in the file is an object, or
// in quarantine with a reason.
func (p *publication) recordsAreAccountedFor(t *testing.T, body []byte) {
	t.Helper()
	quarantine := map[string]string{}
	nameless := 0
	for q, err := range p.db.Quarantined(t.Context(), "main") {
		if err != nil {
			t.Fatal(err)
		}
		if q.Reason == "" || q.Page == "" || q.At.IsZero() {
			t.Errorf("%q is in quarantine without reason, page or time: %+v", q.Identifier, q)
		}
		if q.Identifier == "" {
			nameless++
		}
		quarantine[q.Identifier] = q.Reason
	}
	read := 0
	for _, run := range p.runs {
		if run.State != store.Complete {
			t.Errorf("the run ended %s: %s", run.State, run.Reason)
		}
		read += run.Records
	}
	if want := max(1, len(headerOf.FindAll(body, -1))); read != want {
		t.Errorf("%d records were read, the file has %d", read, want)
	}
	lost := 0
	for _, id := range sampleIdentifiers(body) {
		_, err := p.db.ByIdentifier(t.Context(), "main", id)
		if errors.Is(err, store.ErrNotFound) && quarantine[id] == "" {
			lost++
			t.Logf("%q is neither an object nor in quarantine under its name", id)
		}
	}
	if lost > nameless {
		t.Errorf("%d records are neither objects nor in quarantine, where %d have no name", lost, nameless)
	}
}

// get asks by GET and by HEAD, which must have the same answer but for the
// body.
func (p *publication) get(t *testing.T, target string, header ...string) *http.Response {
	t.Helper()
	var answers [2]*http.Response
	for i, method := range []string{http.MethodGet, http.MethodHead} {
		r := httptest.NewRequest(method, target, nil)
		if len(header) == 2 {
			r.Header.Set(header[0], header[1])
		}
		w := httptest.NewRecorder()
		p.site.ServeHTTP(w, r)
		answers[i] = w.Result()
	}
	if diff := gocmp.Diff(answers[0].Header, answers[1].Header); diff != "" || answers[0].StatusCode != answers[1].StatusCode {
		t.Errorf("%s: HEAD has status %d, GET %d, and their headers differ (-get +head):\n%s", target, answers[1].StatusCode, answers[0].StatusCode, diff)
	}
	return answers[0]
}

// document asks for a document and returns it with its media type.
func (p *publication) document(t *testing.T, target string, status int) (body []byte, mediaType string) {
	t.Helper()
	answer := p.get(t, target)
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		t.Errorf("%s: status %d, want %d (%v)", target, answer.StatusCode, status, err)
	}
	mediaType, _, err = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
	return body, mediaType
}

// objects are all, deleted ones included.
func (p *publication) objects(t *testing.T) []store.Object {
	t.Helper()
	var out []store.Object
	for o, err := range p.db.Objects(t.Context(), "main", 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

func (p *publication) documentsAreValid(t *testing.T) {
	t.Helper()
	objects := p.objects(t)
	owners := map[string][]string{} // the keys of the objects that have a URI
	for _, o := range objects {
		for _, uri := range o.URLs() {
			owners[bridge.NormalURL(uri)] = append(owners[bridge.NormalURL(uri)], o.Key)
		}
	}
	cdif := []string{}
	for _, o := range objects {
		links := p.linkSetsAgree(t, o)
		if o.Deleted {
			continue
		}
		if slices.ContainsFunc(links, func(l linkset.Link) bool { return l.Profile == "CDIF1.0" }) {
			body, _ := p.document(t, publicURL+"/main/"+o.Key+"/metadata/cdif.jsonld", http.StatusOK)
			cdif = append(cdif, idIn(t, body))
		}
		p.metadataStandsAlone(t, o, links)
		for _, uri := range o.URLs() {
			p.isFound(t, uri, owners[bridge.NormalURL(uri)])
		}
	}
	body, _ := p.document(t, publicURL+"/main/cdif.jsonld", http.StatusOK)
	if diff := gocmp.Diff(cdif, elementsOf(t, body)); diff != "" {
		t.Errorf("documents and list of CDIF differ (-documents +list):\n%s", diff)
	}
}

// linkSetsAgree checks both forms of an object's link set, and returns it.
func (p *publication) linkSetsAgree(t *testing.T, o store.Object) linkset.LinkSet {
	t.Helper()
	status := http.StatusOK
	if o.Deleted {
		status = http.StatusGone
	}
	base := publicURL + "/main/" + o.Key
	body, mediaType := p.document(t, base+"/linkset.json", status)
	fromJSON, err := linkset.ParseJSON(body)
	if err != nil || mediaType != "application/linkset+json" {
		t.Errorf("%s: %s: %v", o.Identifier, mediaType, err)
	}
	body, mediaType = p.document(t, base+"/linkset.txt", status)
	fromText, err := linkset.ParseText(body)
	if err != nil || mediaType != "application/linkset" {
		t.Errorf("%s: %s: %v", o.Identifier, mediaType, err)
	}
	if diff := gocmp.Diff(sorted(fromJSON), sorted(fromText)); diff != "" {
		t.Errorf("%s: the link sets differ (-json +text):\n%s", o.Identifier, diff)
	}
	for _, l := range fromText {
		if err := linkset.Check(l); err != nil {
			t.Errorf("%s: %v", o.Identifier, err)
		}
	}
	if !o.Deleted {
		loader := ld.NewDefaultDocumentLoader(&http.Client{Transport: handlerTransport{p.site}})
		if diff := gocmp.Diff(triplesOf(fromJSON), triplesAt(t, loader, base+"/linkset.json")); diff != "" {
			t.Errorf("%s: JSON-LD (-links +triples):\n%s", o.Identifier, diff)
		}
	}
	if !o.Deleted && len(fromText.Rel("describedby")) == 0 {
		t.Errorf("%s: no describedby: %s", o.Identifier, body)
	}
	return fromText
}

// handlerTransport reaches a handler under any address.
type handlerTransport struct{ http.Handler }

func (h handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

func sorted(s linkset.LinkSet) linkset.LinkSet {
	return slices.SortedFunc(slices.Values(s), func(a, b linkset.Link) int {
		return cmp.Or(cmp.Compare(a.Anchor, b.Anchor), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.Href, b.Href))
	})
}

// metadataStandsAlone checks the documents that describe an object: ours have
// the media type that their link declares, those in XML stand alone, and those in
// JSON can be read; all of them and the repository's own answers lead to the object.
func (p *publication) metadataStandsAlone(t *testing.T, o store.Object, links linkset.LinkSet) {
	t.Helper()
	page, err := linkset.Anchor(o.LandingPage.URL)
	if err != nil {
		t.Errorf("%s: %v", o.Identifier, err)
	}
	for _, l := range links.From(page).Rel("describedby") {
		p.isFound(t, l.Href, []string{o.Key})
		if !strings.HasPrefix(l.Href, publicURL+"/") {
			continue
		}
		body, mediaType := p.document(t, l.Href, http.StatusOK)
		if mediaType != l.Type {
			t.Errorf("%s is %s, its link says %s", l.Href, mediaType, l.Type)
		}
		switch {
		case strings.HasSuffix(mediaType, "json"):
			if !json.Valid(body) {
				t.Errorf("%s is no JSON:\n%s", l.Href, body)
			}
		case strings.HasSuffix(mediaType, "xml"):
			if err := standsAlone(body); err != nil && !(p.unbound && errors.Is(err, errUnbound)) {
				t.Errorf("%s: %v:\n%s", l.Href, err, body)
			}
		}
	}
}

var errUnbound = errors.New("the namespace is not declared")

// standsAlone tells whether a document is well-formed and declares every
// namespace that it uses.
func standsAlone(document []byte) error {
	d := xml.NewDecoder(bytes.NewReader(document))
	roots, depth := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF && roots == 1 {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			if err := resolved(e); err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		}
	}
}

// resolved tells whether the decoder knew the namespaces of an element and its
// attributes: where it does not, it leaves the prefix in their place.
func resolved(e xml.StartElement) error {
	names := []xml.Name{e.Name}
	for _, a := range e.Attr {
		if a.Name.Space != "xmlns" {
			names = append(names, a.Name)
		}
	}
	for _, n := range names {
		if n.Space != "" && !strings.ContainsAny(n.Space, ":/") {
			return fmt.Errorf("%s:%s: %w", n.Space, n.Local, errUnbound)
		}
	}
	return nil
}

// isFound checks that a URI leads to one of the objects that have it, by both
// of the lookups.
func (p *publication) isFound(t *testing.T, uri string, keys []string) {
	t.Helper()
	answer := p.get(t, publicURL+"/linkset?uri="+url.QueryEscape(uri))
	at := answer.Header.Get("Location")
	found := slices.ContainsFunc(keys, func(key string) bool { return at == publicURL+"/main/"+key+"/linkset" })
	if answer.StatusCode != http.StatusSeeOther || !found {
		t.Errorf("/linkset?uri=%s: status %d to %q, want one of %v", uri, answer.StatusCode, at, keys)
	}
	answer = p.get(t, publicURL+"/links", "X-Fingerpost-URI", uri)
	lines := answer.Header.Values("Link")
	if answer.StatusCode != http.StatusNoContent || len(lines) != 1 || strings.ContainsAny(lines[0], " \t") {
		t.Errorf("/links for %s: status %d, Link %q", uri, answer.StatusCode, lines)
	}
	links, err := linkset.ParseHeader(lines, uri)
	if err != nil || len(links) == 0 {
		t.Errorf("/links for %s: %v: %q", uri, err, lines)
	}
}

// signmap is a Signmap as the schema of sitemaps orders it.
type signmap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []struct {
		Loc      string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
		Children []struct {
			XMLName xml.Name
			Rel     string `xml:"rel,attr"`
			Href    string `xml:"href,attr"`
			Type    string `xml:"type,attr"`
			Profile string `xml:"profile,attr"`
		} `xml:",any"`
	} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
}

// signmapIsValid checks the Signmap: each live object once, in their order,
// with the links of its landing page's link set.
func (p *publication) signmapIsValid(t *testing.T) {
	t.Helper()
	body, mediaType := p.document(t, publicURL+"/main/signmap.xml", http.StatusOK)
	var page signmap
	if err := xml.Unmarshal(body, &page); err != nil || mediaType != "application/xml" {
		t.Fatalf("Signmap: %s, %v", mediaType, err)
	}
	if err := standsAlone(body); err != nil {
		t.Errorf("Signmap: %v", err)
	}
	live := slices.DeleteFunc(p.objects(t), func(o store.Object) bool { return o.Deleted })
	if len(page.URLs) != len(live) || len(live) > 50_000 || len(body) > 50<<20 {
		t.Fatalf("the Signmap has %d entries in %d bytes for %d objects", len(page.URLs), len(body), len(live))
	}
	for i, u := range page.URLs {
		anchor, _ := linkset.Anchor(live[i].LandingPage.URL)
		if u.Loc != anchor {
			t.Errorf("entry %d is %s, want %s", i, u.Loc, anchor)
		}
		want := p.published(t, live[i]).From(anchor)
		var got linkset.LinkSet
		for k, c := range u.Children {
			switch {
			case c.XMLName.Local == "ln":
				got = append(got, linkset.Link{Anchor: u.Loc, Rel: c.Rel, Href: c.Href, Type: c.Type, Profile: c.Profile})
			case k != 0 || c.XMLName.Local != "lastmod":
				t.Errorf("entry %d has %s in place %d", i, c.XMLName.Local, k)
			}
		}
		if diff := gocmp.Diff(sorted(want), sorted(got.Except("linkset"))); diff != "" {
			t.Errorf("entry %d differs from the link set (-want +got):\n%s", i, diff)
		}
	}
}

// published is the link set of an object as it is published.
func (p *publication) published(t *testing.T, o store.Object) linkset.LinkSet {
	t.Helper()
	body, _ := p.document(t, publicURL+"/main/"+o.Key+"/linkset.txt", http.StatusOK)
	links, err := linkset.ParseText(body)
	if err != nil {
		t.Error(err)
	}
	return links
}

// platforms gathers the coverage of the samples.
type platforms struct {
	mu   sync.Mutex
	rows map[string]*platformRow
}

type platformRow struct {
	bridge.Coverage
	files int
}

func (s *platforms) add(t *testing.T, platform string, p *publication) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[string]*platformRow{}
	}
	if s.rows[platform] == nil {
		s.rows[platform] = &platformRow{}
	}
	s.rows[platform].files++
	for o, err := range store.Candidates(t.Context(), p.db, "main") {
		if err != nil {
			t.Error(err)
			return
		}
		s.rows[platform].Add(o.Object)
	}
}

func (s *platforms) markdown() string {
	var b strings.Builder
	b.WriteString("| platform | answers | objects | " + strings.Join(bridge.CoverageColumns(), " | ") + " |\n")
	b.WriteString("|---|--:|--:|" + strings.Repeat("--:|", len(bridge.CoverageColumns())) + "\n")
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		r := s.rows[name]
		fmt.Fprintf(&b, "| %s | %d | %d |", name, r.files, r.Objects)
		for i, n := range r.Counts() {
			fmt.Fprintf(&b, " %s |", share(n, r.Of(bridge.CoverageColumns()[i])))
		}
		b.WriteString("\n")
	}
	return b.String()
}
