package bridge

import (
	"cmp"
	"net/url"
	"path"
	"strings"

	"fingerpost/bridge/crosswalk"
)

// OAISitemap counts what a crawler finds that reads an OAI-PMH interface as a
// sitemap: it takes the URLs in dc:identifier that lie on the interface's site,
// in its folder or below. Google, "OAI-PMH as a sitemap".
type OAISitemap struct {
	Folder  url.URL  // where the URLs have to lie
	Records int      // that were counted
	Found   int      // those with such a URL
	Lost    []string // some of the others, with a URL that they have
}

// mostLost is how many of the others are named.
const mostLost = 3

// NewOAISitemap begins to count for an interface.
func NewOAISitemap(baseURL string) OAISitemap {
	u, err := url.Parse(baseURL)
	if err != nil {
		return OAISitemap{}
	}
	folder := cmp.Or(u.Path[:strings.LastIndexByte(u.Path, '/')+1], "/")
	return OAISitemap{Folder: url.URL{Scheme: u.Scheme, Host: u.Host, Path: folder}}
}

// Add counts a record in oai_dc, unless it cannot be read.
func (s *OAISitemap) Add(identifier string, metadata []byte) {
	stated, err := crosswalk.Read(metadata, crosswalk.Links)
	if err != nil {
		return
	}
	s.Records++
	elsewhere := "no URL"
	for _, st := range stated {
		switch {
		case st.Kind != crosswalk.Identifier || !isWebURL(st.Value):
		case s.has(st.Value):
			s.Found++
			return
		default:
			elsewhere = strings.Clone(st.Value)
		}
	}
	if len(s.Lost) < mostLost {
		s.Lost = append(s.Lost, identifier+" ("+elsewhere+")")
	}
}

func isWebURL(value string) bool {
	return strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://")
}

// has reports whether a URL lies in the folder.
func (s *OAISitemap) has(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != s.Folder.Scheme || !strings.EqualFold(bareHostPort(u), bareHostPort(&s.Folder)) {
		return false
	}
	clean := path.Clean("/" + u.Path)
	if strings.HasSuffix(u.Path, "/") || u.Path == "" {
		clean += "/"
	}
	return strings.HasPrefix(clean, s.Folder.Path)
}

// bareHostPort is the host of a URL with its port, unless that is the scheme's.
func bareHostPort(u *url.URL) string {
	switch u.Scheme + ":" + u.Port() {
	case "http:80", "https:443":
		return u.Hostname()
	}
	return u.Host
}
