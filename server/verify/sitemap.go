package verify

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// The namespaces of a Signmap.
const (
	sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"
	termsSpace   = "http://www.openarchives.org/rs/terms/"
)

// Bounds of a sitemap while it is read.
const (
	maxToken  = 1 << 20 // bytes of a tag or a text
	maxDepth  = 32
	mostNamed = 50_000 // sitemaps in an index
)

var (
	errNotSitemap = errors.New("it is neither a urlset nor a sitemapindex in the namespace of sitemaps.org")
	errBig        = fmt.Errorf("it has more than %d bytes", maxSitemap)
	errBigToken   = fmt.Errorf("it has a tag or a text of more than %d bytes", maxToken)
	errDeep       = fmt.Errorf("its elements are nested deeper than %d", maxDepth)
)

// A sitemap is a file that is searched for a page.
type sitemap struct {
	page string

	found    bool
	links    linkset.LinkSet // of the page
	near     string          // a URL that differs from the page's a little
	sitemaps []string        // that this one names, being an index
	faults   []string        // of its form as a Signmap
	read     int64           // bytes, decompressed
}

// parse reads a sitemap, compressed or not, until the page is found.
func (m *sitemap) parse(body io.Reader) error {
	buffered := bufio.NewReader(body)
	bounded := &boundedReader{r: buffered}
	if magic, _ := buffered.Peek(2); string(magic) == "\x1F\x8B" {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return fmt.Errorf("its compression is broken: %w", err)
		}
		bounded.r = z
	}
	p := sitemapParser{sitemap: m, in: bounded, xml: xml.NewDecoder(bounded)}
	err := p.document()
	m.read = bounded.total
	return err
}

// boundedReader bounds a file, and each of its tokens.
type boundedReader struct {
	r            io.Reader
	total, token int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	switch {
	case b.total > maxSitemap:
		return 0, errBig
	case b.token > maxToken:
		return 0, errBigToken
	}
	n, err := b.r.Read(p)
	b.total += int64(n)
	b.token += int64(n)
	return n, err
}

type sitemapParser struct {
	*sitemap
	in  *boundedReader
	xml *xml.Decoder
}

func (p *sitemapParser) next() (xml.Token, error) {
	p.in.token = 0
	return p.xml.Token()
}

// document reads the root and its children.
func (p *sitemapParser) document() error {
	root := false
	for !p.found {
		t, err := p.next()
		if err == io.EOF && root {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case root:
			err = p.child(start)
		case start.Name.Space == sitemapSpace && (start.Name.Local == "urlset" || start.Name.Local == "sitemapindex"):
			root = true
		default:
			err = errNotSitemap
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// child reads a child of the root to its end. Elements of
// other namespaces, such as the rs:md of ResourceSync, are ignored.
func (p *sitemapParser) child(start xml.StartElement) error {
	e := entry{complain: func(format string, args ...any) {
		if len(p.faults) < maxRepeats {
			p.faults = append(p.faults, fmt.Sprintf(format, args...))
		}
	}}
	for e.depth >= 0 {
		t, err := p.next()
		if err != nil {
			return err
		}
		if err := e.token(t); err != nil {
			return err
		}
	}
	loc := strings.TrimSpace(e.loc.String())
	switch {
	case start.Name.Space != sitemapSpace || loc == "":
	case start.Name.Local == "sitemap" && len(p.sitemaps) < mostNamed:
		p.sitemaps = append(p.sitemaps, loc)
	case start.Name.Local == "url" && loc == p.page:
		p.found, p.links = true, e.linksOf(loc)
	case start.Name.Local == "url" && p.near == "" && loosely(loc) == loosely(p.page):
		p.near = loc
	}
	return nil
}

// An entry is a url or sitemap element that is being read.
type entry struct {
	depth    int    // of elements in it that are open; -1 behind its end
	name     string // of the element directly in it
	loc      strings.Builder
	links    linkset.LinkSet // without anchor
	complain func(format string, args ...any)
}

func (e *entry) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		e.depth++
		e.start(t)
	case xml.EndElement:
		e.depth--
	case xml.CharData:
		if e.depth == 1 && e.name == "loc" && e.loc.Len() <= linkset.MaxURI {
			e.loc.Write(t)
		}
	}
	if e.depth > maxDepth {
		return errDeep
	}
	return nil
}

func (e *entry) start(t xml.StartElement) {
	if t.Name.Local == "ln" {
		e.link(t)
		return
	}
	if e.depth > 1 {
		return
	}
	e.name = ""
	if t.Name.Space == sitemapSpace {
		e.name = t.Name.Local
		if len(e.links) > 0 { // the schema of sitemaps has a sequence
			e.complain("the %s of a url comes after its rs:ln elements", e.name)
		}
	}
}

// link reads an rs:ln element. Signmap.
func (e *entry) link(t xml.StartElement) {
	var l linkset.Link
	for _, a := range t.Attr {
		switch {
		case a.Name.Space != "":
		case a.Name.Local == "rel":
			l.Rel = a.Value
		case a.Name.Local == "href":
			l.Href = a.Value
		case a.Name.Local == "type":
			l.Type = a.Value
		case a.Name.Local == "profile":
			l.Profile = a.Value
		}
	}
	switch {
	case t.Name.Space != termsSpace:
		e.complain("an ln element is in the namespace %q", outbound.Printable(t.Name.Space, 200))
		return
	case e.depth > 1:
		e.complain("the rs:ln element with %s is inside %s, not inside url", outbound.Printable(l.Href, 200), outbound.Printable(cmp.Or(e.name, "another element"), 40))
	case l.Rel == "" || l.Href == "":
		e.complain("an rs:ln element has no rel or no href")
		return
	case !isURI(l.Href):
		e.complain("the href %q of an rs:ln element is not an absolute URI", outbound.Printable(l.Href, 200))
	case l.Type != "" && !isMediaType(l.Type):
		e.complain("the type %q of an rs:ln element is not a bare media type", outbound.Printable(l.Type, 200))
	case slices.ContainsFunc(strings.Fields(l.Profile), func(p string) bool { return !isURI(p) && !linkset.IsWordProfile(p) }):
		e.complain("the profile %q of an rs:ln element is not an absolute URI", outbound.Printable(l.Profile, 200))
	}
	if len(e.links) < linkset.MaxLinks {
		e.links = append(e.links, l)
	}
}

func isMediaType(s string) bool {
	bare, ok := linkset.MediaType(s)
	return ok && strings.EqualFold(bare, s)
}

// linksOf returns the links, with loc as their context.
func (e *entry) linksOf(loc string) linkset.LinkSet {
	for i := range e.links {
		e.links[i].Anchor = loc
	}
	return e.links
}
