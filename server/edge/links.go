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
	// lookupTime is how long a page waits for its links.
	lookupTime = 300 * time.Millisecond

	// maxLookups is how many lookups may be under way. Where they hang, this
	// many hang, and all other pages go without links at once.
	maxLookups = 512
)

// asker asks for links and is not held up by the answer.
type asker struct {
	lookup Lookup
	places chan struct{}
	log    *slog.Logger
}

// pending is a lookup under way. The origin is asked at the same time, so that
// its answer has mostly come when it is waited for.
type pending struct {
	answer chan linkset.LinkSet
	until  time.Time
}

func (a *asker) ask(ctx context.Context, uri string) pending {
	p := pending{answer: make(chan linkset.LinkSet, 1), until: time.Now().Add(lookupTime)}
	select {
	case a.places <- struct{}{}:
	default:
		close(p.answer)
		return p
	}
	go func() {
		defer func() {
			if x := recover(); x != nil {
				a.log.Error("looking up links failed", "uri", uri, "panic", fmt.Sprint(x), "stack", string(debug.Stack()))
			}
			close(p.answer)
			<-a.places
		}()
		if links, ok := a.lookup(ctx, uri); ok {
			p.answer <- links
		}
	}()
	return p
}

// links waits for the answer, not longer than lookupTime after the question.
func (p pending) links() linkset.LinkSet {
	select {
	case links := <-p.answer:
		return links
	default:
	}
	late := time.NewTimer(time.Until(p.until)) // a timer costs more than most lookups
	defer late.Stop()
	select {
	case links := <-p.answer:
		return links
	case <-late.C:
		return nil
	}
}

// visit is one request for something that may have links.
type visit struct {
	*Proxy
	uri     string
	request *http.Request
	pending pending
	found   linkset.LinkSet
	waited  bool
	page    *page // where the links are to be written into the page
}

func (p *Proxy) visit(r *http.Request) *visit {
	v := &visit{Proxy: p, uri: p.uriOf(r), request: r}
	v.waited = len(v.uri) > linkset.MaxURI
	if !v.waited {
		v.pending = p.asking.ask(r.Context(), v.uri)
	}
	return v
}

// uriOf is the address under which a request is looked up: of its Host only
// that it is one of the repository's own is believed.
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

func (v *visit) links() linkset.LinkSet {
	if !v.waited {
		v.found, v.waited = v.pending.links(), true
	}
	return v.found
}

// askForPage makes the origin answer with a page into which links can be
// written. Where that is not wanted it changes nothing and does not wait.
func (v *visit) askForPage(out *http.Request) {
	if !v.HTML || out.Header["Upgrade"] != nil {
		return
	}
	if links := v.links(); isLandingPage(links) {
		v.page = newPage(links)
		v.page.ask(out.Header)
	}
}

// isLandingPage tells a landing page from files and metadata, which lead to
// one. FAIR Signposting, 2.1.2; COAR Notify.
func isLandingPage(links linkset.LinkSet) bool {
	for _, l := range links {
		if l.Rel == "collection" || l.Rel == "describes" {
			return false
		}
	}
	return len(links) > 0
}

// addLinks adds to the answer what the origin has not said itself.
func (v *visit) addLinks(res *http.Response) {
	switch res.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotModified:
	default:
		return
	}
	links := v.links()
	if len(links) == 0 {
		return
	}
	if said := res.Header["Link"]; len(said) > 0 {
		links = without(links, said, v.uri)
	}
	res.Header["Link"] = append(res.Header["Link"], links.HeaderWithin(v.Budget)...)
	if v.page != nil {
		v.page.answer(res, v.request, &v.buffers)
	}
}

// without returns the links that do not stand in the Link headers of uri. What
// to cite a page as it says once, the repository first: FAIR Signposting, 2.1.1.
func without(links linkset.LinkSet, header []string, uri string) linkset.LinkSet {
	sent, _ := linkset.ParseHeader(header, uri) // what could be read of it
	type arm struct{ rel, href string }
	there, cited := map[arm]bool{}, false
	for _, l := range sent {
		if l.Anchor == uri {
			there[arm{strings.ToLower(l.Rel), sameTarget(l.Href)}] = true
			cited = cited || strings.EqualFold(l.Rel, "cite-as")
		}
	}
	var out linkset.LinkSet
	for _, l := range links {
		if !there[arm{strings.ToLower(l.Rel), sameTarget(l.Href)}] && !(cited && l.Rel == "cite-as") {
			out = append(out, l)
		}
	}
	return out
}

// sameTarget writes a target as this project does, if it is one.
func sameTarget(href string) string {
	if t, err := linkset.Target(href); err == nil {
		return t
	}
	return href
}
