package harvest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// refusedFor is how long a Scheduler sends no request to a repository that refused
// access without a Retry-After. Administrators on both sides need time.
const refusedFor = 24 * time.Hour

// PauseError reports that no request was sent because the repository has asked an
// earlier run, perhaps of another process, for a pause.
type PauseError struct{ store.Pause }

func (e *PauseError) Error() string {
	return "it was not asked: " + e.Reason + "; if its administrators agree, `fingerpost check` asks now, and an answer ends the wait"
}

// pauseOf is the pause that follows from an error; the zero Pause if none does.
func pauseOf(err error, now time.Time) store.Pause {
	var pause *oaipmh.PauseError
	var status *oaipmh.StatusError
	switch {
	case errors.As(err, &pause):
		return store.Pause{At: now, Until: pause.Until, Reason: pause.Error()}
	case errors.As(err, &status) && (status.Code == http.StatusForbidden || status.Shield != ""):
		until := refusedFor
		if status.RetryAfter > 0 {
			until = status.RetryAfter
		}
		return store.Pause{At: now, Until: now.Add(until), Refused: true, Reason: err.Error()}
	}
	return store.Pause{}
}

// unasked turns an error into a PauseError if the client has sent no request.
func unasked(client *oaipmh.Client, err error, now time.Time) error {
	if pause := pauseOf(err, now); client.Requests() == 0 && !pause.Until.IsZero() {
		return &PauseError{pause}
	}
	return err
}

// savePause saves the pause that follows from the error of a run. During a pause
// nobody begins another run; after a refusal no Scheduler does.
func (h *Harvester) savePause(ctx context.Context, id string, err error) error {
	pause := pauseOf(err, h.Clock.Now())
	if pause.Until.IsZero() {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	kept, err := h.Store.Repository(ctx, id)
	if err != nil {
		return err
	}
	kept.Pause = pause
	return h.Store.SaveRepository(ctx, kept)
}

// restrained returns a repository whose client obeys the saved restraints of hosts
// and saves new ones.
func (h *Harvester) restrained(ctx context.Context, r Repository) (Repository, error) {
	restraints, err := h.Store.Restraints(ctx)
	if err != nil {
		return r, err
	}
	if r.Client.Hosts == nil {
		r.Client.Hosts = new(oaipmh.Hosts)
	}
	for _, asked := range restraints {
		r.Client.Hosts.Obey(asked)
	}
	return h.noting(ctx, r), nil
}

// noting returns a repository whose client saves and logs the restraints of hosts,
// and reports when it waits.
func (h *Harvester) noting(ctx context.Context, r Repository) Repository {
	log := h.logger()
	r.Client.Wait = func(ctx context.Context, until time.Time) error { return h.wait(ctx, r.ID, until) }
	r.Client.Told = func(asked oaipmh.Restraint) {
		log.Info("harvest: the host asks for a pause, or to be asked more slowly", "repository", r.ID,
			"host", asked.Host, "until", asked.Until, "seconds_between_requests", asked.Pace.Seconds())
		if err := h.Store.SaveRestraint(context.WithoutCancel(ctx), asked); err != nil {
			log.Error("harvest: what a host asks for could not be saved; after a restart it is forgotten", "host", asked.Host, "error", err)
		}
	}
	return r
}

// logger is Log, or one that writes nothing.
func (h *Harvester) logger() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}

// A pause shorter than shortPause is not reported.
const shortPause = 5 * time.Second

// wait waits until the end of a pause that a host has asked for. It reports a long
// pause, and leaves the worker to another run.
func (h *Harvester) wait(ctx context.Context, repository string, until time.Time) error {
	left := until.Sub(h.Clock.Now())
	if h.turn != nil && until.After(h.turn.until) {
		h.turn.end()
		return ctx.Err()
	}
	sleep := func() error { return h.Clock.Sleep(ctx, left) }
	if left < shortPause {
		return sleep()
	}
	if h.Log != nil {
		h.Log.Warn("harvest: paused, asked by the repository with Retry-After", "repository", repository, "until", until)
	}
	if h.Paused != nil {
		h.Paused(repository, until)
		defer h.Paused(repository, time.Time{})
	}
	return h.Workers.pause(sleep)
}

// Lift ends the pause of a repository that has answered in spite of it. It returns
// the pause; the zero Pause if there was none. The error is a *store.LockedError
// while a run is under way, which notices by itself.
func (h *Harvester) Lift(ctx context.Context, r Repository) (store.Pause, error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil {
		return store.Pause{}, err
	}
	defer unlock()
	kept, err := h.Store.Repository(ctx, r.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Pause{}, err
	}
	found := err == nil
	restraints, err := h.Store.Restraints(ctx)
	if err != nil {
		return store.Pause{}, err
	}
	now := h.Clock.Now()
	pause := pauseOn(kept, restraints, r.OAIURL, now)
	if pause.Until.IsZero() {
		return pause, nil
	}
	if found {
		kept.Pause.Until = now // it still says why a harvest was cut short
		err = h.Store.SaveRepository(ctx, kept)
	}
	for _, asked := range restraints {
		its := !oaipmh.FreeAt(r.OAIURL, []oaipmh.Restraint{asked}, now).IsZero()
		if its || asked.Until.Equal(pause.Until) { // or it leads to another host, which asked for it
			asked.At, asked.Until = now, time.Time{}
			err = errors.Join(err, h.Store.SaveRestraint(ctx, asked))
		}
	}
	return pause, errors.Join(err, h.Store.LookAt(ctx, r.ID), h.Store.LookAtHost(ctx, hostOf(r.OAIURL)))
}

// pauseOn is the pause of a repository at the time now: its own, or that of its
// host, which may have asked another repository's run.
func pauseOn(kept store.Repository, restraints []oaipmh.Restraint, oaiURL string, now time.Time) store.Pause {
	pause := kept.Pause
	if !sameAddress(kept.OAIURL, oaiURL) || !pause.Active(now) {
		pause = store.Pause{}
	}
	if at := oaipmh.FreeAt(oaiURL, restraints, now); at.After(pause.Until) {
		pause = pauseOf(&oaipmh.PauseError{Host: hostOf(oaiURL), Until: at}, now)
	}
	return pause
}
