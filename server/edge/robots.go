package edge

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"

	"fingerpost/oaipmh/outbound"
)

// askForRobots asks for the whole robots.txt of the origin, also for a HEAD, which
// needs its length.
func (p *Proxy) askForRobots(out *http.Request) {
	out.Method = http.MethodGet
	out.Header.Set("Accept-Encoding", "identity")
	for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"} {
		out.Header.Del(name)
	}
}

// mergeRobots adds the Signmaps to the origin's robots.txt. If there is none, or
// only a page in HTML that says so, everything is allowed. Other answers of the
// origin, such as redirects, stay as they are.
func (p *Proxy) mergeRobots(res *http.Response) {
	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		p.allowAll(res)
	case res.StatusCode == http.StatusOK && isIdentity(res.Header):
		start, err := io.ReadAll(io.LimitReader(res.Body, outbound.MaxRobots+1))
		switch {
		case err == nil && isPage(res.Header, start):
			p.allowAll(res)
		case err != nil || len(start) > outbound.MaxRobots:
			res.Body = joined{io.MultiReader(bytes.NewReader(start), res.Body), res.Body}
		default:
			res.Body.Close()
			p.setRobots(res, string(start))
			if isHTML(res.Header) {
				res.Header["Content-Type"] = robotsType
			}
		}
	}
}

// joined is a body of which a part was read before.
type joined struct {
	io.Reader
	io.Closer
}

var robotsType = []string{"text/plain; charset=utf-8"} // RFC 9309, 2.3

// isPage reports whether an answer is a page in HTML. Scripts and old servers send
// rules as text/html too, and crawlers obey them.
func isPage(h http.Header, start []byte) bool {
	return isHTML(h) && bytes.HasPrefix(bytes.TrimLeft(start, "\uFEFF \t\r\n"), []byte("<"))
}

func isHTML(h http.Header) bool {
	return strings.HasPrefix(strings.ToLower(h.Get("Content-Type")), "text/html")
}

// allowAll turns res into the robots.txt of an origin that has none.
func (p *Proxy) allowAll(res *http.Response) {
	res.Body.Close()
	p.setRobots(res, "User-agent: *\nDisallow:\n")
	res.Header["Content-Type"] = robotsType
	delete(res.Header, "Content-Encoding")
}

// setRobots turns res into an answer with the lines of file and the Sitemap lines.
func (p *Proxy) setRobots(res *http.Response, file string) {
	body := withSitemaps(file, p.Sitemaps)
	res.StatusCode, res.Status = http.StatusOK, ""
	res.Body = io.NopCloser(strings.NewReader(body))
	res.ContentLength = int64(len(body))
	res.Trailer = nil
	forgetBytes(res.Header)
	delete(res.Header, "Etag")
	delete(res.Header, "Last-Modified")
	res.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// withSitemaps adds to a robots.txt the Sitemap lines that it does not have. They
// belong to no group of rules and stand at its end. RFC 9309, 2.2.4.
func withSitemaps(file string, sitemaps []string) string {
	named := map[string]bool{}
	for _, s := range outbound.Sitemaps(file) {
		named[s] = true
	}
	var b strings.Builder
	b.WriteString(file)
	for _, s := range sitemaps {
		if named[s] {
			continue
		}
		if b.Len() == len(file) && file != "" {
			if !strings.HasSuffix(file, "\n") {
				b.WriteByte('\n')
			}
			b.WriteByte('\n')
		}
		b.WriteString("Sitemap: " + s + "\n")
		named[s] = true
	}
	return b.String()
}
