package dashboard

import (
	"fmt"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// Status is the state of a repository; its JSON is that of `fingerpost status`.
type Status struct {
	Repository  string     `json:"repository"`
	Objects     int        `json:"objects"`
	Deleted     int        `json:"deleted"`
	Quarantined int        `json:"quarantined"`
	State       string     `json:"state"`
	Reason      string     `json:"reason,omitempty"`
	Class       string     `json:"class,omitempty"`    // of its newest failure
	Failures    int        `json:"failures,omitempty"` // harvests in a row that failed
	LastRun     *time.Time `json:"last_run"`
	NextRun     *time.Time `json:"next_run"`                  // when its next run is, of any process
	NextWhy     string     `json:"next_run_reason,omitempty"` // as store.Source.Why
	Pause       string     `json:"pause,omitempty"`           // a sentence that says why there is no request before
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
	return listName(store.Run{Prefix: l.Prefix, Set: l.Set, Sweep: l.Sweep}) + " " + l.State
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
func (s Status) Because() string { return because(s.NextWhy) }

// Status says it in a few words.
func (s Seen) Status(now time.Time) Status {
	at := row{Source: s.Source, now: now}
	out := Status{
		Repository: s.Repository, Objects: s.Objects, Deleted: s.Deleted, Quarantined: s.Quarantined,
		State: neverRun, Class: s.Class, Failures: s.Failures, Pause: s.Pause, Pages: pagesOf(s.Pages, now), Early: at.Early(),
	}
	at.schedule(&out)
	if s.State == "" {
		return out
	}
	worst := s.Standing.Worst
	out.State, out.Reason, out.LastRun = string(s.State), s.Reason, &s.Began
	out.Remark, out.Lists = strings.Join(s.Doubts, "; "), lists(s.Standing.Lists)
	if worst.Prefix != "" {
		out.List = listName(worst)
	}
	if !s.Complete.IsZero() && s.State != store.Complete {
		out.Complete = &s.Complete
	}
	switch newest := s.Standing.Newest; {
	case s.State == store.Running && s.Pause != "":
		out.State = "paused"
		out.Reason = fmt.Sprintf("paused until %s, asked by the repository with Retry-After", look.When(s.Due))
	case s.State == store.Running && newest.ID != 0:
		out.Reason = fmt.Sprintf("reading %s: %s records so far", listName(newest), look.Number(newest.Records))
	}
	return out
}

// schedule says when the next run is.
func (r row) schedule(s *Status) {
	if r.Never() {
		return
	}
	next := r.Due
	if s.Due = r.Soon(); s.Due {
		next = r.now
	}
	s.NextRun, s.NextWhy = &next, r.Why
	if r.Overdue() {
		s.Overdue = &r.Due
	}
}
