package harvest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

const (
	// failedFor is how long no landing page is asked for after failuresInARow.
	failedFor = time.Hour
	// After forbiddenInARow landing pages that a robots.txt forbids, none is tried
	// for a day: it forbids all of them.
	forbiddenInARow = 20
)

// Why a landing page was not read, beside what package landingpage says.
var (
	errPassedBy  = errors.New("was not asked for")
	errSilent    = errors.New("could not be had")
	errRedirects = errors.New("is behind too many redirects")
	errUnchanged = errors.New("is as it was")
)

// pageReader asks for landing pages, one after the other. It stops, and says why,
// where it is not wanted.
type pageReader struct {
	*prober
	pace      time.Duration // least time between two requests, as the last host wanted it
	least     time.Duration // the same, as configured
	forbidden int           // pages in a row that a robots.txt forbids
	stop      store.Pause   // why no page is asked for; the zero Pause while they are
	// until is when hosts may be asked again that refused or failed, by site. They
	// are not the repository's: others may be asked meanwhile.
	until map[string]time.Time
}

// maxShut bounds the hosts that are kept as shut: metadata may name many.
const maxShut = 1000

func newPageReader(r Repository, h *Harvester) (*pageReader, error) {
	p, err := newProber(r, h.logger(), h.Clock.Now)
	if err != nil {
		return nil, err
	}
	least := r.Client.MinInterval
	if least == 0 {
		least = probePace
	}
	return &pageReader{prober: p, pace: least, least: least, until: map[string]time.Time{}}, nil
}

// keepShut shuts the hosts that refused or failed in an earlier run.
func (p *pageReader) keepShut(until map[string]time.Time) {
	for site, t := range until {
		if p.now().Before(t) {
			p.until[site], p.shut[site] = t, true
		}
	}
}

// pageAnswer is what came of a request for a landing page.
type pageAnswer struct {
	record []byte // what the page states; nil with an error
	url    string // where redirects led
	header http.Header
	err    error // an error of package landingpage, or one of those above
}

// read asks for a landing page, unless it is as it was at an earlier visit.
func (p *pageReader) read(ctx context.Context, address string, before store.Visit) pageAnswer {
	at := address
	for range maxRedirects + 1 {
		head, body, err := p.get(ctx, at, conditions(at, before), landingpage.MaxBytes)
		a := pageAnswer{url: at, header: head.Header, err: err}
		if errors.Is(err, errPassedBy) && at != address && !p.over(ctx) {
			a.err = errSilent // it was asked for, and leads where nobody may go
		}
		if err != nil {
			return a
		}
		next, err := outbound.Location(at, head.Status, head.Header)
		switch {
		case err != nil || len(next) > longestURL:
			a.err = errRedirects
			return a
		case next != "":
			at = next
			continue
		case head.Status == http.StatusNotModified:
			a.err = errUnchanged
			return a
		}
		a.record, a.err = landingpage.Read(landingpage.Page{
			Asked: address, URL: at, Status: head.Status, Header: head.Header, Body: bytes.NewReader(body),
		})
		p.judgeWall(at, a.err)
		if a.err == nil {
			a.record = p.withLinkSet(ctx, a.record, at)
		}
		return a
	}
	return pageAnswer{url: at, err: errRedirects}
}

// conditions ask for a page only if there is a newer version of it. RFC 9110,
// 13.1.2 and 13.1.3.
func conditions(at string, before store.Visit) http.Header {
	h := http.Header{"Accept": {"text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"}, "Accept-Encoding": {"gzip"}}
	if before.URL == at && before.ETag != "" {
		h.Set("If-None-Match", before.ETag)
	}
	if before.URL == at && before.Modified != "" {
		h.Set("If-Modified-Since", before.Modified)
	}
	return h
}

