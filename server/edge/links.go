package edge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
)

const (
	// lookupTime is how long a page waits for its links and its JSON-LD.
	lookupTime = 300 * time.Millisecond

	// maxLookups is how many lookups may run at the same time. If they hang,
	// all other pages are served without links at once.
	maxLookups = 512
)

// lookups asks the gateway in the background, so that a slow one delays no page.
type lookups struct {
	lookup   Lookup
	describe Describe // nil if no page gets JSON-LD
	slots    chan struct{}
	log      *slog.Logger
}

// pendingLookup is a lookup that runs while the origin answers.
type pendingLookup struct {
	links       chan linkset.LinkSet
	description chan *Description
	deadline    time.Time
}

func (l *lookups) start(ctx context.Context, uri string) pendingLookup {
	p := pendingLookup{make(chan linkset.LinkSet, 1), make(chan *Description, 1), time.Now().Add(lookupTime)}
	select {
	case l.slots <- struct{}{}:
	default:
		p.close()
		return p
	}
	go func() {
		defer func() {
			if x := recover(); x != nil {
				l.log.Error("looking up links failed", "uri", uri, "panic", fmt.Sprint(x), "stack", string(debug.Stack()))
			}
			p.close()
			<-l.slots
		}()
		l.ask(ctx, uri, p)
	}()
	return p
}

func (l *lookups) ask(ctx context.Context, uri string, p pendingLookup) {
	links, ok := l.lookup(ctx, uri)
	if !ok {
		return
	}
	p.links <- links
	if l.describe == nil || !isLandingPage(links) {
		return
	}
	if d, ok := l.describe(ctx, uri); ok {
		p.description <- &d
	}
}

func (p pendingLookup) close() {
	close(p.links)
	close(p.description)
}

// wait returns what a lookup has found; nothing if that is not there by the
// deadline.
func wait[T any](found <-chan T, deadline time.Time) (out T) {
	select {
	case out = <-found:
		return out
	default: // a timer costs more than most lookups
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case out = <-found:
	case <-late.C:
	}
	return out
}

// pageRequest is a request for a resource that may have links.
type pageRequest struct {
	*Proxy
	request *http.Request
	uri     string // under which its links are looked up
	pending pendingLookup
	found   linkset.LinkSet
	waited  bool
	page    *page // nil unless links are written into the HTML
}

func (p *Proxy) pageRequest(r *http.Request) *pageRequest {
	q := &pageRequest{Proxy: p, request: r, uri: p.uriOf(r)}
	if q.waited = len(q.uri) > linkset.MaxURI; !q.waited {
		q.pending = p.lookups.start(r.Context(), q.uri)
	}
	return q
}

// uriOf returns the URI under which the links of a request are looked up. The
// client's Host counts only if it is one of the repository's own names.
func (p *Proxy) uriOf(r *http.Request) string {
	host, ok := p.hosts[bareHost(r.Host)]
	if !ok {
		host = p.Public.Host
	}
	uri := p.Public.Scheme + "://" + host + rawPath(r)
	if r.URL.RawQuery != "" {
		uri += "?" + r.URL.RawQuery
	}
	return uri
}

func (q *pageRequest) links() linkset.LinkSet {
	if !q.waited {
		q.found, q.waited = wait(q.pending.links, q.pending.deadline), true
	}
	return q.found
}

// prepare changes the request to the origin so that links can be written into
// the page. If they go into the header alone it changes nothing and does not
// wait for the lookup.
func (q *pageRequest) prepare(out *http.Request) {
	if !q.HTML || out.Header["Upgrade"] != nil {
		return
	}
	if links := q.links(); isLandingPage(links) {
		q.page = newPage(links, wait(q.pending.description, q.pending.deadline))
		q.page.ask(out.Header)
	}
}

// isLandingPage reports whether the links are those of a landing page. Files
// and metadata lead to one. FAIR Signposting, 2.1.2; COAR Notify.
func isLandingPage(links linkset.LinkSet) bool {
	for _, l := range links {
		if l.Rel == "collection" || l.Rel == "describes" {
			return false
		}
	}
	return len(links) > 0
}

// takesLinks reports whether an answer with this status gets the links. A
// resource that is restricted or has moved keeps them (FAIR Signposting, 1.2).
// An address that is not found has links only if its object was deleted.
func takesLinks(status int, links linkset.LinkSet) bool {
	switch status {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotModified,
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusGone:
		return len(links) > 0
	case http.StatusNotFound:
		return isTombstone(links)
	}
	return false
}

// isTombstone reports whether the links are those of a deleted object: what to
// cite it as, and nothing else.
func isTombstone(links linkset.LinkSet) bool {
	return len(links) > 0 && len(links.Except("cite-as")) == 0
}

// addLinks adds to the answer the links that the origin does not send itself.
func (q *pageRequest) addLinks(res *http.Response) {
	links := q.links()
	if !takesLinks(res.StatusCode, links) {
		return
	}
	own := ownLinks(res.Header["Link"], q.uri)
	res.Header["Link"] = append(res.Header["Link"], without(links, own).HeaderWithin(q.Budget)...)
	if q.page == nil {
		return
	}
	if kept := uncontradicted(links, own); len(kept) < len(links) {
		q.page.keep(kept)
	}
	q.page.answer(res, q.request, &q.buffers)
}

// ownLinks are the links about uri in the Link headers that the origin sent.
func ownLinks(header []string, uri string) linkset.LinkSet {
	if len(header) == 0 {
		return nil
	}
	links, _ := linkset.ParseHeader(header, uri) // those that can be read
	return links.From(uri)
}

// without returns the links that the origin does not send itself. A page has
// one cite-as, and the repository's comes first. FAIR Signposting, 2.1.1.
func without(links, own linkset.LinkSet) linkset.LinkSet {
	if len(own) == 0 {
		return links
	}
	type target struct{ rel, href string }
	sent := map[target]bool{}
	for _, l := range own {
		sent[target{strings.ToLower(l.Rel), sameTarget(l.Href)}] = true
	}
	var out linkset.LinkSet
	for _, l := range uncontradicted(links, own) {
		if !sent[target{strings.ToLower(l.Rel), sameTarget(l.Href)}] {
			out = append(out, l)
		}
	}
	return out
}

// uncontradicted leaves out our cite-as if the origin sends another one.
func uncontradicted(links, own linkset.LinkSet) linkset.LinkSet {
	for _, theirs := range own {
		if !strings.EqualFold(theirs.Rel, "cite-as") {
			continue
		}
		for _, ours := range links.Rel("cite-as") {
			if sameTarget(ours.Href) != sameTarget(theirs.Href) {
				return links.Except("cite-as")
			}
		}
	}
	return links
}

// sameTarget writes a target as this project does, if it is a valid one.
func sameTarget(href string) string {
	if t, err := linkset.Target(href); err == nil {
		return t
	}
	return href
}
