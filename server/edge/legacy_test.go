package edge

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/linkset"
)

// public is where the world finds the legacy site of these tests.
const public = "https://repo.example.edu"

const (
	landing      = "/handle/1/20"
	bigLanding   = "/handle/1/21"
	hugeLanding  = "/handle/1/22"
	queryLanding = "/record.php?id=7&lang=en"
	goneLanding  = "/handle/1/404" // of an object that was not deleted
	zipLanding   = "/handle/1/gzip"
	signed       = "/handle/1/own"
	file         = "/bitstream/1/20/paper%20one.pdf"
	oddFile      = "/bitstream/1/20/na%C3%AFve%2C%20(2)+.pdf"
	metadata     = "/oai?verb=GetRecord&identifier=oai%3Arepo.example.edu%3A20&metadataPrefix=oai_dc"
	aboutPage    = "/about"

	// withStatus begins the addresses of pages that are answered with the
	// status at their end, deleted those of objects that were deleted.
	withStatus = "/handle/1/status-"
	deleted    = "/handle/1/deleted-"

	// visitorsPage says what the repository gets of its visitor.
	visitorsPage = "/handle/1/visitor"

	// unseenLanding begins the addresses of pages that are asked for once.
	unseenLanding = "/handle/1/unseen"
)

const legacyPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>On signposts</title>
</head>
<body><p>A landing page.</p></body>
</html>
`

var legacyDate = time.Date(2009, 3, 1, 12, 0, 0, 0, time.UTC)

var pdf = bytes.Repeat([]byte("%PDF-1.4 0123456789\n"), 5000)

// legacySite is a repository as there are many: it knows nothing of links.
func legacySite() http.Handler {
	mux := http.NewServeMux()
	html := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Etag", fmt.Sprintf(`"page-%d"`, len(body)))
			http.ServeContent(w, r, "", legacyDate, strings.NewReader(body))
		}
	}
	mux.Handle(landing, html(legacyPage))
	mux.Handle(landing+"/{$}", html(legacyPage))
	for i := range 10 {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			mux.Handle(fmt.Sprintf("%s%d-%s", unseenLanding, i, method), html(legacyPage))
		}
	}
	mux.Handle(unseenLanding, html(legacyPage))
	mux.Handle(bigLanding, html(legacyPage+strings.Repeat("<!-- and so on -->\n", 10_000)))
	mux.Handle(hugeLanding, html(legacyPage))
	mux.Handle("/record.php", html(legacyPage))
	mux.Handle(aboutPage, html("<html><head><title>About</title></head></html>"))
	for _, path := range []string{file, oddFile} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/pdf")
			w.Header().Set("Etag", `"pdf"`)
			http.ServeContent(w, r, "", legacyDate, bytes.NewReader(pdf))
		})
	}
	mux.HandleFunc("/oai", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		fmt.Fprint(w, "<OAI-PMH/>")
	})
	mux.HandleFunc(visitorsPage, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, r.Header["Cookie"], r.Header["Authorization"])
		for name := range r.Header {
			if strings.HasPrefix(name, "X-Fingerpost") {
				fmt.Fprint(w, name)
			}
		}
	})
	for _, status := range linkedStatuses {
		mux.HandleFunc(withStatus+strconv.Itoa(status), answerWith(status))
		mux.HandleFunc("/other/"+strconv.Itoa(status), answerWith(status))
	}
	for _, status := range []int{404, 410} {
		mux.HandleFunc(deleted+strconv.Itoa(status), answerWith(status))
	}
	mux.HandleFunc(signed, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Link", `</style.css>; rel="preload", <https://doi.org/10.5072/own>; rel="cite-as"`)
		html(legacyPage)(w, r)
	})
	mux.HandleFunc(zipLanding, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			html(legacyPage)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, legacyPage)
		z.Close()
	})
	return mux
}

// linkedStatuses are those of pages that are restricted, moved or gone.
var linkedStatuses = []int{301, 302, 303, 307, 308, 401, 403, 410}

func answerWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case status < 400:
			w.Header().Set("Location", landing)
		case status == http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", `Basic realm="repository"`)
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
	}
}

// known are the links of the legacy site, as a gateway would have them.
func known() map[string]linkset.LinkSet {
	links := map[string]linkset.LinkSet{}
	for _, path := range []string{landing, queryLanding, goneLanding, zipLanding, signed, unseenLanding, visitorsPage} {
		links[public+path] = landingLinks(public+path, 1)
	}
	links[public+signed] = append(linkset.LinkSet{{Anchor: public + signed, Rel: "cite-as", Href: "https://doi.org/10.5072/own"}}, links[public+signed][1:]...)
	for i := range 10 {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			uri := fmt.Sprintf("%s%s%d-%s", public, unseenLanding, i, method)
			links[uri] = landingLinks(uri, 1)
		}
	}
	for _, status := range linkedStatuses {
		page := fmt.Sprint(public, withStatus, status)
		links[page] = landingLinks(page, 1)
	}
	for _, status := range []int{404, 410} {
		page := fmt.Sprint(public, deleted, status)
		links[page] = landingLinks(page, 1).Rel("cite-as")
	}
	links[public+bigLanding] = landingLinks(public+bigLanding, 30)
	links[public+hugeLanding] = landingLinks(public+hugeLanding, 60)
	for _, path := range []string{file, oddFile} {
		links[public+path] = linkset.LinkSet{{Anchor: public + path, Rel: "collection", Href: public + landing, Type: "text/html"}}
	}
	links[public+metadata] = linkset.LinkSet{{Anchor: public + metadata, Rel: "describes", Href: public + landing, Type: "text/html"}}
	return links
}

func landingLinks(page string, items int) linkset.LinkSet {
	links := linkset.LinkSet{
		{Anchor: page, Rel: "cite-as", Href: "https://doi.org/10.5072/20"},
		{Anchor: page, Rel: "type", Href: "https://schema.org/AboutPage"},
		{Anchor: page, Rel: "describedby", Href: public + metadata, Type: "text/xml", Profile: "http://www.openarchives.org/OAI/2.0/oai_dc/"},
	}
	for i := range items {
		links = append(links, linkset.Link{Anchor: page, Rel: "item", Href: fmt.Sprintf("%s/bitstream/1/20/paper%%20%d.pdf", public, i), Type: "application/pdf"})
	}
	return append(links, linkset.Link{Anchor: page, Rel: "linkset", Href: "https://links.example.org/main/abc/linkset", Type: "application/linkset+json"})
}

func lookupIn(links map[string]linkset.LinkSet) Lookup {
	return func(_ context.Context, uri string) (linkset.LinkSet, bool) {
		l, ok := links[uri]
		return l, ok
	}
}

func start(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func mustParse(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}
	return u
}