// get sends one request, if the robots.txt of its host allows that. Redirects
// come back as they are.
func (p *pageReader) get(ctx context.Context, at string, header http.Header, most int64) (oaipmh.Head, []byte, error) {
	if p.over(ctx) || p.shut[siteOf(at)] {
		return oaipmh.Head{}, nil, errPassedBy
	}
	allowed, apart, err := p.allowed(ctx, at)
	switch {
	case ctx.Err() != nil:
		return oaipmh.Head{}, nil, errPassedBy
	case err != nil:
		p.leave(at, failedFor, fmt.Sprintf("the robots.txt of %s cannot be read, which forbids everything: %v", hostOf(at), err))
		return oaipmh.Head{}, nil, errPassedBy
	case !allowed:
		if p.forbidden++; p.forbidden >= forbiddenInARow {
			p.leave(at, refusedFor, fmt.Sprintf("the robots.txt of %s forbids its landing pages: ask its administrators to allow them to %s", hostOf(at), outbound.Product))
		}
		return oaipmh.Head{}, nil, errPassedBy
	}
	p.forbidden, p.pace = 0, max(p.least, apart)
	head, body, err := p.client.Get(ctx, at, header, most, apart)
	if ctx.Err() != nil {
		return head, nil, errPassedBy
	}
	return head, body, p.judgePage(at, head.Status, err)
}

// over reports whether nothing more is asked for.
func (p *pageReader) over(ctx context.Context) bool {
	return ctx.Err() != nil || !p.stop.Until.IsZero()
}

// judgePage leaves a host that refuses or fails.
func (p *pageReader) judgePage(at string, status int, err error) error {
	site := siteOf(at)
	pause := (*oaipmh.PauseError)(nil)
	switch {
	case errors.As(err, &pause):
		p.leave(at, pause.Until.Sub(p.now()), pause.Error())
		return errSilent
	case status == http.StatusForbidden:
		p.leave(at, refusedFor, fmt.Sprintf("%s answers 403 Forbidden: ask its administrators to let through the User-Agent of this gateway", at))
		return &landingpage.StatusError{Status: status}
	case err != nil, status == http.StatusTooManyRequests, status >= 500:
		if p.failed[site]++; p.failed[site] >= failuresInARow {
			why := fmt.Sprintf("status %d", status)
			if err != nil {
				why = err.Error()
			}
			p.leave(at, failedFor, fmt.Sprintf("%d requests for landing pages failed in a row, the last with: %s", failuresInARow, why))
		}
		return errSilent
	}
	p.failed[site] = 0
	return nil
}

// judgeWall leaves a host that showed a wall in place of a page.
func (p *pageReader) judgeWall(at string, err error) {
	if wall := (*landingpage.WallError)(nil); errors.As(err, &wall) {
		p.leave(at, refusedFor, fmt.Sprintf("%s %v: ask its administrators to let through the User-Agent of this gateway", at, wall))
	}
}

// leave ends all requests for some time; on a host that is not the repository's,
// such as a publisher's to which an identifier leads, those to the host alone.
func (p *pageReader) leave(at string, d time.Duration, why string) {
	now := p.now()
	if !p.isOwn(hostOf(at)) {
		p.shut[siteOf(at)] = true
		if len(p.until) < maxShut {
			p.until[siteOf(at)] = now.Add(d)
		}
		return
	}
	p.stop = store.Pause{At: now, Until: now.Add(d), Reason: outbound.Printable(why, longestReason), Refused: d == refusedFor}
}

// isOwn reports whether a host is the repository's, or has a name below or beside
// that of one.
func (p *pageReader) isOwn(host string) bool {
	return slices.ContainsFunc(p.own, func(own string) bool {
		_, above, _ := strings.Cut(own, ".")
		return host == own || strings.HasSuffix(host, "."+own) || strings.Contains(above, ".") && (host == above || strings.HasSuffix(host, "."+above))
	})
}

// withLinkSet adds to a record the link set that its page leads to, if that is on
// the host of the page and can be had.
func (p *pageReader) withLinkSet(ctx context.Context, record []byte, page string) []byte {
	address, mediaType := landingpage.LinkSetOf(record)
	if address == "" || hostOf(address) != hostOf(page) {
		return record
	}
	allowed, apart, err := p.allowed(ctx, address)
	if err != nil || !allowed {
		return record
	}
	head, body, err := p.client.Get(ctx, address, http.Header{"Accept": {mediaType}, "Accept-Encoding": {"gzip"}}, landingpage.MaxBytes, apart)
	if err != nil || head.Status != http.StatusOK {
		return record
	}
	if whole, err := landingpage.AddLinkSet(record, head.Header.Get("Content-Type"), body); err == nil {
		return whole
	}
	return record
}
