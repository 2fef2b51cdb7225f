package server

import (
	"net/url"
	"strconv"
	"strings"

	"fingerpost/server/look"
)

// urls makes the gateway's own URLs, from the public URL alone.
type urls struct {
	base   string // the public URL without a slash at its end
	prefix string // its path, likewise
}

func newURLs(public *url.URL) urls {
	prefix := strings.TrimRight(public.EscapedPath(), "/")
	return urls{base: public.Scheme + "://" + public.Host + prefix, prefix: prefix}
}

// home is a page of the list of repositories, from 1, or of those with a name.
func (u urls) home(page int, name string) string { return u.base + "/" + homeQuery(page, name) }

func (u urls) style() string  { return u.base + look.StylePath }
func (u urls) script() string { return u.base + look.ScriptPath }
func (u urls) find() string   { return u.base + findPath }

// object is the page of an object.
func (u urls) object(repo, key string) string { return u.repository(repo) + key }

func (u urls) robots() string  { return u.base + "/robots.txt" }
func (u urls) catalog() string { return u.base + "/.well-known/api-catalog" }
func (u urls) context() string { return u.base + contextPath }
func (u urls) finder() string  { return u.base + "/linkset" }
func (u urls) lookup() string  { return u.base + "/links" }

// union is the OAI-PMH interface to all repositories.
func (u urls) union() string { return u.base + "/oai" }

// mirror is that to one.
func (u urls) mirror(repo string) string { return u.repository(repo) + "oai" }

func (u urls) repository(repo string) string       { return u.base + "/" + url.PathEscape(repo) + "/" }
func (u urls) repositoryRobots(repo string) string { return u.repository(repo) + "robots.txt" }
func (u urls) signmap(repo string) string          { return u.repository(repo) + "signmap.xml" }

func (u urls) signmapPage(repo string, page int) string {
	return u.repository(repo) + "signmap-" + strconv.Itoa(page) + ".xml"
}

// signmaps and cdifSitemaps are pages, from 1, of lists of what many repositories
// have.
func (u urls) signmaps(page int) string { return u.base + "/signmaps-" + strconv.Itoa(page) + ".xml" }
func (u urls) cdifSitemaps(page int) string {
	return u.base + "/cdif-sitemaps-" + strconv.Itoa(page) + ".xml"
}

// catalogPage is a page, from 1, of the catalogue.
func (u urls) catalogPage(page int) string { return u.catalog() + "?page=" + strconv.Itoa(page) }

// cdif is the first page of the CDIF list, which has its number too.
func (u urls) cdif(repo string) string        { return u.repository(repo) + "cdif.jsonld" }
func (u urls) cdifSitemap(repo string) string { return u.repository(repo) + "cdif-sitemap.xml" }

func (u urls) cdifPage(repo string, page int) string {
	return u.repository(repo) + "cdif-" + strconv.Itoa(page) + ".jsonld"
}

func (u urls) linkSet(repo, key string) string     { return u.repository(repo) + key + "/linkset" }
func (u urls) linkSetJSON(repo, key string) string { return linkSetURL(u.base, repo, key, asJSON) }
func (u urls) linkSetText(repo, key string) string { return linkSetURL(u.base, repo, key, asText) }

// linkSetPath is the path of a form of a link set below the public URL.
func linkSetPath(repo, key string, f form) string {
	return linkSetURL("", repo, key, f)
}

func linkSetURL(base, repo, key string, f form) string {
	return base + "/" + url.PathEscape(repo) + "/" + key + "/linkset" + suffixes[f]
}

func (u urls) metadata(repo, key, prefix string) string {
	return u.base + "/" + url.PathEscape(repo) + "/" + key + "/metadata/" + url.PathEscape(prefix) + ".xml"
}

// document is where a document made of the records is.
func (u urls) document(repo, key, name string) string {
	return u.base + "/" + url.PathEscape(repo) + "/" + key + "/metadata/" + name
}

// readDocument takes a URL apart that metadata or document has made, and returns
// it as it is published.
func (u urls) readDocument(uri string) (repo, key, published string, ok bool) {
	path, ok := strings.CutPrefix(uri, u.base+"/")
	if !ok {
		return "", "", "", false
	}
	part := strings.Split(path, "/")
	if len(part) != 4 || part[2] != "metadata" {
		return "", "", "", false
	}
	repo, err := url.PathUnescape(part[0])
	file, err2 := url.PathUnescape(part[3])
	return repo, part[1], u.document(repo, part[1], url.PathEscape(file)), err == nil && err2 == nil
}
