package harvest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// storeError is a failure on our side: no remedy at the repository's helps.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// brokenOffError is a list with fewer records than were announced.
type brokenOffError struct{ Read, Announced int }

func (e *brokenOffError) Error() string {
	return fmt.Sprintf("the list ended after %d of the %d records that the repository announced: if what it announces is wrong, set ignore_list_size", e.Read, e.Announced)
}

// unclosedError is a list of which nothing shows that it is whole.
type unclosedError struct{ Read int }

func (e *unclosedError) Error() string {
	return fmt.Sprintf("the list ended after %d records without the resumptionToken that closes it: its last page is asked for once more", e.Read)
}

// askedAgain is for how many records a run asks once more.
const askedAgain = 100

// askAgain asks for the records of which nothing ever came, in any order, until
// the server fails again: it may be well by now, and as their datestamps have
// passed no list brings them back.
func (l *list) askAgain(ctx context.Context) error {
	var page oaipmh.Page
	asked, nothing := 0, sha256.Sum256(nil)
	for id, bytes := range l.unread {
		if bytes != nothing {
			continue
		}
		if asked++; asked > askedAgain {
			break
		}
		r, err := l.client.GetRecord(ctx, id, l.prefix)
		var protocol *oaipmh.Error
		if err == nil {
			page.Records = append(page.Records, r)
		} else if !errors.As(err, &protocol) {
			break
		}
	}
	if len(page.Records) == 0 {
		return nil
	}
	k, err := l.mapPage(ctx, page, false)
	if err != nil {
		return err
	}
	l.count(k.counts)
	k.Checkpoint = l.at
	return l.save(ctx, k.Batch)
}

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
)

// recover does what helps against err. It returns an error only for a failure
// on our side; the run's State says whether the list goes on.
func (l *list) recover(ctx context.Context, err error) error {
	var own *storeError
	if errors.As(err, &own) && !errors.Is(err, context.Canceled) {
		return err
	}
	if ctx.Err() != nil {
		l.interrupted()
		return nil
	}
	remedy := l.remedy(ctx, err)
	if remedy == ends {
		return l.skip(ctx)
	}
	l.Log.Warn("harvest: trouble", "run", l.run.ID, "repository", l.repository.ID, "prefix", l.prefix, "page", l.at.Pages+1, "error", err)
	switch remedy {
	case coarser:
		l.by = oaipmh.Day
		return nil
	case all:
		l.at.From = time.Time{}
		return nil
	case repeat:
		l.unclosed = true
		return nil
	case restart:
		l.restarts++
		return l.again(ctx)
	case split:
		return l.split(ctx, err)
	}
	l.give(err)
	return nil
}

// remedy decides by what the error is and where in the list it came.
func (l *list) remedy(ctx context.Context, err error) remedy {
	var protocol *oaipmh.Error
	var status *oaipmh.StatusError
	var loop *oaipmh.LoopError
	var parked *oaipmh.ParkedError
	var broken *brokenOffError
	var unclosed *unclosedError
	switch {
	case errors.As(err, &protocol):
		return l.protocolRemedy(protocol)
	case errors.As(err, &parked):
		return stop
	case errors.As(err, &broken) && l.restarts > 0:
		return stop
	case errors.As(err, &broken):
		return restart
	case errors.As(err, &unclosed):
		return repeat
	case errors.As(err, &loop):
		return l.restartOrSplit()
	case errors.As(err, &status) && status.Code == http.StatusRequestEntityTooLarge:
		return split
	case errors.As(err, &status) && l.at.Token != "" && refusesToken(status.Code):
		return l.restartOrSplit()
	case errors.As(err, &status) && status.Code < 500:
		return stop
	}
	return l.deepRemedy(ctx)
}

// refusesToken tells how servers answer to a token that they do not know any
// more, and that a checkpoint may hold, where they do not say
// badResumptionToken.
func refusesToken(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// protocolRemedy answers the protocol's own errors. OAI-PMH 3.6.
func (l *list) protocolRemedy(e *oaipmh.Error) remedy {
	begun := l.at.Token != ""
	switch e.Code {
	case oaipmh.NoRecordsMatch, oaipmh.CannotDisseminateFormat:
		// Both are sent for an empty list, each for the other: the format is
		// one that the repository offers.
		if !begun || l.readAll() {
			return ends
		}
		return l.restartOrSplit()
	case oaipmh.BadResumptionToken:
		// Some repositories give a token for a page after the last.
		if l.least > 0 && l.readAll() {
			return ends
		}
		return l.restartOrSplit()
	case oaipmh.BadArgument:
		return l.argumentRemedy()
	case oaipmh.BadVerb, oaipmh.NoSetHierarchy, oaipmh.IDDoesNotExist:
		return stop
	}
	// An unknown code is a server in trouble, as a 500 is.
	return split
}

// argumentRemedy asks for less: repositories refuse seconds that their own
// Identify promises, and a from before their first record.
func (l *list) argumentRemedy() remedy {
	dated := !l.at.From.IsZero() || !l.at.Until.IsZero()
	switch {
	case l.at.Token != "": // an expired one, in other words
		return l.restartOrSplit()
	case !dated:
		return stop
	case l.by == oaipmh.Second:
		return coarser
	case l.at.ResponseDate.IsZero() && l.at.Until.IsZero() && !l.bounded:
		return all
	}
	return stop
}

func (l *list) readAll() bool { return l.least >= 0 && l.at.Records >= l.least }

// restartOrSplit reads the window once more; an upsert makes that harmless.
// What happens twice has a reason, and smaller lists avoid it.
func (l *list) restartOrSplit() remedy {
	if l.restarts == 0 {
		return restart
	}
	return split
}

// deepRemedy answers what fails after every retry. Deep pages and poisoned
// records do so while the rest of the repository works: ask it who it is.
func (l *list) deepRemedy(ctx context.Context) remedy {
	if _, err := l.client.Identify(ctx); err != nil {
		return stop
	}
	return split
}

// give ends the run with what was kept so far. A repository that parks us or
// shuts its door is not asked for its other lists either.
func (l *list) give(err error) {
	var parked *oaipmh.ParkedError
	var status *oaipmh.StatusError
	if errors.As(err, &parked) || errors.As(err, &status) {
		l.over = err
	}
	state := store.Incomplete
	if l.run.Records == 0 {
		state = store.Failed
	}
	l.end(state, err.Error())
}

func (l *list) end(state store.State, reason string) {
	l.run.State, l.run.Reason = state, reason
}

func (l *list) interrupted() {
	if l.bounded {
		l.end(store.Interrupted, "stopped; what came is kept, the rest has to be asked for again")
		return
	}
	l.end(store.Interrupted, "stopped; the next run goes on from the checkpoint")
}

// skip ends the window at hand without a page.
func (l *list) skip(ctx context.Context) error {
	l.began(time.Time{})
	l.closing.ended(1, true, true)
	l.restarts = 0
	return l.save(ctx, store.Batch{Checkpoint: l.next(l.at)})
}

// again goes back to the start of the window at hand.
func (l *list) again(ctx context.Context) error {
	return l.move(ctx, l.windowStart())
}

// windowStart is the checkpoint at the start of the window at hand.
func (l *list) windowStart() store.Checkpoint {
	return l.within(l.at.From, l.at.Until, l.at.Pending)
}

// move keeps a checkpoint that leads back or aside instead of onwards.
func (l *list) move(ctx context.Context, c store.Checkpoint) error {
	l.began(c.ResponseDate)
	l.closing.again()
	c.ResponseDate = l.at.ResponseDate
	return l.save(ctx, store.Batch{Checkpoint: c})
}
