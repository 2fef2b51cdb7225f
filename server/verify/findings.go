package verify

import (
	"cmp"
	"fmt"
	"slices"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// A Severity says how bad a Finding is.
type Severity string

// Fail breaks a specification, or hides the links from clients in use. Warn is
// advised against by a specification, or a problem for one client. Info is worth
// knowing.
const (
	Fail Severity = "fail"
	Warn Severity = "warn"
	Info Severity = "info"
)

// A Finding is one thing to know about a page. All of it is text that may be
// printed: what servers sent is cleaned and shortened.
type Finding struct {
	Code     string   `json:"code"` // of rules; it does not change
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Remedy   string   `json:"remedy"`
	Ruby     string   `json:"ruby,omitempty"` // what the FAIR Signposting Harvester has it as: 001 to 015
}

// A Report has the findings about a page.
type Report struct {
	URL         string    `json:"url"`
	FinalURL    string    `json:"final_url"` // after redirects; "" if there was no answer
	Level1      bool      `json:"level1"`
	Level2      bool      `json:"level2"`
	Unreachable bool      `json:"unreachable,omitempty"` // there is no page to say anything about
	Findings    []Finding `json:"findings"`
	Links       []Found   `json:"links"`
}

// Failed reports whether there is a finding of severity Fail.
func (r Report) Failed() bool {
	for _, f := range r.Findings {
		if f.Severity == Fail {
			return true
		}
	}
	return false
}

// Found is a link, and the places in which it was found: head (the header of
// the answer to HEAD), header, html, linkset+json, linkset.
type Found struct {
	Anchor  string   `json:"anchor"`
	Rel     string   `json:"rel"`
	Href    string   `json:"href"`
	Type    string   `json:"type,omitempty"`
	Profile string   `json:"profile,omitempty"`
	In      []string `json:"in"`
}

// maxRepeats is how often a code is reported for one page. A page often repeats a
// mistake a hundred times.
const maxRepeats = 5

// findings collects what is found out about a page.
type findings struct {
	list   []Finding
	count  map[string]int
	breaks level
}

// add reports a finding. Arguments that are text come from servers: they are
// shortened, and the whole is cleaned.
func (f *findings) add(code, format string, args ...any) {
	rule := ruleOf(code)
	f.breaks |= rule.breaks
	if f.count == nil {
		f.count = map[string]int{}
	}
	if f.count[code]++; f.count[code] > maxRepeats {
		return
	}
	for i, arg := range args {
		switch a := arg.(type) {
		case string:
			args[i] = outbound.Printable(a, 300)
		case error:
			args[i] = outbound.Printable(a.Error(), 400)
		case fmt.Stringer:
			args[i] = outbound.Printable(a.String(), 300)
		}
	}
	f.list = append(f.list, Finding{
		Code: code, Severity: rule.severity, Message: outbound.Printable(fmt.Sprintf(format, args...), 1500), Remedy: rule.remedy, Ruby: rule.ruby,
	})
}

// all returns the findings, the worst first, then in the order of rules.
func (f *findings) all() []Finding {
	out := append([]Finding{}, f.list...)
	for _, rule := range rules {
		if more := f.count[rule.code] - maxRepeats; more > 0 {
			out = append(out, Finding{
				Code: rule.code, Severity: rule.severity, Message: fmt.Sprintf("The same was found %d more times.", more), Remedy: rule.remedy, Ruby: rule.ruby,
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(rank(a.Severity)-rank(b.Severity), indexOf(a.Code)-indexOf(b.Code))
	})
	return out
}

func rank(s Severity) int { return slices.Index([]Severity{Fail, Warn, Info}, s) }

func indexOf(code string) int {
	return slices.IndexFunc(rules, func(r rule) bool { return r.code == code })
}

// cleanLink is a link that is safe to print.
func cleanLink(l linkset.Link) linkset.Link {
	const most = linkset.MaxURI
	return linkset.Link{
		Anchor: outbound.Printable(l.Anchor, most), Rel: outbound.Printable(l.Rel, most), Href: outbound.Printable(l.Href, most),
		Type: outbound.Printable(l.Type, most), Profile: outbound.Printable(l.Profile, most),
	}
}
