package dashboard

import (
	"fmt"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// problem is what is wrong with a repository, what to do about it, and where what
// is behind it can be seen.
type problem struct {
	Text   string
	Since  time.Time // the zero time says nothing
	Remedy string
	Path   string // below the repository's page; "" if there is no more to see
	Label  string // of the link there
}

// remedies say what to do about a class of failures.
var remedies = map[string]string{
	"refused": "If its administrators let the gateway's requests through, `fingerpost check %s` asks now, and an answer ends the wait.",
	"gone":    "See whether its address has changed, and set oai_url; `fingerpost check %s` tries it.",
	"broken":  "`fingerpost check %s` shows what it answers, for its administrators.",
	"slow":    "It is asked again by itself; `fingerpost check %s` tries it now.",
	"":        "`fingerpost check %s` examines it from inside and outside.",
}

// remedy is that for a class, or the usual one.
func (p repositoryPage) remedy(class string) string {
	form, ok := remedies[class]
	if !ok {
		form = remedies[""]
	}
	return fmt.Sprintf(form, p.Repository)
}

// problems are what is wrong with a repository, the worst first.
func (d *Dashboard) problems(p repositoryPage) []problem {
	out := p.failed()
	if p.Pause != "" {
		out = append(out, problem{Text: p.Pause + ": it is left alone until", Since: p.Due, Remedy: p.remedy("refused")})
	}
	if p.Overdue() {
		out = append(out, problem{Text: "Its next run is overdue since", Since: p.Due, Remedy: "Is `fingerpost serve` or `fingerpost work` running? More `workers` ask more hosts at the same time."})
	}
	if p.Early() {
		out = append(out, problem{Text: "Its newest run is dated in the future; the clock of a machine was wrong then, or is now:", Since: p.Began})
	}
	for _, doubt := range p.Seen.Doubts {
		out = append(out, problem{Text: "Doubtful: " + doubt})
	}
	out = append(out, p.lacks()...)
	if d.Unreachable != "" {
		out = append(out, problem{Text: d.Unreachable})
	}
	return out
}

// failed says how the runs of a repository went wrong: the newest of each list, and
// while one is under way, what was before.
func (p repositoryPage) failed() (out []problem) {
	worst := p.Seen.Standing.Worst
	before := ""
	if worst.State == store.Running {
		worst, before = p.Seen.Standing.Before, "before this run: "
	}
	switch worst.State {
	case store.Failed, store.Incomplete, store.Interrupted:
	default:
		return nil
	}
	text := before + listName(worst) + ": " + string(worst.State)
	if worst.Reason != "" {
		text += ": " + worst.Reason
	}
	if p.Failures > 1 {
		text += fmt.Sprintf(" (%s in a row)", count(p.Failures, "failure"))
	}
	out = append(out, problem{Text: text, Remedy: p.remedy(p.Class)})
	if p.Complete.IsZero() {
		return append(out, problem{Text: "No harvest is known that read all of it."})
	}
	return append(out, problem{Text: "All of it was last harvested completely", Since: p.Complete})
}

// lackRemedies say how objects come by a link that none of them has.
var lackRemedies = map[string]string{
	"landing_page": "Set `landing_page`, or a rule under `mapping`, as docs/mapping.md says.",
	"license":      "Ask the repository to put the address of a licence into dc:rights, or let the gateway read landing pages (`probe: pages`).",
	"item":         "Let the gateway read landing pages (`probe: pages`).",
}

// lacks says what is missing of the objects themselves.
func (p repositoryPage) lacks() (out []problem) {
	if p.State == store.Complete && p.Objects == 0 {
		out = append(out, problem{Text: "No object is published.", Remedy: p.remedy("")})
	}
	if p.Quarantined > 0 {
		out = append(out, problem{
			Text:   fmt.Sprintf("%s could not be read or mapped: %s of all.", count(p.Quarantined, "record"), look.Share(p.Quarantined, p.Received())),
			Remedy: "Tell its administrators what is wrong with them. A record leaves quarantine when it comes again without an error.",
			Path:   "/quarantine", Label: "The records and their bytes",
		})
	}
	for _, c := range p.Coverage {
		if remedy, ok := lackRemedies[c.Column]; ok && c.Count == 0 {
			out = append(out, problem{
				Text: "No object has this link: " + columnName(c.Column) + ".", Remedy: remedy, Path: "/lacking/" + c.Column, Label: "The objects",
			})
		}
	}
	return out
}
