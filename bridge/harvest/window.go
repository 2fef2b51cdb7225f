package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// oldest is where windows begin if a repository does not say, or not
// credibly, when its first record is from.
var oldest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// windows cuts w into its years, or its months, days or hours if it has only
// one of the larger. It returns nil where no smaller window can be asked for.
func windows(w store.Window, by oaipmh.Granularity) []store.Window {
	for _, step := range steps(by) {
		if out := cut(w, by, step); len(out) > 1 {
			return out
		}
	}
	return nil
}

type step struct {
	floor func(time.Time) time.Time
	next  func(time.Time) time.Time
}

func steps(by oaipmh.Granularity) []step {
	date := func(y int, m time.Month, d, h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, time.UTC) }
	out := []step{
		{func(t time.Time) time.Time { return date(t.Year(), 1, 1, 0) }, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
		{func(t time.Time) time.Time { return date(t.Year(), t.Month(), 1, 0) }, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
		{func(t time.Time) time.Time { return date(t.Year(), t.Month(), t.Day(), 0) }, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	}
	if by == oaipmh.Second {
		out = append(out, step{func(t time.Time) time.Time { return t.Truncate(time.Hour) }, func(t time.Time) time.Time { return t.Add(time.Hour) }})
	}
	return out
}

// cut cuts w at the steps' borders. Both ends of a window are included
// (OAI-PMH 2.7.1), so one ends a unit of the granularity before the next.
func cut(w store.Window, by oaipmh.Granularity, s step) []store.Window {
	unit := time.Second
	if by == oaipmh.Day {
		unit = 24 * time.Hour
	}
	var out []store.Window
	for from := w.From; !from.After(w.Until); {
		border := s.next(s.floor(from))
		until := border.Add(-unit)
		if until.After(w.Until) {
			until = w.Until
		}
		out = append(out, store.Window{From: from, Until: until})
		from = border
	}
	return out
}

// window is the span of the window at hand, its open ends closed.
func (l *list) window() store.Window {
	w := store.Window{From: l.at.From, Until: l.at.Until}
	if w.From.IsZero() {
		w.From = l.earliest()
	}
	if w.Until.IsZero() {
		w.Until = l.at.ResponseDate
	}
	if w.Until.IsZero() {
		w.Until = l.known.Identify.ResponseDate
	}
	if w.Until.IsZero() {
		w.Until = l.Clock.Now()
	}
	return store.Window{From: w.From.UTC(), Until: w.Until.UTC()}
}

func (l *list) earliest() time.Time {
	t, err := oaipmh.ParseDatestamp(l.known.Identify.EarliestDatestamp)
	if err != nil || t.Before(oldest) || t.After(l.Clock.Now()) {
		return oldest
	}
	return t
}

// split goes on with smaller windows, or, where there is none smaller, record
// by record.
func (l *list) split(ctx context.Context, cause error) error {
	if l.repository.FullOnly {
		l.give(fmt.Errorf("%w; smaller windows cannot be asked for, since the repository is harvested in full only", cause))
		return nil
	}
	if l.holdsNothing(ctx) {
		return l.skip(ctx)
	}
	parts := windows(l.window(), l.by)
	if parts == nil {
		return l.rescue(ctx, cause)
	}
	// Datestamps may lie before the earliest that is declared, and in the future:
	// what was open stays open.
	if l.at.From.IsZero() {
		parts[0].From = time.Time{}
	}
	if l.at.Until.IsZero() {
		parts[len(parts)-1].Until = time.Time{}
	}
	return l.move(ctx, l.within(parts[0].From, parts[0].Until, append(parts[1:], l.at.Pending...)))
}

// holdsNothing tells whether there is no record in the window at hand. Some
// servers fail where they should answer noRecordsMatch.
func (l *list) holdsNothing(ctx context.Context) bool {
	if l.at.Records > 0 || l.at.From.IsZero() {
		return false
	}
	_, err := l.client.FirstIdentifiers(ctx, l.request())
	var protocol *oaipmh.Error
	return errors.As(err, &protocol) && protocol.Code == oaipmh.NoRecordsMatch
}

// rescueAtMost bounds the records that are asked for one by one.
const rescueAtMost = 10_000

// rescue reads the smallest window record by record, so that what cannot be
// read is named and the rest is kept.
func (l *list) rescue(ctx context.Context, cause error) error {
	headers, url, err := l.identifiers(ctx)
	if err != nil || len(headers) > rescueAtMost {
		return l.pass(ctx, cause)
	}
	l.began(time.Time{})
	for some := range slices.Chunk(headers, batchRecords) {
		page := l.fetch(ctx, some)
		if ctx.Err() != nil {
			l.interrupted()
			return nil
		}
		page.URL = url
		k, err := l.mapPage(ctx, page, false)
		if err != nil {
			return err
		}
		l.count(k.counts)
		k.Checkpoint = l.at // the window is not read before its last record is
		if err := l.save(ctx, k.Batch); err != nil {
			return err
		}
	}
	l.inARow, l.closing.window = 0, living(headers)
	if l.unbounded(headers) {
		l.at.Pending = nil
	}
	return l.skip(ctx)
}

// unbounded tells that a repository does not heed until: what it listed for
// the window at hand goes beyond it, and is all that later windows would list.
func (l *list) unbounded(headers []oaipmh.Header) bool {
	end := l.at.Until.Add(48 * time.Hour) // whatever its time zone
	return !l.at.Until.IsZero() && slices.ContainsFunc(headers, func(h oaipmh.Header) bool {
		t, err := oaipmh.ParseDatestamp(h.Datestamp)
		return err == nil && t.After(end)
	})
}

// fetch asks for records one by one. One that fails is named on the page, with
// its bytes if it came and could not be read.
func (l *list) fetch(ctx context.Context, headers []oaipmh.Header) oaipmh.Page {
	var page oaipmh.Page
	for _, h := range headers {
		if h.Deleted {
			page.Records = append(page.Records, oaipmh.Record{Header: h})
			continue
		}
		r, err := l.client.GetRecord(ctx, h.Identifier, l.at.Prefix)
		if err == nil {
			page.Records = append(page.Records, r)
			continue
		}
		bad := oaipmh.BadRecord{Identifier: h.Identifier, Err: fmt.Errorf("neither in a list nor by GetRecord: %w", err)}
		var broken *oaipmh.BadRecord
		if errors.As(err, &broken) {
			bad.Bytes = broken.Bytes
		}
		page.Bad = append(page.Bad, bad)
		if ctx.Err() != nil {
			break
		}
	}
	return page
}

func living(headers []oaipmh.Header) (n int) {
	for _, h := range headers {
		if !h.Deleted {
			n++
		}
	}
	return n
}

// identifiers are the headers of the window at hand, and the request that they
// came with.
func (l *list) identifiers(ctx context.Context) (headers []oaipmh.Header, url string, err error) {
	request := l.request()
	request.Token = ""
	for page, err := range l.client.ListIdentifiers(ctx, request) {
		if err != nil {
			return nil, "", err
		}
		if url == "" {
			url = page.URL
		}
		for _, r := range page.Records {
			headers = append(headers, r.Header)
		}
		if len(headers) > rescueAtMost {
			break
		}
	}
	return headers, url, nil
}

// gapsInARow and gapsInAll are how many windows are given up before the whole
// run is: the first when none is read between them, since then it is the list
// that fails, and no record in it.
const (
	gapsInARow = 3
	gapsInAll  = 100
)

// pass leaves the window at hand unread, says so, and goes on with the next.
// The watermark will stay, even if a later run reads the rest of the list.
func (l *list) pass(ctx context.Context, cause error) error {
	w := l.window()
	if l.gap == "" {
		l.gap = fmt.Sprintf("%s to %s: %v", l.by.Format(w.From), l.by.Format(w.Until), cause)
	}
	l.gaps++
	if l.inARow++; l.inARow >= gapsInARow || l.gaps >= gapsInAll {
		l.give(fmt.Errorf("%d periods could not be read, the first %s", l.gaps, l.gap))
		return nil
	}
	return l.skip(ctx)
}
