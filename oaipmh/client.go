package oaipmh

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/publicsuffix"

	"fingerpost/oaipmh/outbound"
)

// Options say how a Client asks. The zero value is ready for use.
type Options struct {
	// Transport carries the requests. Default: one of the Client's own, which
	// verifies TLS, uses the proxy of the environment and keeps redirects
	// away from private addresses; only that one knows RootCAs.
	Transport http.RoundTripper

	UserAgent string      // Default: "fingerpost". A contact belongs in it: "fingerpost/1.2 (+mailto:oai@example.edu)".
	From      string      // Mail address for the From header. Default: none.
	Header    http.Header // Further headers, such as a key. Default: none.
	Username  string      // For basic authentication. Default: that of the base URL, if it has one.
	Password  string

	POST           bool // Send requests by POST. Default: GET.
	VerbatimToken  bool // Send resumptionTokens unescaped. Default: escaped; unescaped is tried where a token is refused.
	DayGranularity bool // Send dates without time. Default: as Identify declares; days are tried where seconds are refused.
	Cookies        bool // Keep cookies. Default: none are kept.

	RootCAs *x509.CertPool // Default: the system's.

	MaxBytes      int64         // Of an answer, after decompression and in UTF-8. Default: 32 MiB.
	Timeout       time.Duration // Of one request with its answer. Default: 60 s.
	Retries       int           // Further tries of a failed request. Default: 5; negative: none.
	MaxRetryAfter time.Duration // The longest Retry-After that is waited for; a longer one is a *ParkedError. Default: 15 min.
	MinInterval   time.Duration // Between the beginnings of two requests to a host. Default: none.
	Jitter        time.Duration // Random addition to MinInterval. Default: none.

	Hosts *Hosts // Shared by all clients of a process. Default: the Client's own.
	// Told is called with what a host asks for, when it does, before the next
	// request goes out. Default: nobody is told, and the Hosts alone go by it.
	Told  func(Restraint)
	Clock outbound.Clock // Default: the wall clock.
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&o.Timeout, time.Minute)
	set(&o.MaxRetryAfter, 15*time.Minute)
	if o.UserAgent == "" {
		o.UserAgent = "fingerpost"
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 32 << 20
	}
	if o.Retries == 0 {
		o.Retries = 5
	}
	if o.Hosts == nil {
		o.Hosts = new(Hosts)
	}
	if o.Clock == nil {
		o.Clock = outbound.WallClock()
	}
	return o
}

// A Client asks one repository. What it learns about the server (a moved base
// URL, tokens wanted verbatim, days for seconds) it keeps to. It may be used
// by several goroutines; their requests go out one after the other.
type Client struct {
	options    Options
	configured *url.URL
	http       *http.Client
	guard      *outbound.Guard

	mu          sync.Mutex
	base        *url.URL // configured, or where that has moved for good
	granularity Granularity
	earliest    time.Time

	sent       atomic.Int64 // requests so far
	repeated   atomic.Int64 // of these after one that failed
	answered   atomic.Bool  // there was an OAI-PMH answer once
	verbatim   atomic.Bool  // tokens are sent as they are
	withPrefix atomic.Bool  // tokens are sent with the metadataPrefix
	days       atomic.Bool
	identity   atomic.Bool // no compression is asked for
	lastSize   atomic.Int64
	spare      sync.Pool // of *[]byte, the memory of buffers
}

// New returns a Client for the repository at baseURL. A user name and password
// in the URL are used as those of Options.
func New(baseURL string, o Options) (*Client, error) {
	base, err := parseBase(baseURL)
	if err != nil {
		return nil, err
	}
	if base.User != nil && o.Username == "" {
		o.Username = base.User.Username()
		o.Password, _ = base.User.Password()
	}
	base.User = nil
	c := &Client{options: o.withDefaults(), configured: base, base: base, guard: outbound.NewGuard(base)}
	c.verbatim.Store(o.VerbatimToken)
	c.days.Store(o.DayGranularity)
	carrier := o.Transport
	if carrier == nil {
		carrier = transport(c.guard, c.options)
	}
	c.http = &http.Client{
		Transport:     carrier,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.Cookies {
		c.http.Jar, err = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	}
	return c, err
}

// BaseURL is where requests go: the base URL given to New, or where the server
// says that it has moved for good.
func (c *Client) BaseURL() string { return c.currentBase().String() }

func (c *Client) currentBase() *url.URL {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base
}

func (c *Client) moved(base *url.URL) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = base
}

// Learned are the switches that a Client found the server to need. They can
// be given as Options from the start.
type Learned struct {
	VerbatimToken  bool
	DayGranularity bool
}

// Learned says what the server has been found to need so far.
func (c *Client) Learned() Learned {
	return Learned{VerbatimToken: c.verbatim.Load(), DayGranularity: c.days.Load()}
}

// Requests is how many requests went out so far, retries and redirects
// counted.
func (c *Client) Requests() int { return int(c.sent.Load()) }

// Retries is how many of them asked once more for what had failed.
func (c *Client) Retries() int { return int(c.repeated.Load()) }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Identify asks what the repository is. OAI-PMH 4.2. The answer's Granularity
// is what later requests keep to.
func (c *Client) Identify(ctx context.Context) (Identify, error) {
	a, err := c.ask(ctx, arguments{{key: "verb", value: "Identify"}})
	if err != nil {
		return Identify{}, err
	}
	id, err := a.identify()
	if err != nil {
		return Identify{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.granularity = id.Granularity
	c.earliest, _ = ParseDatestamp(id.EarliestDatestamp)
	return id, nil
}

// ListMetadataFormats asks for the formats of the repository, or of one of its
// records if identifier is not "". OAI-PMH 4.4.
func (c *Client) ListMetadataFormats(ctx context.Context, identifier string) ([]MetadataFormat, error) {
	a, err := c.ask(ctx, arguments{{key: "verb", value: "ListMetadataFormats"}}.with("identifier", identifier))
	if err != nil {
		return nil, err
	}
	return a.formats()
}

// GetRecord asks for one record. OAI-PMH 4.1. A record that cannot be read is
// a *BadRecord.
func (c *Client) GetRecord(ctx context.Context, identifier, prefix string) (Record, error) {
	a, err := c.ask(ctx, getRecord(identifier, prefix))
	if err != nil {
		return Record{}, err
	}
	p, err := a.page()
	switch {
	case err != nil:
		return Record{}, err
	case len(p.Records) > 0 && p.Records[0].Identifier != identifier:
		return Record{}, &NotOAIError{URL: a.url, Got: fmt.Sprintf("another record, %s,", clip(p.Records[0].Identifier))}
	case len(p.Records) > 0:
		return p.Records[0], nil
	case len(p.Bad) > 0:
		return Record{}, &p.Bad[0]
	}
	return Record{}, &NotOAIError{URL: a.url, Got: "a GetRecord without a record"}
}
