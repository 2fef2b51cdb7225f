// Package edge adds links to the repository's own pages: by a reverse proxy in
// front of the repository (Proxy), by configuration for its web server (Snippet),
// and by files that such a web server reads (Export).
//
// One rule is above all others: if anything here is slow or broken, the
// repository answers as it did before.
package edge

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
)

// A Lookup returns the links whose context is uri, and false if there are none.
// The proxy does not change them. A Lookup should return when ctx ends. If it does
// not, or if it panics, the page is served without links.
type Lookup func(ctx context.Context, uri string) (linkset.LinkSet, bool)

// Config is what a Proxy is made of. Origin and Public are required.
type Config struct {
	// Origin is the repository's own web server: scheme, host and port. The
	// proxy sends requests nowhere else.
	Origin *url.URL

	// Public is the repository's public address. Links are looked up under its
	// scheme and host, whatever a request says.
	Public *url.URL

	// Hosts are further names of the repository's host. A request with one of
	// them as Host is looked up under it.
	Hosts []string

	// Budget limits the links in the header of an answer.
	Budget linkset.Budget

	// HTML writes the links into the head of landing pages too, and JSON-LD
	// beside them where Describe has it.
	HTML     bool
	Describe Describe // nil has none

	// Sitemaps are the URLs for the Sitemap lines of robots.txt.
	Sitemaps []string

	// Catalog answers /.well-known/api-catalog. Nil leaves it to the origin.
	Catalog http.Handler

	// Trusted are the addresses of servers in front, such as the one that ends
	// TLS. Their X-Forwarded headers are passed on, those of others are dropped.
	Trusted []netip.Prefix

	// Timeout is how long the origin may be silent: while it receives a request,
	// before its answer and within it. 0 is one minute.
	Timeout time.Duration

	Log   *slog.Logger // nil logs nothing
	Tally *Tally       // nil counts nothing
}

// Proxy is a reverse proxy in front of one repository, an http.Handler.
//
// The http.Server that runs it should have a ReadHeaderTimeout, but neither
// ReadTimeout nor WriteTimeout: uploads and downloads take as long as they do.
type Proxy struct {
	Config
	hosts     map[string]string // by a request's host: the host to look its links up under
	lookups   *lookups
	transport http.RoundTripper
	upgrades  http.RoundTripper // without a limit on silence
	buffers   buffers
	errorLog  *log.Logger
}

const catalogPath = "/.well-known/api-catalog"

// New makes a Proxy.
func New(c Config, lookup Lookup) (*Proxy, error) {
	if err := checkBase(c.Origin); err != nil || strings.Trim(c.Origin.Path, "/") != "" {
		return nil, fmt.Errorf("origin %q: give scheme, host and port of the repository's own web server, such as http://127.0.0.1:8000", c.Origin)
	}
	if err := checkBase(c.Public); err != nil {
		return nil, fmt.Errorf("public address of the repository: %w", err)
	}
	for _, s := range c.Sitemaps {
		if _, err := linkset.Anchor(s); err != nil {
			return nil, fmt.Errorf("address of a Signmap: %w", err)
		}
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	p := &Proxy{Config: c, hosts: map[string]string{}, transport: newTransport(c.Timeout, c.Timeout), upgrades: newTransport(c.Timeout, 0)}
	p.errorLog = slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug)
	for _, host := range append(slices.Clone(c.Hosts), c.Public.Host) { // the public one last: it wins if names differ in the port only
		p.hosts[bareHost(host)] = host
	}
	p.lookups = &lookups{lookup: lookup, slots: make(chan struct{}, maxLookups), log: c.Log}
	if c.HTML {
		p.lookups.describe = c.Describe
	}
	return p, nil
}

func checkBase(u *url.URL) error {
	if u == nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return fmt.Errorf("%q is not an absolute http or https URL", u)
	}
	return nil
}

// bareHost returns a host without its port, in lower case.
func bareHost(host string) string {
	u := url.URL{Host: host}
	return strings.ToLower(u.Hostname())
}

// ServeHTTP answers what is the gateway's own, refuses what only an open proxy
// would accept, and passes on everything else.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer p.abortOnPanic(w, r)
	if p.refuse(w, r) {
		return
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reads && r.URL.Path == catalogPath && p.Catalog != nil:
		p.Tally.count(own, http.StatusOK, time.Time{})
		p.Catalog.ServeHTTP(w, r)
	case reads && r.URL.Path == "/robots.txt" && len(p.Sitemaps) > 0:
		p.pass(w, r, p.askForRobots, p.mergeRobots)
	case reads:
		q := p.pageRequest(r)
		p.pass(w, r, q.prepare, q.addLinks)
	default:
		p.pass(w, r, nil, nil)
	}
}

// pass sends r to the origin and the answer to w. ask changes the request to the
// origin, change its answer; both may be nil.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, ask func(*http.Request), change func(*http.Response)) {
	began := time.Now()
	proxy := httputil.ReverseProxy{
		Transport:  p.transport,
		BufferPool: &p.buffers,
		ErrorLog:   p.errorLog,
		Rewrite: func(pr *httputil.ProxyRequest) {
			p.address(pr)
			readFromClient(pr.Out)
			if ask != nil {
				ask(pr.Out)
			}
		},
		ModifyResponse: func(res *http.Response) error {
			w.Header()["Content-Type"] = nil // net/http would guess one that the origin does not send
			sent := len(res.Header["Link"])
			if change != nil {
				change(res)
			}
			what := passed
			if len(res.Header["Link"]) > sent {
				what = linked
			}
			p.Tally.count(what, res.StatusCode, began)
			return nil
		},
		ErrorHandler: p.originFailed,
	}
	if isWebSocket(r) {
		proxy.Transport = p.upgrades
	}
	proxy.ServeHTTP(w, r)
}

// abortOnPanic closes the connection, so that the client sees that the answer is
// incomplete. What the origin has sent of it is sent.
func (p *Proxy) abortOnPanic(w http.ResponseWriter, r *http.Request) {
	switch x := recover(); x {
	case nil:
		return
	case http.ErrAbortHandler:
		_ = http.NewResponseController(w).Flush()
	default:
		p.Log.Error("a request failed", "path", r.URL.Path, "panic", fmt.Sprint(x), "stack", string(debug.Stack()))
	}
	panic(http.ErrAbortHandler)
}
