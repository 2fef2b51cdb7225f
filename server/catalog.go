package server

import (
	"net/http"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh"
)

// The catalogue's media type with the profile of RFC 9727, 4.2.
const (
	catalogProfile = "https://www.rfc-editor.org/info/rfc9727"
	catalogType    = `application/linkset+json; profile="` + catalogProfile + `"`
)

// Where the interfaces in the catalogue are specified.
const (
	oaiSpecification         = "https://www.openarchives.org/OAI/openarchivesprotocol.html"
	signmapSpecification     = "https://signposting.org/Signmap/"
	signpostingSpecification = "https://signposting.org/FAIR/"
	cdifSpecification        = "https://cross-domain-interoperability-framework.github.io/cdifbook"
)

// discovery leads programs to everything else: robots.txt and the catalogue.
type discovery struct{ *parts }

// serveCatalog lists the interfaces of all repositories. The catalogue links to
// each as item. Each is the context of links to its specification and, for
// OAI-PMH, to Identify. RFC 9727; FAIRiCat.
func (s discovery) serveCatalog(w http.ResponseWriter, r *http.Request, _ vars) error {
	d := document{mediaType: catalogType, body: append(s.catalogLinks().JSON(), '\n'), modified: s.started}
	d.links = []string{s.urls.contextLink(), s.urls.catalogLink()} // the second for HEAD: RFC 9727, 2
	d.sealed().serve(w, r, s.Now())
	return nil
}

func (u urls) catalogLink() string {
	return linkset.Link{Rel: "api-catalog", Href: u.catalog(), Type: "application/linkset+json", Profile: catalogProfile}.Header()
}

func (s discovery) catalogLinks() linkset.LinkSet {
	catalog := s.urls.catalog()
	items, services := linkset.LinkSet{}, linkset.LinkSet{}
	add := func(url, mediaType, specification string) {
		items = append(items, linkset.Link{Anchor: catalog, Rel: "item", Href: url, Type: mediaType})
		services = append(services, linkset.Link{Anchor: url, Rel: "service-doc", Href: specification, Type: "text/html"})
	}
	addOAI := func(baseURL string) {
		add(baseURL, "text/xml", oaiSpecification)
		services = append(services, linkset.Link{Anchor: baseURL, Rel: "service-meta", Href: oaipmh.IdentifyURL(baseURL), Type: "text/xml"})
	}
	for _, repo := range s.Repositories {
		if repo.OAIURL != "" {
			addOAI(repo.OAIURL)
		}
		addOAI(s.urls.mirror(repo.ID))
		add(s.urls.signmap(repo.ID), "application/xml", signmapSpecification)
		add(s.urls.cdif(repo.ID), "application/ld+json", cdifSpecification)
	}
	addOAI(s.urls.union())
	add(s.urls.finder(), "", signpostingSpecification) // it redirects, and so has no media type
	return append(items, services...)
}
