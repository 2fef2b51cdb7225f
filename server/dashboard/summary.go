package dashboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

const (
	// freshness is for how long the state of a repository is shown before it is
	// read from the store again, however many requests there are.
	freshness = 2 * time.Second
	// patience is how long reading the store may take.
	patience = 20 * time.Second
	// lookBack is how many runs are searched for the newest of each list.
	lookBack = 100
	// overdue is how late a run may begin before that is a problem: some wait for
	// others.
	overdue = time.Hour
)

// States of a repository that no run has.
const (
	neverRun = "never run"
	paused   = "paused" // a run waits until the repository may be asked
)

// Status is the state of a repository; its JSON is that of `fingerpost status`.
type Status struct {
	Repository  string     `json:"repository"`
	Objects     int        `json:"objects"`
	Deleted     int        `json:"deleted"`
	Quarantined int        `json:"quarantined"`
	State       string     `json:"state"`
	Reason      string     `json:"reason,omitempty"`
	LastRun     *time.Time `json:"last_run"`
	NextRun     *time.Time `json:"next_run"`                  // when its next run is, of any process
	NextWhy     string     `json:"next_run_reason,omitempty"` // as Next.Why
	Pause       string     `json:"pause,omitempty"`           // as Next.Pause
	Remark      string     `json:"remark,omitempty"`          // what is doubtful about its lists although they are complete
	Complete    *time.Time `json:"last_complete,omitempty"`   // unless that is the state: since when every list has been complete once
	Overdue     *time.Time `json:"overdue_since,omitempty"`   // when a run was due that has not begun
	Lists       []List     `json:"lists,omitempty"`           // the state of each, if they differ
	Pages       *Pages     `json:"landing_pages,omitempty"`   // how far they are read, if they are
	List        string     `json:"-"`                         // that Reason is of
	Early       bool       `json:"-"`                         // LastRun is in the future: a clock was or is wrong
	Due         bool       `json:"-"`                         // NextRun is now: as soon as the gateway serves
}

// List is the state of a list in its newest run.
type List struct {
	Prefix string `json:"prefix"`
	Set    string `json:"set,omitempty"`
	Sweep  bool   `json:"sweep,omitempty"`
	State  string `json:"state"`
}

func (l List) String() string {
	name := listName(store.Run{Prefix: l.Prefix, Set: l.Set})
	if l.Sweep {
		name = "sweep of " + name
	}
	return name + " " + l.State
}

// lists are the lists of the newest runs; nil if all ended in the same state, or if
// the repository was not reached.
func lists(runs []store.Run) (out []List) {
	same := true
	for _, r := range runs {
		same = same && r.State == runs[0].State
		if r.Prefix != "" {
			out = append(out, List{Prefix: r.Prefix, Set: r.Set, Sweep: r.Sweep, State: string(r.State)})
		}
	}
	if same || len(out) < 2 {
		return nil
	}
	return out
}

// Because says why the next run is when it is.
func (s Status) Because() string {
	switch s.NextWhy {
	case "":
		return ""
	case "schedule":
		return "on schedule"
	case "go on":
		return "to go on where it was stopped"
	case "retry":
		return "retry of the first harvest"
	case "pause":
		return "paused until then, asked by the repository with Retry-After"
	case "refused":
		return "access refused, left alone until then"
	}
	return s.NextWhy
}

// summary is the state of a repository for pages and metrics.
type summary struct {
	Repository
	Status Status
	*verdict
	read time.Time // from the store
}

// verdict is the result of the runs of a repository. It is made again when there
// is a newer run, or the newest has changed.
type verdict struct {
	Worst     store.Run // the one with State: the worst of the newest of each list
	Newest    store.Run // zero if there is none
	Before    store.Run // while one is running, the worst before it; else zero
	Complete  time.Time // the time by which every list had been complete once; zero if one was not lately
	Lists     []List    // as in Status
	Remark    string    // a sentence about doubts in complete lists; "" if there are none
	Watermark time.Time // of the list that is furthest behind; zero if none was ever complete
}

// summaries returns the states of repositories, in their order.
func (d *Dashboard) summaries(ctx context.Context, chosen []Repository) ([]summary, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all := make([]summary, 0, len(chosen))
	for _, r := range chosen {
		now := d.Now()
		s, met := d.latest[r.ID]
		if !met || now.Sub(s.read) >= freshness {
			var err error
			if s, err = d.summary(ctx, r); err != nil {
				return nil, fmt.Errorf("read the state of %s: %w", r.ID, err)
			}
			s.read = now
			d.latest[r.ID] = s
		}
		all = append(all, s)
	}
	return all, nil
}

