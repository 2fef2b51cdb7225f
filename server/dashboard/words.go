package dashboard

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// overdue is how late a run may begin before that is a problem: some wait for
// others.
const overdue = time.Hour

// row is a repository at a glance.
type row struct {
	store.Source
	Name string
	now  time.Time
}

// Words are its state. They do not sound like success if nothing is published.
func (r row) Words() string {
	switch {
	case r.State == "":
		return neverRun
	case r.State == store.Running && r.Why == "pause":
		return "paused"
	case r.State == store.Complete && r.Objects == 0:
		return "complete, but no object is published"
	case r.Overdue():
		return string(r.State) + ", overdue"
	}
	return string(r.State)
}

// Tone is the CSS class of the colour for Words.
func (r row) Tone() string {
	if r.Words() == string(store.Complete) && r.Quarantined == 0 {
		return "good"
	}
	return tone(r.State)
}

// Never reports whether no run is scheduled, Soon whether the next one is due.
func (r row) Never() bool { return !r.Due.Before(store.Never) }
func (r row) Soon() bool  { return !r.Due.After(r.now) }

// Overdue reports whether a run should have begun long ago.
func (r row) Overdue() bool {
	return !r.Due.IsZero() && r.State != store.Running && r.now.Sub(r.Due) >= overdue
}

// Early reports whether its newest run is dated in the future.
func (r row) Early() bool { return r.Began.After(r.now.Add(time.Minute)) }

// Received is how many objects there would be with those in quarantine.
func (r row) Received() int { return r.Objects + r.Quarantined }

// Because says why the next run is when it is.
func (r row) Because() string { return because(r.Why) }

func because(why string) string {
	switch why {
	case "schedule":
		return "on schedule"
	case "go on":
		return "to go on where it was stopped"
	case "retry":
		return "retry of the first harvest"
	case "failing":
		return "asked less and less, since it fails"
	case "pause":
		return "paused until then, asked by the repository with Retry-After"
	case "refused":
		return "access refused, left alone until then"
	}
	return why
}

// columnName is the name of a column of bridge.Coverage in plain words.
func columnName(name string) string {
	switch name {
	case "landing_page":
		return "landing page"
	case "license":
		return "licence"
	case "item":
		return "files (item)"
	case "item_type":
		return "media type of every file"
	case "type":
		return "specific type"
	}
	return strings.ReplaceAll(name, "_", "-")
}

// listName is the name of the list of a run. A run without a list is a remap if it
// is complete; otherwise the repository did not answer.
func listName(r store.Run) string {
	name := r.Prefix
	switch {
	case r.Prefix == "" && r.State == store.Complete:
		return "remap"
	case r.Prefix == "":
		return "none was begun"
	case r.Set != "":
		name += ", set " + r.Set
	}
	if r.Sweep {
		return "sweep of " + name
	}
	return name
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

// count is a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return look.Number(n) + " " + thing
}

// outcomes are what became of a run's records.
func outcomes(r store.Run) string {
	all := listed([]int{r.New, r.Changed, r.Unchanged, r.Deleted, r.Quarantined}, []string{"new", "changed", "unchanged", "deleted", "quarantined"})
	return cmp.Or(all, "nothing new")
}

// efforts are what a run cost.
func efforts(r store.Run) string {
	return listed([]int{r.Pages, r.Requests, r.Retries, r.Repairs}, []string{"pages", "requests", "of these again", "repairs"})
}

// listed leaves out what there is none of.
func listed(numbers []int, names []string) string {
	var out []string
	for i, n := range numbers {
		if n > 0 {
			out = append(out, look.Number(n)+" "+names[i])
		}
	}
	return strings.Join(out, ", ")
}

// prose is a text in which a part in backquotes is to be typed.
func prose(s string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(look.Text(s), "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// short and medium make a stranger's text safe to show where there is little room.
func short(s string) string  { return look.Clip(s, 100) }
func medium(s string) string { return look.Clip(s, 250) }
