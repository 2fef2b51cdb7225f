package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

// readiness knows which repositories of the configuration file have been harvested
// once.
type readiness struct {
	mu      sync.Mutex
	missing map[string]string            // what there is to say about those that have not
	when    func()                       // called once none is missing
	waits   func(id string) (why string) // what keeps a repository from being harvested now; "" if nothing does
	here    map[string]bool              // a harvest of this process is under way: there is more to do after its last run
	kept    func(id string) bool         // it has been harvested, perhaps by another process
}

func newReadiness(ctx context.Context, s *session, when func(), next nextFunc) *readiness {
	r := &readiness{
		missing: map[string]string{}, here: map[string]bool{}, when: when,
		waits: func(id string) string { return waits(ctx, id, next) },
		kept:  func(id string) bool { return harvested(ctx, s.db, id) },
	}
	for _, c := range s.Repositories { // of the thousands of a table, some never answer
		if harvested(ctx, s.db, c.ID) {
			continue
		}
		r.missing[c.ID] = "the first harvest of " + c.ID + " has not begun"
		if tried, err := s.db.Runs(ctx, c.ID, 1); err == nil && len(tried) > 0 {
			r.missing[c.ID] = fmt.Sprintf("the first harvest of %s %s: see the log or `fingerpost status`", c.ID, failedOr(tried[0]))
		}
	}
	return r
}

// failedOr says how a run without results ended.
func failedOr(r store.Run) string {
	if r.State == store.Failed {
		return "failed"
	}
	return "was interrupted"
}

// waits tells the public why a repository is not harvested now, or when the next
// attempt is due.
func waits(ctx context.Context, id string, next nextFunc) string {
	n, err := next(ctx, id, false)
	switch {
	case err != nil:
		return ""
	case n.Why == harvest.ForRetry:
		return "it is tried again at " + n.At.UTC().Format(time.RFC3339)
	case n.Pause.Reason == "":
		return ""
	case n.Why == harvest.ForRefusal:
		return "it refused access, and is left alone until " + n.At.UTC().Format(time.RFC3339)
	}
	return "it asked to be left alone until " + n.At.UTC().Format(time.RFC3339)
}

func (r *readiness) progress(p harvest.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, missing := r.missing[p.Repository]; missing {
		r.here[p.Repository] = true
		r.missing[p.Repository] = fmt.Sprintf("the first harvest of %s is under way: %d records of %s", p.Repository, p.Read, p.Prefix)
	}
}

func (r *readiness) ended(j harvest.Job, runs []store.Run, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := j.Repository.ID
	delete(r.here, id)
	for _, run := range runs {
		if run.State == store.Complete || run.State == store.Incomplete {
			delete(r.missing, id)
		}
	}
	if len(r.missing) == 0 && r.when != nil {
		r.when()
		r.when = nil
	}
	if _, missing := r.missing[id]; missing && (err != nil || len(runs) > 0) {
		r.missing[id] = fmt.Sprintf("the first harvest of %s failed: see the log or `fingerpost status`", id)
	}
}

// state is what /readyz says.
func (r *readiness) state() (bool, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.missing, func(id, _ string) bool { return !r.here[id] && r.kept(id) })
	if len(r.missing) == 0 {
		return true, ""
	}
	id := slices.Min(slices.Collect(maps.Keys(r.missing)))
	sentence := r.missing[id]
	if why := r.waits(id); why != "" {
		sentence += "; " + why
	}
	if others := len(r.missing) - 1; others > 0 {
		sentence += fmt.Sprintf("; repositories that wait for theirs besides: %d", others)
	}
	return false, sentence
}
