package harvest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"fingerpost/bridge/store"
)

// activeRun is a run under way.
type activeRun struct {
	store.Run
	h        *Harvester
	requests counter
	asked    int // requests that were made before the run
	retried  int // of these, those for what had failed
}

// counter counts requests, as an oaipmh.Client does.
type counter interface {
	Requests() int
	Retries() int
}

// begin begins a run, or goes on with one that has an ID.
func (h *Harvester) begin(ctx context.Context, r store.Run, requests counter) (*activeRun, error) {
	run := &activeRun{Run: r, h: h, requests: requests, asked: requests.Requests() - r.Requests, retried: requests.Retries() - r.Retries}
	if r.ID != 0 {
		return run, nil
	}
	run.State, run.Started = store.Running, h.Clock.Now()
	if err := h.Store.SaveRun(ctx, &run.Run); err != nil {
		return nil, fmt.Errorf("begin a run of %s: %w", r.Repository, err)
	}
	return run, nil
}

// with returns the run with counts added.
func (r *activeRun) with(counts store.Run) store.Run {
	out := r.Run
	add(&out, counts)
	out.Requests, out.Retries = r.requests.Requests()-r.asked, r.requests.Retries()-r.retried
	return out
}

// add adds the figures of n to r.
func add(r *store.Run, n store.Run) {
	r.Records += n.Records
	r.New += n.New
	r.Changed += n.Changed
	r.Unchanged += n.Unchanged
	r.Deleted += n.Deleted
	r.Quarantined += n.Quarantined
	r.Pages += n.Pages
	r.Repairs += n.Repairs
}

// report reports the progress of the run.
func (r *activeRun) report(total, read int) {
	if r.h.Progress != nil {
		r.h.Progress(Progress{Run: r.Run, Total: total, Read: read})
	}
}

func (r *activeRun) end(state store.State, reason string) { r.State, r.Reason = state, reason }

// finish saves and logs how the run has ended.
func (r *activeRun) finish(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	r.Run = r.with(store.Run{})
	r.Finished = r.h.Clock.Now()
	if err := r.h.Store.SaveRun(ctx, &r.Run); err != nil {
		return fmt.Errorf("end a run of %s: %w", r.Repository, err)
	}
	r.h.logEnd(ctx, r.Run)
	return nil
}

// fail ends the run with a failure on our side, and returns it.
func (r *activeRun) fail(ctx context.Context, cause error) error {
	r.end(store.Failed, cause.Error())
	return errors.Join(cause, r.finish(ctx))
}

// logEnd logs the end of a run. Every run has exactly one such line.
func (h *Harvester) logEnd(ctx context.Context, r store.Run) {
	level := slog.LevelInfo
	if r.State == store.Failed || r.State == store.Incomplete || r.Remark != "" {
		level = slog.LevelWarn
	}
	h.Log.Log(ctx, level, "harvest: run ended",
		"run", r.ID, "repository", r.Repository, "prefix", r.Prefix, "set", r.Set, "sweep", r.Sweep,
		"state", r.State, "reason", r.Reason, "class", r.Class, "remark", r.Remark, "records", r.Records, "new", r.New,
		"changed", r.Changed, "unchanged", r.Unchanged, "deleted", r.Deleted,
		"quarantined", r.Quarantined, "pages", r.Pages, "requests", r.Requests, "retries", r.Retries, "repairs", r.Repairs,
		"seconds", r.Finished.Sub(r.Started).Seconds())
}
