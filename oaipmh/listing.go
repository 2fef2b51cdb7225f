package oaipmh

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
)

const (
	maxEmptyPages = 20 // in a row, each with a token
	maxListedSets = 100_000
)

// fetched is the outcome of a request for a page.
type fetched struct {
	answer *answer
	err    error
}

// fetch requests a page in the background. Its result waits to be taken.
func fetch(request func() (*answer, error)) <-chan fetched {
	result := make(chan fetched, 1)
	go func() {
		a, err := request()
		result <- fetched{a, err}
	}()
	return result
}

// pages reads a list page by page.
func pages(ctx context.Context, lists *lists, verb string, list List) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		l := &listing{lists: lists, ctx: ctx, verb: verb, list: list}
		defer func() { // no request outlives the loop
			cancel()
			l.take()
		}()
		for l.start(); l.next != nil || l.later != ""; {
			page, err := l.page()
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// A listing reads one list.
type listing struct {
	lists  *lists
	ctx    context.Context
	verb   string
	list   List
	next   <-chan fetched // the request under way; nil if there is none
	later  string         // the token to follow when this page has been used
	tokens map[[16]byte]struct{}
	empty  int // pages without records in a row
	seen   int // records so far
	size   int // completeListSize as last told
}

// take waits for the request that is under way.
func (l *listing) take() fetched {
	if l.next == nil {
		return fetched{}
	}
	got := <-l.next
	l.next = nil
	return got
}

// start requests the first page, by token if the list is resumed.
func (l *listing) start() {
	l.tokens = map[[16]byte]struct{}{}
	if l.list.Token != "" {
		l.follow(l.list.Token)
		return
	}
	l.next = fetch(func() (*answer, error) { return l.lists.first(l.ctx, l.verb, l.list) })
}

// follow requests the page that a token leads to.
func (l *listing) follow(token string) {
	l.tokens[sum(token)] = struct{}{}
	l.next = fetch(func() (*answer, error) { return l.lists.next(l.ctx, l.verb, token, l.list) })
}

// followed reports whether a token was followed before.
func (l *listing) followed(token string) bool {
	_, ok := l.tokens[sum(token)]
	return ok
}

func sum(token string) [16]byte {
	s := sha256.Sum256([]byte(token))
	return [16]byte(s[:16])
}

// page returns the page that was requested and requests the one after it, before
// the records are split if the token can be read without that.
func (l *listing) page() (Page, error) {
	if l.later != "" {
		l.follow(l.later)
		l.later = ""
	}
	got := l.take()
	if got.err != nil {
		return l.end(got.err)
	}
	early, ok := got.answer.earlyToken()
	more := l.list.More == nil || l.list.More()
	ok = ok && more && got.answer.bytes <= maxSpare && early.Value != "" && len(early.Value) <= maxToken && !l.followed(early.Value) && l.empty < maxEmptyPages-1
	if ok {
		l.follow(early.Value)
	}
	page, err := got.answer.page()
	if err != nil {
		return Page{}, err
	}
	l.count(page)
	token := page.Token.Value
	if ok && token == early.Value {
		return page, nil
	}
	l.take() // requested in error: the end of the page was not what it seemed
	switch {
	case token == "":
		return page, nil
	case l.followed(token):
		return Page{}, &LoopError{URL: page.URL, Token: token}
	case l.empty >= maxEmptyPages:
		return Page{}, &LoopError{URL: page.URL, Empty: l.empty}
	}
	if !more {
		return page, nil
	}
	if page.Bytes > maxSpare { // there is memory for one such page, not for two
		l.later = token
	} else {
		l.follow(token)
	}
	return page, nil
}

func (l *listing) count(p Page) {
	n := len(p.Records) + len(p.Bad)
	l.seen += n
	l.empty++
	if n > 0 {
		l.empty = 0
	}
	if p.Token.CompleteListSize >= 0 {
		l.size = p.Token.CompleteListSize
	}
}

// end handles an error in place of a page. Some servers give a token with the
// last page although nothing follows: if the list is complete by its announced
// size, that is the end, returned as a page without records and token.
func (l *listing) end(err error) (Page, error) {
	var e *Error
	complete := l.list.Token == "" && l.size > 0 && l.seen >= l.size
	if errors.As(err, &e) && complete && (e.Code == NoRecordsMatch || e.Code == BadResumptionToken) {
		return Page{URL: e.URL, Token: ResumptionToken{Present: true, Cursor: -1, CompleteListSize: l.size}}, nil
	}
	return Page{}, err
}
