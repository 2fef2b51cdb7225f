package oaipmh

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"time"
)

const (
	maxEmptyPages = 20 // in a row, each with a token
	maxListedSets = 100_000
)

// ListRecords asks for the records of a list, page by page. OAI-PMH 4.5. The
// next page is asked for as soon as the token of the one before is known, at
// most one page ahead of the consumer. The last page is the one with an empty
// token; an error is the last thing yielded.
func (c *Client) ListRecords(ctx context.Context, l List) iter.Seq2[Page, error] {
	return c.pages(ctx, "ListRecords", l)
}

// ListIdentifiers is ListRecords without metadata. OAI-PMH 4.3.
func (c *Client) ListIdentifiers(ctx context.Context, l List) iter.Seq2[Page, error] {
	return c.pages(ctx, "ListIdentifiers", l)
}

// FirstIdentifiers asks for the first page of ListIdentifiers and for no other.
func (c *Client) FirstIdentifiers(ctx context.Context, l List) (Page, error) {
	a, err := c.askList(ctx, "ListIdentifiers", l)
	if err != nil {
		return Page{}, err
	}
	return a.page()
}

// fetched is what a request for a page came to.
type fetched struct {
	answer *answer
	err    error
}

// fetch asks in the background. Its result waits for whoever takes it.
func (c *Client) fetch(ask func() (*answer, error)) <-chan fetched {
	result := make(chan fetched, 1)
	go func() {
		a, err := ask()
		result <- fetched{a, err}
	}()
	return result
}

