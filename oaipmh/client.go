package oaipmh

import (
	"context"
	"crypto/x509"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"fingerpost/oaipmh/outbound"
)

// Options say how a Client asks. The zero value is ready for use.
type Options struct {
	// Transport carries the requests. Default: one of the Client's own, which
	// verifies TLS, uses the proxy of the environment and keeps redirects
	// away from private addresses; only that one uses RootCAs.
	Transport http.RoundTripper

	UserAgent string      // Default: "fingerpost". A contact belongs in it: "fingerpost/1.2 (+mailto:oai@example.edu)".
	From      string      // Mail address for the From header. Default: none.
	Header    http.Header // Further headers, such as a key. Default: none.
	Query     url.Values  // Further arguments of every request, such as a key. They show in no message. Default: none.
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
	MaxRetryAfter time.Duration // The longest Retry-After that is waited for; a longer one is a *PauseError. Default: 15 min.
	MinInterval   time.Duration // Between the beginnings of two requests to a host. Default: none.
	Jitter        time.Duration // Random addition to MinInterval. Default: none.

	Hosts *Hosts // Shared by all clients of a process. Default: the Client's own.
	// Told is called when a host asks for a pause or a slower pace, before the
	// next request goes out. Hosts obeys it in any case. Default: none.
	Told func(Restraint)
	// Wait is called in place of Clock.Sleep to wait for the end of a pause that a
	// host asked for. Default: Clock.Sleep.
	Wait  func(ctx context.Context, until time.Time) error
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

// A Client sends requests to one repository. It remembers what it learns about
// the server: a moved base URL, tokens wanted verbatim, days for seconds. It may
// be used by several goroutines; their requests go out one after the other.
type Client struct {
	session *session
	lists   *lists
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
	w, err := newWire(base, o)
	if err != nil {
		return nil, err
	}
	s := &session{wire: w, base: base}
	l := &lists{session: s}
	l.verbatim.Store(o.VerbatimToken)
	l.days.Store(o.DayGranularity)
	return &Client{session: s, lists: l}, nil
}

// BaseURL is where requests go: the base URL given to New, or where the server
// says that it has moved for good.
func (c *Client) BaseURL() string { return c.session.currentBase().String() }

// Learned are the switches that a Client found the server to need. They can
// be given as Options from the start.
type Learned struct {
	VerbatimToken  bool
	DayGranularity bool
}

// Learned returns what the server has been found to need so far.
func (c *Client) Learned() Learned {
	return Learned{VerbatimToken: c.lists.verbatim.Load(), DayGranularity: c.lists.days.Load()}
}

// Requests is how many requests went out so far, retries and redirects
// counted.
func (c *Client) Requests() int { return int(c.session.sent.Load()) }

// Retries is how many of them repeated one that had failed.
func (c *Client) Retries() int { return int(c.session.repeated.Load()) }

// Close closes idle connections.
func (c *Client) Close() { c.session.http.CloseIdleConnections() }

// Identify requests the description of the repository. OAI-PMH 4.2. Later
// requests use its Granularity.
func (c *Client) Identify(ctx context.Context) (Identify, error) { return c.lists.identify(ctx) }

// ListMetadataFormats requests the formats of the repository, or of one of its
// records if identifier is not "". OAI-PMH 4.4.
func (c *Client) ListMetadataFormats(ctx context.Context, identifier string) ([]MetadataFormat, error) {
	a, err := c.session.request(ctx, arguments{{key: "verb", value: "ListMetadataFormats"}}.with("identifier", identifier))
	if err != nil {
		return nil, err
	}
	return a.formats()
}

// GetRecord requests one record. OAI-PMH 4.1. A record that cannot be read is
// a *BadRecord.
func (c *Client) GetRecord(ctx context.Context, identifier, prefix string) (Record, error) {
	a, err := c.session.request(ctx, getRecord(identifier, prefix))
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

// ListRecords requests the records of a list, page by page. OAI-PMH 4.5. The
// next page is requested as soon as the token of the one before has been read,
// at most one page ahead of the consumer. The last page is the one with an empty
// token; an error is the last thing yielded.
func (c *Client) ListRecords(ctx context.Context, l List) iter.Seq2[Page, error] {
	return pages(ctx, c.lists, "ListRecords", l)
}

// ListIdentifiers is ListRecords without metadata. OAI-PMH 4.3.
func (c *Client) ListIdentifiers(ctx context.Context, l List) iter.Seq2[Page, error] {
	return pages(ctx, c.lists, "ListIdentifiers", l)
}

// FirstIdentifiers requests only the first page of ListIdentifiers.
func (c *Client) FirstIdentifiers(ctx context.Context, l List) (Page, error) {
	a, err := c.lists.first(ctx, "ListIdentifiers", l)
	if err != nil {
		return Page{}, err
	}
	return a.page()
}

// ListSets requests all pages of the repository's sets. OAI-PMH 4.6. A
// repository without sets answers with the *Error noSetHierarchy.
func (c *Client) ListSets(ctx context.Context) ([]Set, error) {
	var sets []Set
	seen := map[string]bool{}
	empty := 0 // answers without sets in a row
	a, err := c.session.request(ctx, arguments{{key: "verb", value: "ListSets"}})
	for {
		if err != nil {
			return nil, err
		}
		more, token, broken := a.sets()
		if broken != nil {
			return nil, broken
		}
		sets = append(sets, more...)
		if empty++; len(more) > 0 {
			empty = 0
		}
		switch {
		case token.Value == "":
			return sets, nil
		case seen[token.Value]:
			return nil, &LoopError{URL: a.url, Token: token.Value}
		case empty >= maxEmptyPages:
			return nil, &LoopError{URL: a.url, Empty: empty}
		case len(sets) > maxListedSets:
			return nil, &TooLargeError{URL: a.url, What: "sets", Limit: maxListedSets}
		case len(token.Value) > maxToken:
			return nil, &TooLargeError{URL: a.url, What: "bytes of resumptionToken", Limit: maxToken}
		}
		seen[token.Value] = true
		a, err = c.lists.next(ctx, "ListSets", token.Value, List{})
	}
}
