package harvest

import (
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// classOf says what kind of failure of a repository an error is; "" if it is none,
// such as a full disk here.
func classOf(err error) store.Class {
	var status *oaipmh.StatusError
	var pause *oaipmh.PauseError
	var unreachable *oaipmh.UnreachableError
	var own *storeError
	switch {
	case errors.As(err, &own):
		return ""
	case errors.As(err, &pause):
		return store.Slow
	case errors.As(err, &status):
		return classOfStatus(status)
	case errors.As(err, &unreachable):
		return classOfSilence(unreachable)
	case isAnswer(err):
		return store.Broken
	}
	return ""
}

func classOfStatus(e *oaipmh.StatusError) store.Class {
	switch e.Code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return store.Refused
	case http.StatusNotFound, http.StatusGone:
		return store.Gone
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if e.Shield == "" {
			return store.Slow
		}
	}
	if e.Shield != "" {
		return store.Refused
	}
	return store.Broken
}

// classOfSilence is that of a request without an answer.
func classOfSilence(e *oaipmh.UnreachableError) store.Class {
	var name *net.DNSError
	switch {
	case errors.Is(e, syscall.EMFILE), errors.Is(e, syscall.ENFILE): // of this machine
		return ""
	case errors.As(e, &name) && name.IsNotFound:
		return store.Gone
	case e.Timeout(), errors.As(e, &name):
		return store.Slow
	case errors.Is(e, syscall.ECONNREFUSED), errors.Is(e, syscall.EHOSTUNREACH), errors.Is(e, syscall.ENETUNREACH):
		return store.Gone
	}
	return store.Broken
}

// isAnswer reports whether an error is an answer that cannot be used.
func isAnswer(err error) bool {
	return is[*NoFormatError](err) || is[*oaipmh.Error](err) || is[*oaipmh.NotOAIError](err) || is[*oaipmh.TruncatedError](err) || is[*oaipmh.TooLargeError](err) ||
		is[*oaipmh.LoopError](err) || is[*brokenOffError](err) || is[*tokenLostError](err) || is[*unclosedError](err)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// ceilings are how long a source that fails is left alone at most, unless its
// schedule leaves it alone for longer: what is overloaded recovers by itself, a
// refusal is lifted by people, and a host that is gone mostly stays so.
var ceilings = map[store.Class]time.Duration{
	store.Slow:    2 * day,
	store.Broken:  7 * day,
	store.Refused: 14 * day,
	store.Gone:    30 * day,
}

// failing decides when a source that fails is asked again.
type failing store.Failing

// wait is how long the source is left alone after its newest failure, if it is asked
// each interval while it works: twice as long after each failure, but not longer
// than it has failed so far, so that to try by hand costs nothing.
func (f failing) wait(interval time.Duration) time.Duration {
	most := max(min(f.Last.Sub(f.Since), ceilings[f.Class]), interval)
	wait := interval
	for n := 1; n < f.Times && wait < most; n++ {
		wait *= 2
	}
	return min(wait, most)
}

// next is when a source that fails is asked again: at a time of its schedule, but
// after a first harvest that failed sooner.
func (f failing) next(schedule Schedule, first bool, now time.Time) Next {
	last := earlier(f.Last, now)
	due := schedule.Next(last)
	if wait := f.wait(soon); first && wait < due.Sub(last) {
		return Next{At: last.Add(wait), Why: ForRetry}
	}
	interval := schedule.Next(due).Sub(due)
	wait := f.wait(interval)
	if wait <= interval {
		return Next{At: due, Why: ForSchedule}
	}
	return Next{At: schedule.Next(last.Add(wait - interval)), Why: ForFailing}
}
