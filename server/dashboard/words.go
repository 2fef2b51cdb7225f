package dashboard

import (
	"fmt"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// Words are the state of a repository. They do not sound like success if nothing
// is published.
func (s summary) Words() string {
	words := s.Status.State
	switch store.State(s.Status.State) {
	case store.Complete:
		if s.Status.Objects == 0 {
			words += ", but no object is published"
		}
		if n := s.Status.Quarantined; n > 0 {
			words += fmt.Sprintf(", %s quarantined", look.Number(n))
		}
		if s.Status.Remark != "" {
			words += ", with a doubt"
		}
	case store.Interrupted:
		switch {
		case s.Status.NextRun == nil:
			words += ", goes on with the next run"
		case s.Status.Due:
			words += ", goes on at once"
		default:
			words += ", goes on at " + look.When(*s.Status.NextRun)
		}
	}
	if due := s.Status.Overdue; due != nil {
		words += ", overdue since " + look.When(*due)
	}
	return words
}

// Next says when the next run of the repository is, and why then.
func (s summary) Next() string {
	switch {
	case s.Status.NextRun == nil:
		return "none is scheduled"
	case s.Status.Due:
		return "at once, " + s.Status.Because()
	}
	return look.When(*s.Status.NextRun) + ", " + s.Status.Because()
}

// LandingPages says how far the landing pages are read and what they brought.
func (s summary) LandingPages() []string {
	sentences := s.Status.Pages.Sentences(look.When)
	for i := range sentences {
		sentences[i] = strings.TrimPrefix(sentences[i], "landing pages: ")
	}
	return sentences
}

// Tone is the CSS class of the colour for Words.
func (s summary) Tone() string {
	if s.Words() == "complete" {
		return "good"
	}
	return tone(store.State(s.Status.State))
}

// Why is the reason for Words, with the list that it is of.
func (s summary) Why() string { return why(s.Worst) }

// BeforeWhy is how the runs before the one under way went, if not well.
func (s summary) BeforeWhy() string {
	if s.Before.State == "" || s.Before.State == store.Complete {
		return ""
	}
	return string(s.Before.State) + ": " + why(s.Before)
}

func why(r store.Run) string {
	reason := r.Reason
	switch {
	case r.State == "" || r.State == store.Running:
		return ""
	case reason == "" && r.State == store.Complete:
		return ""
	case reason == "":
		reason = "no reason was kept; see the log"
	}
	if r.Prefix == "" {
		return reason
	}
	return listName(r) + ": " + reason
}

// listName is the name of the list of a run. A run without a list is a remap if it
// is complete; otherwise the repository did not answer.
func listName(r store.Run) string {
	if r.Prefix == "" && r.State == store.Complete {
		return "remap"
	}
	if r.Set == "" {
		return r.Prefix
	}
	return r.Prefix + ", set " + r.Set
}

// runWords are the state of one run.
func runWords(r store.Run) string {
	if r.State != store.Complete {
		return string(r.State)
	}
	switch {
	case r.Quarantined > 0 && r.Quarantined >= r.Records:
		return fmt.Sprintf("complete, but all %s quarantined", look.Number(r.Quarantined))
	case r.Quarantined > 0:
		return fmt.Sprintf("complete, %s quarantined", look.Number(r.Quarantined))
	case r.Records == 0:
		return "complete, nothing new"
	}
	return "complete"
}

func runTone(r store.Run) string {
	if r.State == store.Complete && r.Quarantined == 0 {
		return "good"
	}
	return tone(r.State)
}

func tone(s store.State) string {
	switch s {
	case store.Complete, store.Interrupted, store.Incomplete:
		return "warn"
	case store.Failed:
		return "bad"
	case store.Running:
		return "busy"
	}
	return "none"
}

// took is how long a run took, or has taken so far.
func took(r store.Run, now time.Time) string {
	end := r.Finished
	if end.IsZero() {
		end = now
	}
	return span(end.Sub(r.Started))
}

// span is a duration in two units at most.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d d %d h", d/day, d%day/time.Hour)
}
