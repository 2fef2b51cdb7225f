package harvest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// recover applies the remedy for err.
func (r *reader) recover(ctx context.Context, err error) {
	if ctx.Err() != nil {
		r.interrupt(ctx)
		return
	}
	remedy := r.remedy(err)
	if remedy == ends {
		r.skip()
		return
	}
	r.log.Warn("harvest: trouble", "repository", r.at.Repository, "prefix", r.at.Prefix, "page", r.at.Pages+1, "error", err)
	switch remedy {
	case coarser:
		r.by = oaipmh.Day
	case all:
		r.at.From = time.Time{}
	case repeat:
		r.reopened = true
	case restart:
		r.restarts++
		r.goTo(r.windowStart())
	case split:
		r.split(ctx, err)
	case deep:
		r.splitIfThere(ctx, err)
	case stop:
		r.giveUp(err)
	}
}

// splitIfThere splits the window if the repository still answers Identify: deep
// pages and broken records fail while the rest of the repository works.
func (r *reader) splitIfThere(ctx context.Context, cause error) {
	if _, err := r.client.Identify(ctx); err != nil {
		r.giveUp(cause)
		return
	}
	r.split(ctx, cause)
}

// split continues with smaller windows, or record by record if there are none.
func (r *reader) split(ctx context.Context, cause error) {
	if r.fullOnly {
		r.giveUp(fmt.Errorf("%w; smaller windows cannot be asked for, since the repository is harvested in full only", cause))
		return
	}
	if r.windowIsEmpty(ctx) {
		r.skip()
		return
	}
	parts := windows(r.span(), r.by)
	if parts == nil {
		r.rescue(ctx, cause)
		return
	}
	// Datestamps may lie before the earliest that is declared, and in the future:
	// what was open stays open.
	if r.at.From.IsZero() {
		parts[0].From = time.Time{}
	}
	if r.at.Until.IsZero() {
		parts[len(parts)-1].Until = time.Time{}
	}
	r.goTo(r.window(parts[0].From, parts[0].Until, append(parts[1:], r.at.Pending...)))
}

// windowIsEmpty reports whether there is no record in the current window. Some
// servers fail where they should answer noRecordsMatch.
func (r *reader) windowIsEmpty(ctx context.Context) bool {
	if r.at.Records > 0 || r.at.From.IsZero() {
		return false
	}
	_, err := r.client.FirstIdentifiers(ctx, r.request())
	var protocol *oaipmh.Error
	return errors.As(err, &protocol) && protocol.Code == oaipmh.NoRecordsMatch
}

// span is the current window with its open ends closed.
func (r *reader) span() store.Window {
	return store.Window{
		From:  firstOf(r.at.From, r.earliest()),
		Until: firstOf(r.at.Until, r.at.ResponseDate, r.identify.ResponseDate, r.clock.Now()),
	}
}

// firstOf is the first of some times that is not zero.
func firstOf(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t.UTC()
		}
	}
	return time.Time{}
}

func (r *reader) earliest() time.Time {
	t, err := oaipmh.ParseDatestamp(r.identify.EarliestDatestamp)
	if err != nil || t.Before(oldest) || t.After(r.clock.Now()) {
		return oldest
	}
	return t
}

// pass leaves the current window unread and continues with the next. The watermark
// stays, even if a later run reads the rest of the list.
func (r *reader) pass(cause error) {
	if err := r.position.pass(r.span(), cause); err != nil {
		r.giveUp(err)
		if r.state == store.Failed {
			r.class = classOf(cause)
		}
		return
	}
	r.skip()
}

// abandon gives up a list although the server still answers. It returns the
// checkpoint at the start of the window.
func (r *reader) abandon(err error) store.Checkpoint {
	r.giveUp(err)
	if r.bounded {
		return store.Checkpoint{}
	}
	return r.windowStart()
}

// giveUp ends the list with what came so far. If the repository asks for a pause or
// refuses access, its other lists are not requested either.
func (r *reader) giveUp(err error) {
	var pause *oaipmh.PauseError
	var status *oaipmh.StatusError
	if errors.As(err, &pause) || errors.As(err, &status) {
		r.refusal = err
	}
	state := store.Incomplete
	if r.records == 0 {
		state, r.class = store.Failed, classOf(err)
	}
	r.end(state, err.Error())
}