// Statuses returns the states of all repositories, in the order of the
// configuration.
func (d *Dashboard) Statuses(ctx context.Context) ([]Status, error) {
	all, err := d.summaries(ctx, d.Repositories)
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(all))
	for i, s := range all {
		out[i] = s.Status
	}
	return out, nil
}

func (d *Dashboard) summary(ctx context.Context, r Repository) (summary, error) {
	s := summary{Repository: r, Status: Status{Repository: r.ID, State: neverRun}}
	counts, err := d.store.Counts(ctx, r.ID)
	if err != nil {
		return s, err
	}
	s.Status.Objects, s.Status.Deleted, s.Status.Quarantined = counts.Objects, counts.Deleted, counts.Quarantined
	if r.Name == "" {
		kept, err := d.store.Repository(ctx, r.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return s, err
		}
		s.Name = kept.Identify.RepositoryName
	}
	pages, err := d.store.Pages(ctx, r.ID)
	if err != nil {
		return s, err
	}
	s.Status.Pages = pagesOf(pages, d.Now())
	if s.verdict, err = d.judged(ctx, r); err != nil {
		return s, err
	}
	if err := d.plan(ctx, &s); err != nil || s.Newest.State == "" {
		return s, err
	}
	s.Status.State, s.Status.Reason, s.Status.LastRun = string(s.Worst.State), s.Worst.Reason, &s.Newest.Started
	s.Status.Remark, s.Status.Lists, s.Status.List = s.verdict.Remark, s.verdict.Lists, listName(s.Worst)
	s.Status.Early = s.Newest.Started.After(d.Now().Add(time.Minute))
	if !s.verdict.Complete.IsZero() && s.Worst.State != store.Complete {
		s.Status.Complete = &s.verdict.Complete
	}
	if s.Worst.State == store.Running && s.Status.Pause != "" {
		s.Status.State = paused
		s.Status.Reason = fmt.Sprintf("paused until %s, asked by the repository with Retry-After", look.When(*s.Status.NextRun))
	} else if s.Worst.State == store.Running {
		s.Status.Reason = fmt.Sprintf("reading %s: %s records so far", listName(s.Newest), look.Number(s.Newest.Records))
	}
	return s, nil
}

// plan adds the next run.
func (d *Dashboard) plan(ctx context.Context, s *summary) error {
	next, err := d.Next(ctx, s.ID, s.Newest.State == store.Running)
	if err != nil || next.At.IsZero() {
		return err
	}
	now := d.Now()
	at := next.At
	if !at.After(now) {
		at, s.Status.Due = now, true
	}
	s.Status.NextRun, s.Status.NextWhy, s.Status.Pause = &at, next.Why, next.Pause
	if now.Sub(next.At) >= overdue {
		s.Status.Overdue = &next.At
	}
	return nil
}

// judged returns the verdict on a repository, made or remembered.
func (d *Dashboard) judged(ctx context.Context, r Repository) (*verdict, error) {
	id := r.ID
	newest, err := d.runs(ctx, id, 1)
	if err != nil || len(newest) == 0 {
		return new(verdict), err
	}
	if v, ok := d.verdicts[id]; ok && v.Newest == newest[0] {
		return v, nil
	}
	runs, err := d.runs(ctx, id, lookBack)
	if err != nil || len(runs) == 0 {
		return new(verdict), err
	}
	d.countKept(runs)
	counting, err := d.configured(ctx, r, runs)
	if err != nil {
		return new(verdict), err
	}
	v, err := d.judge(ctx, id, settled(counting))
	v.Newest = runs[0]
	if err == nil {
		d.verdicts[id] = &v
	}
	return &v, err
}

