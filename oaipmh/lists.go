package oaipmh

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// lists requests the pages of lists, in the way that the server has been found to
// understand.
type lists struct {
	session *session

	mu          sync.Mutex
	granularity Granularity // "" before Identify
	earliest    time.Time

	verbatim   atomic.Bool // tokens are sent as they are
	withPrefix atomic.Bool // tokens are sent with the metadataPrefix
	days       atomic.Bool // dates are sent without time
}

// identify requests Identify. OAI-PMH 4.2.
func (s *lists) identify(ctx context.Context) (Identify, error) {
	a, err := s.session.request(ctx, arguments{{key: "verb", value: "Identify"}})
	if err != nil {
		return Identify{}, err
	}
	id, err := a.identify()
	if err != nil {
		return Identify{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granularity = id.Granularity
	s.earliest, _ = ParseDatestamp(id.EarliestDatestamp)
	return id, nil
}

// first requests the first page of a list. Where its dates are refused, it tries
// the ways in which other servers want them.
func (s *lists) first(ctx context.Context, verb string, l List) (*answer, error) {
	g, earliest, err := s.dates(ctx, l)
	if err != nil {
		return nil, err
	}
	a, err := s.session.request(ctx, listArguments(verb, l, g))
	if !isCode(err, BadArgument) || l.From.IsZero() && l.Until.IsZero() {
		return a, err
	}
	if g == Second {
		if b, again := s.session.request(ctx, listArguments(verb, l, Day)); accepted(again) {
			s.days.Store(true)
			return b, again
		}
	}
	if l.From.IsZero() || !earliest.IsZero() && !l.From.Before(earliest) {
		return a, err
	}
	for _, from := range []time.Time{earliest, {}} {
		l.From = from
		if b, again := s.session.request(ctx, listArguments(verb, l, g)); accepted(again) {
			return b, again
		}
	}
	return a, err
}

// accepted reports whether the server accepted the arguments of a list. It has if
// nothing matches them.
func accepted(err error) bool { return err == nil || isCode(err, NoRecordsMatch) }

// dates returns the granularity for the dates of a list, and the repository's
// earliest datestamp. It requests them if they are needed.
func (s *lists) dates(ctx context.Context, l List) (Granularity, time.Time, error) {
	if l.From.IsZero() && l.Until.IsZero() {
		return Day, time.Time{}, nil
	}
	s.mu.Lock()
	g, earliest := s.granularity, s.earliest
	s.mu.Unlock()
	if g == "" && l.Granularity == "" {
		id, err := s.identify(ctx)
		if err != nil {
			return "", time.Time{}, err
		}
		g = id.Granularity
		earliest, _ = ParseDatestamp(id.EarliestDatestamp)
	}
	if l.Granularity != "" {
		g = l.Granularity
	}
	if s.days.Load() {
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

// next requests a further page of a list. Where the token is refused, it tries
// the other way of escaping, or the metadataPrefix that some servers want beside
// it, and keeps to what works.
func (s *lists) next(ctx context.Context, verb, token string, l List) (*answer, error) {
	verbatim, withPrefix := s.verbatim.Load(), s.withPrefix.Load()
	a, err := s.session.request(ctx, tokenArguments(verb, token, l.Prefix, verbatim, withPrefix))
	switch {
	case isCode(err, BadResumptionToken) && asItIs.Encode(token) != escaped.Encode(token):
		if b, again := s.session.request(ctx, tokenArguments(verb, token, l.Prefix, !verbatim, withPrefix)); again == nil {
			s.verbatim.Store(!verbatim)
			return b, nil
		}
	case isCode(err, BadArgument) && l.Prefix != "" && !withPrefix:
		if b, again := s.session.request(ctx, tokenArguments(verb, token, l.Prefix, verbatim, true)); again == nil {
			s.withPrefix.Store(true)
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
