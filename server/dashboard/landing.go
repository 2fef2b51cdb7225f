package dashboard

import (
	"fmt"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// Pages is how far the landing pages of a repository are read (`probe: pages`),
// and what they brought.
type Pages struct {
	Due    int        `json:"due"`   // pages that the pass under way, or the last one, has to ask for
	Asked  int        `json:"asked"` // of those, asked for
	Left   int        `json:"seconds_left"`
	Ended  *time.Time `json:"read_at,omitempty"` // when all that may add something were read
	Read   int        `json:"read"`              // different pages that stated something, ever
	Gained Gained     `json:"gained"`
	Pause  string     `json:"pause,omitempty"` // why none is asked for until then, a sentence
	Until  *time.Time `json:"pause_until,omitempty"`
	Files  string     `json:"files,omitempty"` // what the files are that pages name, a sentence
}

// Gained counts the objects that have a link from their landing page alone.
type Gained struct {
	Item    int `json:"item"`
	CiteAs  int `json:"cite_as"`
	License int `json:"license"`
	Author  int `json:"author"`
}

// pagesOf is the state of landing pages; nil if none was ever asked for.
func pagesOf(kept store.Pages, now time.Time) *Pages {
	if kept.Began.IsZero() {
		return nil
	}
	p := &Pages{
		Due: kept.Due, Asked: kept.Asked, Left: int(kept.TimeLeft().Seconds()), Read: kept.Read, Files: kept.Files,
		Gained: Gained{kept.Gained.Item, kept.Gained.CiteAs, kept.Gained.License, kept.Gained.Author},
	}
	if !kept.Ended.IsZero() {
		p.Ended = &kept.Ended
	}
	tomorrow := kept.Day.Add(24 * time.Hour)
	switch {
	case kept.Pause.Active(now):
		p.Pause, p.Until = kept.Pause.Reason, &kept.Pause.Until
	case kept.Limited(now):
		p.Pause, p.Until = fmt.Sprintf("%s were asked for within a day", look.Number(store.PagesADay)), &tomorrow
	}
	return p
}

// Sentences say it to people, who are shown times by when.
func (p *Pages) Sentences(when func(time.Time) string) (out []string) {
	if p == nil {
		return nil
	}
	if p.Ended != nil {
		out = append(out, fmt.Sprintf("landing pages: at %s all were read that may add something", when(*p.Ended)))
	} else {
		out = append(out, fmt.Sprintf("landing pages: %s of %s asked for, %s left", look.Number(p.Asked), look.Number(max(p.Due, p.Asked)), span(time.Duration(p.Left)*time.Second)))
	}
	if g := p.Gained; p.Read > 0 {
		out = append(out, fmt.Sprintf("what %s landing pages state adds files to %s objects, what to cite to %s, a licence to %s, an author to %s",
			look.Number(p.Read), look.Number(g.Item), look.Number(g.CiteAs), look.Number(g.License), look.Number(g.Author)))
	}
	if p.Files != "" {
		out = append(out, p.Files)
	}
	if p.Until != nil {
		out = append(out, "no landing page is asked for before "+when(*p.Until)+": "+p.Pause)
	}
	return out
}
