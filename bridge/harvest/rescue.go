package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fingerpost/oaipmh"
)

const (
	rescuedAtMost = 10_000 // records that are asked for one by one in a window
	rescuedAtOnce = 500    // of them that are given together
)

// rescue reads the smallest window record by record. Records that cannot be read are
// named, the others are kept.
func (r *reader) rescue(ctx context.Context, cause error) {
	headers, url, err := r.identifiers(ctx)
	if err != nil || len(headers) > rescuedAtMost {
		r.pass(cause)
		return
	}
	r.answered(time.Time{})
	for some := range slices.Chunk(headers, rescuedAtOnce) {
		page := getEach(ctx, r.client, r.at.Prefix, some)
		if ctx.Err() != nil {
			r.interrupt(ctx)
			return
		}
		page.URL = url
		r.give(&page, r.at, true) // the window is not read before its last record is
		if r.stopped {
			return
		}
	}
	r.inARow, r.closing.Window = 0, live(headers)
	if r.untilIgnored(headers) {
		r.at.Pending = nil
	}
	r.skip()
}

// identifiers are the headers of the current window, and the request that they
// came with.
func (r *reader) identifiers(ctx context.Context) (headers []oaipmh.Header, url string, err error) {
	request := r.request()
	request.Token = ""
	for page, err := range r.client.ListIdentifiers(ctx, request) {
		if err != nil {
			return nil, "", err
		}
		if url == "" {
			url = page.URL
		}
		for _, r := range page.Records {
			headers = append(headers, r.Header)
		}
		if len(headers) > rescuedAtMost {
			break
		}
	}
	return headers, url, nil
}

// getEach requests records one by one. A record that fails is named on the page,
// with its bytes if there are any.
func getEach(ctx context.Context, client *oaipmh.Client, prefix string, headers []oaipmh.Header) (page oaipmh.Page) {
	for _, h := range headers {
		if h.Deleted {
			page.Records = append(page.Records, oaipmh.Record{Header: h})
			continue
		}
		record, err := client.GetRecord(ctx, h.Identifier, prefix)
		if err == nil {
			page.Records = append(page.Records, record)
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

func live(headers []oaipmh.Header) (n int) {
	for _, h := range headers {
		if !h.Deleted {
			n++
		}
	}
	return n
}

// getAgain requests records that never came, until the server fails. No incremental
// list contains them, since their datestamps have passed.
func getAgain(ctx context.Context, client *oaipmh.Client, prefix string, identifiers []string) (page oaipmh.Page) {
	for _, id := range identifiers {
		record, err := client.GetRecord(ctx, id, prefix)
		var protocol *oaipmh.Error
		if err == nil {
			page.Records = append(page.Records, record)
		} else if !errors.As(err, &protocol) {
			break
		}
	}
	return page
}
