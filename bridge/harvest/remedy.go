package harvest

import (
	"errors"
	"net/http"

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

// remedy decides by what the error is and where in the list it came.
func (p *position) remedy(err error) remedy {
	var protocol *oaipmh.Error
	var status *oaipmh.StatusError
	var loop *oaipmh.LoopError
	var pause *oaipmh.PauseError
	var broken *brokenOffError
	var lost *tokenLostError
	var unclosed *unclosedError
	switch {
	case errors.As(err, &protocol):
		return p.protocolRemedy(protocol.Code)
	case errors.As(err, &pause):
		return stop
	case errors.As(err, &broken), errors.As(err, &lost):
		return p.restartOnce()
	case errors.As(err, &unclosed):
		return repeat
	case errors.As(err, &loop):
		return p.restartOrSplit()
	case errors.As(err, &status) && status.Code == http.StatusRequestEntityTooLarge:
		return split
	case errors.As(err, &status) && p.at.Token != "" && refusesToken(status.Code):
		return p.restartOrSplit()
	case errors.As(err, &status) && status.Code < 500:
		return stop
	}
	return deep
}

// refusesToken reports whether servers send this status for an expired token, such
// as one of an old checkpoint, instead of badResumptionToken.
func refusesToken(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// protocolRemedy answers the protocol's own errors. OAI-PMH 3.6.
func (p *position) protocolRemedy(code oaipmh.Code) remedy {
	begun := p.at.Token != ""
	switch code {
	case oaipmh.NoRecordsMatch, oaipmh.CannotDisseminateFormat:
		// Both are sent for an empty list, each for the other: the format is
		// one that the repository offers.
		if !begun || p.readAll() {
			return ends
		}
		return p.restartOrSplit()
	case oaipmh.BadResumptionToken:
		// Some repositories give a token for a page after the last.
		if p.size.Least > 0 && p.readAll() {
			return ends
		}
		return p.restartOrSplit()
	case oaipmh.BadArgument:
		return p.argumentRemedy()
	case oaipmh.BadVerb, oaipmh.NoSetHierarchy, oaipmh.IDDoesNotExist:
		return stop
	}
	// An unknown code is a server in trouble, as a 500 is.
	return split
}

// argumentRemedy answers badArgument. Some repositories refuse the seconds that
// their Identify promises, or a from before their first record.
func (p *position) argumentRemedy() remedy {
	dated := !p.at.From.IsZero() || !p.at.Until.IsZero()
	switch {
	case p.at.Token != "": // it has expired, in other words
		return p.restartOrSplit()
	case !dated:
		return stop
	case p.by == oaipmh.Second:
		return coarser
	case p.at.ResponseDate.IsZero() && p.at.Until.IsZero() && !p.bounded:
		return all
	}
	return stop
}

// restartOnce reads the window once more, and then gives up.
func (p *position) restartOnce() remedy {
	if p.restarts == 0 {
		return restart
	}
	return stop
}

// restartOrSplit reads the window once more, which is harmless since records are
// upserted. After the second failure it splits the window.
func (p *position) restartOrSplit() remedy {
	if p.restarts == 0 {
		return restart
	}
	return split
}
