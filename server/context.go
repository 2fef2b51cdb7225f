package server

import (
	_ "embed"
	"net/http"

	"fingerpost/bridge/linkset"
)

// contextPath is where the context of link sets is.
const contextPath = "/linkset-context.jsonld"

// A day after it was changed the new one is read everywhere.
const contextCaching = "public, max-age=86400"

// linkSetContext lets JSON-LD processors read a link set in JSON as linked data:
// a triple for each link and one for each of its attributes. Beside an anchor
// `type` is a relation type, beside a target a media type: so each relation type
// has a context of its own for its targets. A word that CDIF has for a profile is
// given the URI that the document itself names.
//
//go:embed linkset-context.jsonld
var linkSetContext []byte

func (s discovery) serveContext(w http.ResponseWriter, r *http.Request, _ vars) error {
	d := document{mediaType: "application/ld+json", body: linkSetContext, modified: s.started, caching: contextCaching}
	d.sealed().serve(w, r, s.Now())
	return nil
}

// contextLink leads from a link set in JSON to the context. It has to be the
// first Link line: some processors read no other. JSON-LD 1.1, 6.1.
func (u urls) contextLink() string {
	return linkset.Link{Rel: "http://www.w3.org/ns/json-ld#context", Href: u.context(), Type: "application/ld+json"}.Header()
}
