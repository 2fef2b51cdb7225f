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
// OAI-PMH, to Identify. The catalogue of many repositories leads to others, each
// with some of them. RFC 9727, 4.3; FAIRiCat.
func (s discovery) serveCatalog(w http.ResponseWriter, r *http.Request, _ vars) error {
	configured := s.repositories.configured.Load()
	c := catalog{urls: s.urls, at: s.urls.catalog()}
	switch page, pages := r.URL.Query().Get("page"), configured.pages(); {
	case page != "" && configured.page(page) == nil:
		return noPage
	case page != "":
		c.at += "?page=" + page
		c.addRepositories(configured.page(page))
	case pages > 1:
		c.addCatalogs(pages)
		c.addCommon()
	default:
		c.addRepositories(configured.all)
		c.addCommon()
	}
	d := document{mediaType: catalogType, body: append(append(c.items, c.services...).JSON(), '\n'), modified: configured.since}
	d.links = []string{s.urls.contextLink(), s.urls.catalogLink()} // the second for HEAD: RFC 9727, 2
	d.sealed().serve(w, r, s.Now())
	return nil
}

func (u urls) catalogLink() string {
	return linkset.Link{Rel: "api-catalog", Href: u.catalog(), Type: "application/linkset+json", Profile: catalogProfile}.Header()
}

// catalog is a catalogue that is made.
type catalog struct {
	urls            urls
	at              string // its address
	items, services linkset.LinkSet
}

func (c *catalog) add(url, mediaType, specification string) {
	c.items = append(c.items, linkset.Link{Anchor: c.at, Rel: "item", Href: url, Type: mediaType})
	c.services = append(c.services, linkset.Link{Anchor: url, Rel: "service-doc", Href: specification, Type: "text/html"})
}

func (c *catalog) addOAI(baseURL string) {
	c.add(baseURL, "text/xml", oaiSpecification)
	c.services = append(c.services, linkset.Link{Anchor: baseURL, Rel: "service-meta", Href: oaipmh.IdentifyURL(baseURL), Type: "text/xml"})
}

func (c *catalog) addRepositories(some []Repository) {
	for _, repo := range some {
		if repo.OAIURL != "" {
			c.addOAI(repo.OAIURL)
		}
		c.addOAI(c.urls.mirror(repo.ID))
		c.add(c.urls.signmap(repo.ID), "application/xml", signmapSpecification)
		c.add(c.urls.cdif(repo.ID), "application/ld+json", cdifSpecification)
	}
}

// addCommon adds what is there once for all repositories.
func (c *catalog) addCommon() {
	c.addOAI(c.urls.union())
	c.add(c.urls.finder(), "", signpostingSpecification) // it redirects, and so has no media type
}

// addCatalogs adds so many other catalogues.
func (c *catalog) addCatalogs(pages int) {
	for page := range pages {
		c.items = append(c.items, linkset.Link{Anchor: c.at, Rel: "api-catalog", Href: c.urls.catalogPage(page + 1), Type: "application/linkset+json", Profile: catalogProfile})
	}
}