// configured are the runs of lists that are still configured, and those that are
// under way or were of no list; all, if there are no others.
func (d *Dashboard) configured(ctx context.Context, r Repository, runs []store.Run) ([]store.Run, error) {
	kept, err := d.store.Repository(ctx, r.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	prefixes := r.Prefixes
	if len(prefixes) == 0 {
		prefixes = kept.Prefixes
	}
	var out []store.Run
	lists := false
	for _, run := range runs {
		set := len(r.Sets) == 0 && run.Set == "" || slices.Contains(r.Sets, run.Set) || run.Sweep
		list := set && (len(prefixes) == 0 || slices.Contains(prefixes, run.Prefix))
		lists = lists || list
		if list || run.Prefix == "" || run.State == store.Running {
			out = append(out, run)
		}
	}
	if !lists {
		return runs, nil
	}
	return out, nil
}

// judge makes the verdict on runs, newest first.
func (d *Dashboard) judge(ctx context.Context, id string, runs []store.Run) (verdict, error) {
	newest := newestOfEach(runs)
	v := verdict{Newest: runs[0], Worst: worst(newest), Complete: allComplete(runs), Lists: lists(newest)}
	if v.Worst.State == store.Running {
		if ended := newestOfEach(runs[1:]); len(ended) > 0 {
			v.Before = worst(ended)
		}
	}
	var remarks []string
	for _, run := range newest {
		at, err := d.store.Checkpoint(ctx, id, run.Prefix, run.Set)
		if err != nil {
			return verdict{}, err
		}
		if at.Remark != "" && !run.Sweep {
			remarks = append(remarks, listName(run)+": "+at.Remark)
		}
		if mark := at.Watermark; !mark.IsZero() && (v.Watermark.IsZero() || mark.Before(v.Watermark)) {
			v.Watermark = mark
		}
	}
	v.Remark = strings.Join(remarks, "; ")
	return v, nil
}

// runs returns the newest runs. Of a process that has died, they are recorded as
// running: these become interrupted. Only the newest can be running, since the
// lists of a repository are read one after the other.
func (d *Dashboard) runs(ctx context.Context, id string, n int) ([]store.Run, error) {
	runs, err := d.store.Runs(ctx, id, n)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	if runs[0].State == store.Running && !d.goesOn(ctx, runs[0]) {
		// It may have ended since it was read.
		if runs, err = d.store.Runs(ctx, id, n); err != nil {
			return nil, err
		}
		if len(runs) > 0 && runs[0].State == store.Running {
			d.live.markGone(runs[0])
		}
	}
	for i := range runs {
		if runs[i].State == store.Running && (i > 0 || d.live.isGone(runs[i])) {
			runs[i].State = store.Interrupted
			runs[i].Reason = "the process ended before the run did; the next run goes on from its checkpoint"
		}
	}
	return runs, nil
}

// goesOn reports whether a run that is recorded as running still is.
func (d *Dashboard) goesOn(ctx context.Context, run store.Run) bool {
	switch {
	case d.live.has(run.ID):
		return true
	case d.live.isGone(run): // to find out locks the repository for a moment: once is enough
		return false
	}
	return d.Locked == nil || d.Locked(ctx, run.Repository)
}

// settled returns runs, newest first, in which a list that was read to its end is
// complete if a later sweep has found which of its records are gone.
func settled(runs []store.Run) []store.Run {
	swept := map[string]bool{} // by prefix
	out := slices.Clone(runs)
	for i, r := range out {
		switch {
		case r.Sweep && r.State == store.Complete:
			swept[r.Prefix] = true
		case swept[r.Prefix] && r.State == store.Incomplete && (r.Listed > 0 || r.Closed):
			out[i].State, out[i].Reason = store.Complete, ""
		}
	}
	return out
}

// newestOfEach returns the newest run of each list, newest first, and of the
// sweeps of each format. A run without a prefix belongs to no list: the repository
// did not answer, or it is a remap. It counts only if it is the newest and did not
// end complete.
func newestOfEach(runs []store.Run) []store.Run {
	type list struct {
		prefix, set string
		sweep       bool
	}
	seen := map[list]bool{}
	var out []store.Run
	for i, r := range runs {
		key := list{r.Prefix, r.Set, r.Sweep}
		if seen[key] || r.Prefix == "" && len(runs) > 1 && (i > 0 || r.State == store.Complete) {
			continue
		}
		seen[key] = true
		out = append(out, r)
	}
	return out
}

// worst is the first of the runs that went worst. One that is running comes
// first: its result is still open.
func worst(runs []store.Run) store.Run {
	rank := map[store.State]int{store.Running: 4, store.Failed: 3, store.Incomplete: 2, store.Interrupted: 1}
	out := runs[0]
	for _, r := range runs[1:] {
		if rank[r.State] > rank[out.State] {
			out = r
		}
	}
	return out
}

// allComplete is the time at which the list that has waited longest was
// complete; zero if one was not within the runs.
func allComplete(runs []store.Run) (at time.Time) {
	var complete []store.Run
	for _, r := range runs {
		if r.State == store.Complete {
			complete = append(complete, r)
		}
	}
	newest := newestOfEach(complete)
	lists := newestOfEach(runs)
	if lists[0].Prefix == "" {
		lists = lists[1:]
	}
	if len(newest) < len(lists) {
		return time.Time{}
	}
	for _, r := range newest {
		if at.IsZero() || r.Finished.Before(at) {
			at = r.Finished
		}
	}
	return at
}
