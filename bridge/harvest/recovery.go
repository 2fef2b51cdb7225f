package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// remedy is what to do about an error in the middle of a list.
type remedy int

const (
	stop    remedy = iota // nothing helps today
	ends                  // the window ends here after all
	coarser               // ask again with days
	all                   // ask again without from
	repeat                // ask for the same page again, once
	restart               // read the window again from its start
	split                 // read the window in smaller ones
	deep                  // split, if the repository still says who it is
)

// recover does what helps against err.
func (r *reader) recover(ctx context.Context, err error) {
	if ctx.Err() != nil {
		r.interrupt()
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
		r.granularity = oaipmh.Day
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

// remedy decides by what the error is and where in the list it came.
func (r *reader) remedy(err error) remedy {
	var protocol *oaipmh.Error
	var status *oaipmh.StatusError
	var loop *oaipmh.LoopError
	var parked *oaipmh.ParkedError
	var broken *brokenOffError
	var lost *tokenLostError
	var unclosed *unclosedError
	switch {
	case errors.As(err, &protocol):
		return r.protocolRemedy(protocol.Code)
	case errors.As(err, &parked):
		return stop
	case errors.As(err, &broken), errors.As(err, &lost):
		return r.restartOnce()
	case errors.As(err, &unclosed):
		return repeat
	case errors.As(err, &loop):
		return r.restartOrSplit()
	case errors.As(err, &status) && status.Code == http.StatusRequestEntityTooLarge:
		return split
	case errors.As(err, &status) && r.at.Token != "" && refusesToken(status.Code):
		return r.restartOrSplit()
	case errors.As(err, &status) && status.Code < 500:
		return stop
	}
	return deep
}

// refusesToken reports whether servers answer so to a token that they have
// forgotten, and that a checkpoint may contain, instead of saying
// badResumptionToken.
func refusesToken(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// protocolRemedy answers the protocol's own errors. OAI-PMH 3.6.
func (r *reader) protocolRemedy(code oaipmh.Code) remedy {
	begun := r.at.Token != ""
	switch code {
	case oaipmh.NoRecordsMatch, oaipmh.CannotDisseminateFormat:
		// Both are sent for an empty list, each for the other: the format is
		// one that the repository offers.
		if !begun || r.readAll() {
			return ends
		}
		return r.restartOrSplit()
	case oaipmh.BadResumptionToken:
		// Some repositories give a token for a page after the last.
		if r.size.least > 0 && r.readAll() {
			return ends
		}
		return r.restartOrSplit()
	case oaipmh.BadArgument:
		return r.argumentRemedy()
	case oaipmh.BadVerb, oaipmh.NoSetHierarchy, oaipmh.IDDoesNotExist:
		return stop
	}
	// An unknown code is a server in trouble, as a 500 is.
	return split
}

// argumentRemedy asks for less: repositories refuse seconds that their own
// Identify promises, and a from before their first record.
func (r *reader) argumentRemedy() remedy {
	dated := !r.at.From.IsZero() || !r.at.Until.IsZero()
	switch {
	case r.at.Token != "": // it has expired, in other words
		return r.restartOrSplit()
	case !dated:
		return stop
	case r.granularity == oaipmh.Second:
		return coarser
	case r.at.ResponseDate.IsZero() && r.at.Until.IsZero() && !r.bounded:
		return all
	}
	return stop
}

// restartOnce reads the window once more, if it was not before.
func (r *reader) restartOnce() remedy {
	if r.restarts == 0 {
		return restart
	}
	return stop
}

// restartOrSplit reads the window once more; an upsert makes that harmless.
// What happens twice has a reason, and smaller lists avoid it.
func (r *reader) restartOrSplit() remedy {
	if r.restarts == 0 {
		return restart
	}
	return split
}

// splitIfThere answers what fails after every retry. Deep pages and poisoned
// records do so while the rest of the repository works.
func (r *reader) splitIfThere(ctx context.Context, cause error) {
	if _, err := r.client.Identify(ctx); err != nil {
		r.giveUp(cause)
		return
	}
	r.split(ctx, cause)
}

// split goes on with smaller windows, or, where there is none smaller, record
// by record.
func (r *reader) split(ctx context.Context, cause error) {
	if r.fullOnly {
		r.giveUp(fmt.Errorf("%w; smaller windows cannot be asked for, since the repository is harvested in full only", cause))
		return
	}
	if r.windowIsEmpty(ctx) {
		r.skip()
		return
	}
	parts := windows(r.span(), r.granularity)
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

// pass leaves the current window unread, says so, and goes on with the next.
// The watermark will stay, even if a later run reads the rest of the list.
func (r *reader) pass(cause error) {
	if err := r.position.pass(r.span(), r.granularity, cause); err != nil {
		r.giveUp(err)
		return
	}
	r.skip()
}

// abandon gives up a list that could be read on. It returns the checkpoint at
// the start of the window.
func (r *reader) abandon(err error) store.Checkpoint {
	r.giveUp(err)
	if r.bounded {
		return store.Checkpoint{}
	}
	return r.windowStart()
}

// giveUp ends the list with what came so far. A repository that asks for a
// pause or refuses access is not asked for its other lists either.
func (r *reader) giveUp(err error) {
	var parked *oaipmh.ParkedError
	var status *oaipmh.StatusError
	if errors.As(err, &parked) || errors.As(err, &status) {
		r.refusal = err
	}
	state := store.Incomplete
	if r.records == 0 {
		state = store.Failed
	}
	r.end(state, err.Error())
}
