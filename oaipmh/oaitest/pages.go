package oaitest

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// PageFault is what is wrong with a landing page.
type PageFault string

// The faults of landing pages.
const (
	PageRefused PageFault = "403"
	PageBusy    PageFault = "429" // once, with Retry-After: 7
	PageBroken  PageFault = "500"
	PageGone    PageFault = "404"
	PageWall    PageFault = "wall" // answered with 200
	PageMoved   PageFault = "redirect"
	PageEndless PageFault = "redirects" // to itself
	PageNotHTML PageFault = "not html"
	PageLogin   PageFault = "login"
	PageShell   PageFault = "shell" // scripts would fill it
	FileIsPage  PageFault = "file"  // HTML in place of the file that the page names
)

// Pages are the landing pages and files of a generated repository of whose
// records the Site is where they are served. They state what the metadata of
// records with Options.Bare lacks: a file, a DOI, a licence, an author's ORCID.
type Pages struct {
	Robots string // robots.txt; "" is none
	Now    func() time.Time

	mu       sync.Mutex
	records  *generated
	faults   map[int]PageFault
	requests []PageRequest
	under    int // requests under way
	most     int
}

// PageRequest is a request for a page, a file or a robots.txt.
type PageRequest struct {
	At     time.Time
	Method string
	Path   string
	Agent  string
	Status int
}

// NewPages returns the pages of a repository of n records.
func NewPages(n int, o Options) *Pages {
	o = o.withDefaults()
	return &Pages{records: newGenerated(n, o), Now: o.Now, faults: map[int]PageFault{}}
}

// Spoil gives some pages, counted from 1, a fault; "" ends it.
func (p *Pages) Spoil(f PageFault, numbers ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range numbers {
		p.faults[n] = f
	}
}

// Requests are those that came in, in order.
func (p *Pages) Requests() []PageRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Forget empties the list that Requests returns.
func (p *Pages) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// AtOnce is the largest number of requests that were under way at the same time.
func (p *Pages) AtOnce() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.under++
	p.most = max(p.most, p.under)
	at := len(p.requests)
	p.requests = append(p.requests, PageRequest{At: p.Now(), Method: r.Method, Path: r.URL.Path, Agent: r.UserAgent(), Status: http.StatusOK})
	noted := &p.requests[at]
	p.answer(statusNoter{w, &noted.Status}, r)
	p.under--
	p.mu.Unlock()
}

// statusNoter notes the status of an answer.
type statusNoter struct {
	http.ResponseWriter
	status *int
}

func (n statusNoter) WriteHeader(status int) {
	*n.status = status
	n.ResponseWriter.WriteHeader(status)
}

func (p *Pages) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		if p.Robots == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(p.Robots))
		return
	}
	if n, ok := strings.CutPrefix(r.URL.Path, "/10.12345/fp."); ok { // as the resolver of their DOIs has it
		w.Header().Set("Location", p.records.site+"/"+n+"/")
		w.WriteHeader(http.StatusFound)
		return
	}
	number, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > p.records.n {
		http.NotFound(w, r)
		return
	}
	if rest != "" && rest != "moved" {
		p.file(w, n)
		return
	}
	p.page(w, r, n, rest)
}

func (p *Pages) file(w http.ResponseWriter, n int) {
	if p.faults[n] == FileIsPage {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Log in</title>"))
		return
	}
	w.Header().Set("Content-Type", "application/pdf")
	_, _ = w.Write([]byte("%PDF-1.7\n" + strings.Repeat("%", 4096)))
}

func (p *Pages) page(w http.ResponseWriter, r *http.Request, n int, rest string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	write := func(status int, text string) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
	switch p.faults[n] {
	case PageRefused:
		write(http.StatusForbidden, "<title>Forbidden</title>"+strings.Repeat("<p>No.</p>", 1000))
		return
	case PageGone:
		write(http.StatusNotFound, "<title>Not found</title>")
		return
	case PageBroken:
		write(http.StatusInternalServerError, "<title>Error</title>")
		return
	case PageBusy:
		delete(p.faults, n)
		w.Header().Set("Retry-After", "7")
		write(http.StatusTooManyRequests, "")
		return
	case PageWall:
		write(http.StatusOK, `<!DOCTYPE html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x"></script>`)
		return
	case PageMoved:
		if rest == "" {
			w.Header().Set("Location", "moved")
			write(http.StatusFound, "")
			return
		}
	case PageEndless:
		w.Header().Set("Location", r.URL.Path)
		write(http.StatusFound, "")
		return
	case PageNotHTML:
		w.Header().Set("Content-Type", "application/pdf")
		write(http.StatusOK, "%PDF-1.4")
		return
	case PageLogin:
		write(http.StatusOK, `<!DOCTYPE html><title>Log in</title><form action="/login"><input name="user"><input type="password" name="password"></form>`)
		return
	case PageShell:
		write(http.StatusOK, `<!DOCTYPE html><title>Repository</title><body><ds-app></ds-app><script src="main.js"></script>`)
		return
	}
	tag := fmt.Sprintf(`"page-%d"`, n)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(http.StatusOK, p.html(n-1))
}

// html is the landing page of the record with an index.
func (p *Pages) html(i int) string {
	g := p.records
	text := func(fill func(b []byte, i int) []byte) string { return html.EscapeString(string(fill(nil, i))) }
	page, doi := text(g.landing), text(g.doi)
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html><head>\n<title>%s</title>\n", text(g.title))
	meta := func(name, content string) { fmt.Fprintf(&b, "<meta name=\"%s\" content=\"%s\">\n", name, content) }
	meta("citation_title", text(g.title))
	meta("citation_author", text(g.creator))
	meta("citation_abstract_html_url", page)
	meta("citation_doi", doi)
	meta("citation_pdf_url", page+"1/survey-part-"+strconv.Itoa(i+1)+".pdf")
	meta("DC.rights", pick(licences, i))
	fmt.Fprintf(&b, `<script type="application/ld+json">{"@context":"https://schema.org","@type":"ScholarlyArticle","url":"%s","author":{"@type":"Person","@id":"https://orcid.org/%s"}}</script>`, page, text(orcid))
	for k := range 40 { // as long as pages are
		fmt.Fprintf(&b, "<link rel=\"stylesheet\" href=\"/style/%d.css\">\n", k)
	}
	fmt.Fprintf(&b, "</head>\n<body>\n<h1>%s</h1>\n<p>%s</p>\n</body></html>\n", text(g.title), string(g.abstract(nil, i)))
	return b.String()
}
