package server

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Each path leads to its route, and odd ones to none.
func TestRoutes(t *testing.T) {
	g := newGateway(t, nil)
	taken := func(path string) string {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatal(err)
		}
		rec := g.traffic.begin(httptest.NewRecorder())
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.URL = u
		g.router.ServeHTTP(rec, r)
		for route, tally := range g.traffic.routes {
			if rec.tally == tally {
				return route
			}
		}
		return ""
	}
	fill := strings.NewReplacer(anObject, "/main/"+articleKey, "{repo}", "main", "{prefix}", "oai_dc", "{page:[1-9][0-9]{0,5}}", "7")
	for _, r := range g.routes() {
		if got := taken(fill.Replace(r.path)); got != r.path {
			t.Errorf("%s leads to %q, want %q", fill.Replace(r.path), got, r.path)
		}
	}
	for path, want := range map[string]string{
		"/m%61in/" + articleKey + "/linkset":                anObject + "/linkset",
		"/main/" + articleKey + "/metadata/%C3%A4.xml":      anObject + "/metadata/{prefix}.xml",
		"/main/" + articleKey[1:] + "/linkset":              "",
		"/main/" + articleKey + "a/linkset":                 "",
		"/main/" + strings.ToUpper(articleKey) + "/linkset": "",
		"/main/0" + articleKey[1:] + "/linkset":             "",
		"/main/%61" + articleKey[1:] + "/linkset":           "",
		"/main/" + articleKey + "/linkset%2Ejson":           "",
		"/main/" + articleKey + "/linkset/":                 "",
		"/main/" + articleKey + "//linkset":                 "",
		"/main//" + articleKey + "/linkset":                 "",
		"//main/" + articleKey + "/linkset":                 "",
		"/main/signmap-03.xml":                              "",
		"/links/":                                           "/{repo}/", // no repository has this name
	} {
		if got := taken(path); got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
	}
}
