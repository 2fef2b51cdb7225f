package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/mux"
)

// matched is what a request was taken to.
type matched struct {
	path string // of the route; "" if none
	vars vars
}

// recorded are routes that only say that they were taken.
func recorded(routes []route, to *matched) []route {
	out := make([]route, len(routes))
	for i, r := range routes {
		out[i] = route{r.path, func(_ http.ResponseWriter, _ *http.Request, v vars) { *to = matched{r.path, v} }}
	}
	return out
}

// The table alone says what is where: the short ways of newRouter lead where
// mux leads with the whole table.
func TestRouterAgreesWithMux(t *testing.T) {
	g := newGateway(t, nil)
	var got, want matched
	router := newRouter(recorded(g.routes(), &got))
	whole := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for _, r := range recorded(g.routes(), &want) {
		whole.Handle(r.path, unescaped(r.handler))
	}
	compare := func(path string) {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return
		}
		got, want = matched{}, matched{}
		for _, h := range []http.Handler{router, whole} {
			h.ServeHTTP(httptest.NewRecorder(), &http.Request{Method: http.MethodGet, URL: u, RequestURI: path})
		}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", path, got, want)
		}
	}
	taken := map[string]bool{}
	for _, r := range g.routes() {
		path := strings.NewReplacer(anObject, "/main/"+articleKey, "{repo}", "main", "{prefix}", "oai_dc", "{page:[1-9][0-9]{0,5}}", "7").Replace(r.path)
		compare(path)
		taken[want.path] = true
	}
	if len(taken) != len(g.routes()) {
		t.Errorf("only %d of %d routes were taken", len(taken), len(g.routes()))
	}
	repos := []string{"", "main", "m%61in", "%2F", "ma\u00efn", ".", "..", "%", "*", "links", "/main"}
	keys := []string{"", articleKey, articleKey[1:], articleKey + "a", strings.ToUpper(articleKey), "0" + articleKey[1:], articleKey[1:] + "8", "%61" + articleKey[1:]}
	rests := []string{"", "linkset", "linkset.json", "linkset.txt", "linkset%2Ejson", "linkset/", "/linkset", "metadata/oai_dc.xml", "metadata/%C3%A4.xml", "signmap-3.xml", "robots.txt"}
	for _, repo := range repos {
		for _, rest := range rests {
			compare("/" + repo + "/" + rest)
			for _, key := range keys {
				compare("/" + repo + "/" + key + "/" + rest)
			}
		}
	}
}
