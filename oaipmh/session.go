package oaipmh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fingerpost/oaipmh/outbound"
)

const maxRedirects = 5

const (
	firstBackoff   = time.Second
	longestBackoff = time.Minute
	// doubtfulRetries is for an address that has never answered OAI-PMH: it
	// is more likely wrong than out of order.
	doubtfulRetries = 2
)

// A session gets answers from a repository: it follows redirects, and repeats
// requests that failed.
type session struct {
	*wire
	mu       sync.Mutex
	base     *url.URL     // configured, or where that has moved for good
	repeated atomic.Int64 // requests after one that failed
	answered atomic.Bool  // there was an OAI-PMH answer once
}

func (s *session) currentBase() *url.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

func (s *session) moved(base *url.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = base
}

// request sends a request until it is answered, or further tries are pointless.
func (s *session) request(ctx context.Context, args arguments) (*answer, error) {
	for try := 0; ; try++ {
		a, err := s.once(ctx, args)
		if err == nil {
			err = a.expect(args.get("verb"))
		}
		if err == nil {
			return a, nil
		}
		again, wait := s.retry(err, try)
		if !again {
			if try > 0 && ctx.Err() == nil {
				err = fmt.Errorf("%w (tried %d times)", err, try+1)
			}
			return nil, err
		}
		if err := s.options.Clock.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		s.repeated.Add(1)
	}
}

// once sends a request one time, through up to five redirects, and reads the
// answer's envelope.
func (s *session) once(ctx context.Context, args arguments) (*answer, error) {
	base, permanent := s.currentBase(), true
	for range maxRedirects + 1 {
		r, err := s.send(ctx, base, args)
		if err != nil {
			return nil, err
		}
		next, err := s.redirect(base, r, args)
		if err != nil {
			return nil, err
		}
		if next == nil {
			a, err := s.judge(r)
			if err == nil && permanent && base != s.currentBase() {
				s.moved(base)
			}
			return a, err
		}
		base = next
		permanent = permanent && (r.status == http.StatusMovedPermanently || r.status == http.StatusPermanentRedirect)
	}
	return nil, &UnreachableError{
		URL: address(base, args), Err: fmt.Errorf("more than %d redirects", maxRedirects), final: true,
		remedy: "check the base URL in a browser",
	}
}

// redirect returns the base URL that the server leads to, nil if to none. Our
// arguments are taken off it: they go with the next request as with any, even
// where the server forgot them on the way.
func (s *session) redirect(base *url.URL, r *response, args arguments) (*url.URL, error) {
	location, err := outbound.Location(base.String(), r.status, r.header)
	if err == nil && location == "" {
		return nil, nil
	}
	var next *url.URL
	if err == nil {
		next, err = url.Parse(location)
	}
	if err == nil {
		err = s.guard.CheckURL(next)
	}
	if err != nil {
		return nil, &UnreachableError{URL: r.url, Err: err, final: true, remedy: "check the base URL in a browser"}
	}
	keys := slices.Collect(maps.Keys(s.options.Query)) // the server may print them back
	for _, a := range args {
		keys = append(keys, a.key)
	}
	next.RawQuery = without(next.RawQuery, keys...)
	return next, nil
}

// judge reads the envelope of a response. An OAI-PMH
// error counts more than the status it came with, unless that asks for a
// pause.
func (s *session) judge(r *response) (*answer, error) {
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		return nil, s.failure(r)
	}
	a, err := readAnswer(r.body.bytes, r.header.Get("Content-Type"), int(s.options.MaxBytes))
	if err != nil {
		return nil, s.noAnswer(r, err)
	}
	a.url, a.body = r.url, r.body
	if len(a.errors) == 0 && r.status/100 != 2 {
		return nil, s.failure(r)
	}
	s.answered.Store(true)
	if len(a.errors) > 0 {
		e := a.errors[0]
		e.URL = r.url
		return nil, &e
	}
	return a, nil
}

// failure is a status that is no answer.
func (s *session) failure(r *response) *StatusError {
	return &StatusError{
		Code: r.status, URL: r.url, RetryAfter: r.retryAfter(s.options.Clock.Now()),
		Shield: outbound.BotCheck(r.status, r.header, r.body.bytes), UserAgent: s.options.UserAgent, New: !s.answered.Load(),
	}
}

// noAnswer says what came instead of an answer, which could not be read for
// the reason err.
func (s *session) noAnswer(r *response, err error) error {
	failure := s.failure(r)
	switch {
	case failure.Shield != "" || r.status/100 != 2:
		return failure
	case r.compressed():
		return &UnreachableError{URL: r.url, Err: errBadGzip, remedy: "the server's compression is broken"}
	}
	switch e := err.(type) {
	case *NotOAIError:
		e.URL, e.New = r.url, failure.New
	case *TruncatedError:
		e.URL = r.url
	case *TooLargeError:
		e.URL = r.url
	}
	return err
}

// compressed reports whether a body is still compressed after gunzip: twice, or
// in a way that was not requested.
func (r *response) compressed() bool {
	switch strings.ToLower(r.header.Get("Content-Encoding")) {
	case "deflate", "br", "zstd", "compress":
		return true
	}
	return bytes.HasPrefix(r.body.bytes, []byte("\x1F\x8B"))
}

// retry reports whether to try again after err, and how long to wait before,
// in addition to the pause that the host may have asked for.
func (s *session) retry(err error, try int) (again bool, wait time.Duration) {
	if try >= s.options.Retries {
		return false, 0
	}
	wait = min(firstBackoff<<min(try, 16), longestBackoff)
	wait = wait/2 + random(wait/2)
	var status *StatusError
	var protocol *Error
	var unreachable *UnreachableError
	var notOAI *NotOAIError
	var truncated *TruncatedError
	switch {
	case errors.As(err, &status):
		if status.RetryAfter >= wait {
			wait = 0 // the host's pause is waited out before the next request
		}
		return status.transient(), wait
	case errors.As(err, &protocol):
		return !protocol.isStandard(), wait
	case errors.Is(err, errBadGzip):
		return !s.identity.Swap(true), 0
	case errors.As(err, &unreachable):
		return !unreachable.final && s.notDoubtful(try), wait
	case errors.As(err, &notOAI):
		return s.notDoubtful(try), wait
	case errors.As(err, &truncated):
		return true, wait
	}
	return false, 0
}

func (s *session) notDoubtful(try int) bool { return s.answered.Load() || try < doubtfulRetries }