func (c *Client) pages(ctx context.Context, verb string, l List) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		k := course{client: c, ctx: ctx, verb: verb, list: l}
		defer func() { // no request outlives the loop
			cancel()
			k.take()
		}()
		for k.start(); k.next != nil; {
			page, err := k.page()
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// A course is the way through one list.
type course struct {
	client *Client
	ctx    context.Context
	verb   string
	list   List
	next   <-chan fetched // the request under way; nil if there is none
	tokens map[[16]byte]struct{}
	empty  int // pages without records in a row
	seen   int // records so far
	size   int // completeListSize as last told
}

// take waits for the request under way.
func (k *course) take() fetched {
	if k.next == nil {
		return fetched{}
	}
	got := <-k.next
	k.next = nil
	return got
}

// start asks for the first page: by token if the list is resumed.
func (k *course) start() {
	k.tokens = map[[16]byte]struct{}{}
	if k.list.Token != "" {
		k.follow(k.list.Token)
		return
	}
	k.next = k.client.fetch(func() (*answer, error) { return k.client.askList(k.ctx, k.verb, k.list) })
}

// follow asks for the page that a token leads to.
func (k *course) follow(token string) {
	k.tokens[sum(token)] = struct{}{}
	k.next = k.client.fetch(func() (*answer, error) { return k.client.askToken(k.ctx, k.verb, token, k.list) })
}

func (k *course) met(token string) bool {
	_, met := k.tokens[sum(token)]
	return met
}

func sum(token string) [16]byte {
	s := sha256.Sum256([]byte(token))
	return [16]byte(s[:16])
}

// page takes the page that was asked for and asks for the one after it, before
// the records are split if the token can be told without.
func (k *course) page() (Page, error) {
	got := k.take()
	if got.err != nil {
		return k.end(got.err)
	}
	early, ok := got.answer.earlyToken()
	ok = ok && got.answer.bytes <= maxSpare && early.Value != "" && len(early.Value) <= maxToken && !k.met(early.Value) && k.empty < maxEmptyPages-1
	if ok {
		k.follow(early.Value)
	}
	page, err := got.answer.page()
	if err != nil {
		return Page{}, err
	}
	k.count(page)
	token := page.Token.Value
	if ok && token == early.Value {
		return page, nil
	}
	k.take() // asked for in error: the end of the page was not what it seemed
	switch {
	case token == "":
		return page, nil
	case k.met(token):
		return Page{}, &LoopError{URL: page.URL, Token: token}
	case k.empty >= maxEmptyPages:
		return Page{}, &LoopError{URL: page.URL, Empty: k.empty}
	}
	k.follow(token)
	return page, nil
}

func (k *course) count(p Page) {
	n := len(p.Records) + len(p.Bad)
	k.seen += n
	k.empty++
	if n > 0 {
		k.empty = 0
	}
	if p.Token.CompleteListSize >= 0 {
		k.size = p.Token.CompleteListSize
	}
}

// end decides on an error that came in place of a page. Some servers give a
// token with the last page and then have nothing more: that is the end, shown
// as a page without records and token, where the list is known to be complete.
func (k *course) end(err error) (Page, error) {
	var e *Error
	complete := k.list.Token == "" && k.size > 0 && k.seen >= k.size
	if errors.As(err, &e) && complete && (e.Code == NoRecordsMatch || e.Code == BadResumptionToken) {
		return Page{URL: e.URL, Token: ResumptionToken{Present: true, Cursor: -1, CompleteListSize: k.size}}, nil
	}
	return Page{}, err
}

// askList asks for the first page of a list. Where its dates are refused, it
// asks again in the ways that other servers want them.
func (c *Client) askList(ctx context.Context, verb string, l List) (*answer, error) {
	g, earliest, err := c.dates(ctx, l)
	if err != nil {
		return nil, err
	}
	a, err := c.ask(ctx, listArguments(verb, l, g))
	if !isCode(err, BadArgument) || l.From.IsZero() && l.Until.IsZero() {
		return a, err
	}
	if g == Second {
		if b, again := c.ask(ctx, listArguments(verb, l, Day)); accepted(again) {
			c.days.Store(true)
			return b, again
		}
	}
	if l.From.IsZero() || !earliest.IsZero() && !l.From.Before(earliest) {
		return a, err
	}
	for _, from := range []time.Time{earliest, {}} {
		l.From = from
		if b, again := c.ask(ctx, listArguments(verb, l, g)); accepted(again) {
			return b, again
		}
	}
	return a, err
}

// accepted tells that the arguments of a list were, be it that nothing matches.
func accepted(err error) bool { return err == nil || isCode(err, NoRecordsMatch) }

// dates returns the granularity for the dates of a list, and the repository's
// earliest datestamp. It asks for them if they are needed and not known.
func (c *Client) dates(ctx context.Context, l List) (Granularity, time.Time, error) {
	if l.From.IsZero() && l.Until.IsZero() {
		return Day, time.Time{}, nil
	}
	c.mu.Lock()
	g, earliest := c.granularity, c.earliest
	c.mu.Unlock()
	if g == "" && l.Granularity == "" {
		id, err := c.Identify(ctx)
		if err != nil {
			return "", time.Time{}, err
		}
		g = id.Granularity
		earliest, _ = ParseDatestamp(id.EarliestDatestamp)
	}
	if l.Granularity != "" {
		g = l.Granularity
	}
	if c.days.Load() {
		g = Day
	}
	return g, earliest, nil
}

// listArguments are those of a list's first page. from and until are always of
// the same granularity (OAI-PMH 2.7.1).
func listArguments(verb string, l List, g Granularity) arguments {
	args := arguments{{key: "verb", value: verb}}.with("metadataPrefix", l.Prefix).with("set", l.Set)
	if !l.From.IsZero() {
		args = args.with("from", g.Format(l.From))
	}
	if !l.Until.IsZero() {
		args = args.with("until", g.Format(l.Until))
	}
	return args
}

// askToken asks for a further page of a list. Where the token is refused it
// asks again in the other way of escaping, or with the metadataPrefix that
// some want beside it, and keeps to what works.
func (c *Client) askToken(ctx context.Context, verb, token string, l List) (*answer, error) {
	verbatim, withPrefix := c.verbatim.Load(), c.withPrefix.Load()
	a, err := c.ask(ctx, tokenArguments(verb, token, l.Prefix, verbatim, withPrefix))
	switch {
	case isCode(err, BadResumptionToken) && asItIs.Encode(token) != escaped.Encode(token):
		if b, again := c.ask(ctx, tokenArguments(verb, token, l.Prefix, !verbatim, withPrefix)); again == nil {
			c.verbatim.Store(!verbatim)
			return b, nil
		}
	case isCode(err, BadArgument) && l.Prefix != "" && !withPrefix:
		if b, again := c.ask(ctx, tokenArguments(verb, token, l.Prefix, verbatim, true)); again == nil {
			c.withPrefix.Store(true)
			return b, nil
		}
	}
	return a, err
}

// tokenArguments are the verb and the token, exclusively (OAI-PMH 3.5).
func tokenArguments(verb, token, prefix string, verbatim, withPrefix bool) arguments {
	args := arguments{{key: "verb", value: verb}, {key: "resumptionToken", value: token, verbatim: verbatim}}
	if withPrefix {
		args = args.with("metadataPrefix", prefix)
	}
	return args
}

func isCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// ListSets asks for the repository's sets, all pages of them. OAI-PMH 4.6. A
// repository without sets answers with the *Error noSetHierarchy.
func (c *Client) ListSets(ctx context.Context) ([]Set, error) {
	var sets []Set
	met := map[string]bool{}
	empty := 0 // answers without sets in a row
	a, err := c.ask(ctx, arguments{{key: "verb", value: "ListSets"}})
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
		case met[token.Value]:
			return nil, &LoopError{URL: a.url, Token: token.Value}
		case empty >= maxEmptyPages:
			return nil, &LoopError{URL: a.url, Empty: empty}
		case len(sets) > maxListedSets:
			return nil, &TooLargeError{URL: a.url, What: "sets", Limit: maxListedSets}
		case len(token.Value) > maxToken:
			return nil, &TooLargeError{URL: a.url, What: "bytes of resumptionToken", Limit: maxToken}
		}
		met[token.Value] = true
		a, err = c.askToken(ctx, "ListSets", token.Value, List{})
	}
}
