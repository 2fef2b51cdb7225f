package bridge

import (
	"fmt"
	"slices"

	"fingerpost/bridge/linkset"
)

// Explanation says why an object has the links it has, and what became of
// everything else its metadata says.
type Explanation struct {
	Identifier  string          `json:"identifier"`
	LandingPage string          `json:"landing_page"`
	Links       []ExplainedLink `json:"links"`
	Rejected    []RejectedValue `json:"rejected"`
	Header      HeaderUse       `json:"header"`
	PageFrom    string          `json:"landing_page_from"` // the element that the landing page was made of
	PageRule    string          `json:"landing_page_rule"`
	PageAnswer  string          `json:"landing_page_answer,omitempty"` // where only its identifier is known: what was said about that
	Reason      string          `json:"reason,omitempty"`              // why the metadata gives no links, if so
}

// ExplainedLink is a link, the element it was made of, the rule, and whether
// the header has room for it.
type ExplainedLink struct {
	Anchor   string `json:"anchor"`
	Rel      string `json:"rel"`
	Href     string `json:"href"`
	Type     string `json:"type"`
	Profile  string `json:"profile"`
	From     string `json:"from"`
	Rule     string `json:"rule"`
	TypeFrom string `json:"type_from,omitempty"` // likewise for the media type of a file
	TypeRule string `json:"type_rule,omitempty"`
	Answer   string `json:"answer,omitempty"` // what the server of a file said, if it is to be asked
	Verdict  string `json:"verdict"`
}

// The verdicts on links.
const (
	Linked      = "linked"        // in the header and in the link set
	LinkSetOnly = "link set only" // the header's budget has no room for it
)

// RejectedValue is a value that led to no link. Rule is "" where it was not
// one rule that rejected it, but none that wanted it.
type RejectedValue struct {
	Value  string `json:"value"`
	From   string `json:"from"`
	Reason string `json:"reason"`
	Rule   string `json:"rule,omitempty"`
}

// HeaderUse is how much of its budget the landing page's header takes, and
// which relation types had to give way.
type HeaderUse struct {
	Bytes   int      `json:"bytes"`
	Budget  int      `json:"budget"`
	Dropped []string `json:"dropped"`
}

// Explain puts links and evidence together. The links that follow from others,
// or from the gateway itself, have no evidence: their rule says which of the
// specifications asks for them.
func Explain(identifier string, o Object, set linkset.LinkSet, t Trace, budget linkset.Budget) Explanation {
	e := Explanation{Identifier: identifier, LandingPage: o.LandingPage.URL, Links: []ExplainedLink{}, Rejected: []RejectedValue{}}
	e.Header = headerUse(o, set, budget)
	anchor, _ := linkset.Anchor(o.LandingPage.URL) // "" is that of no link
	made := t.made()
	for links := range byAnchor(set) {
		kept, _ := links.Fit(budget)
		for _, l := range links {
			e.Links = append(e.Links, explain(l, made, anchor, slices.Contains(kept, l)))
		}
	}
	e.reject(t, made)
	if o.LandingPage.Resolve {
		e.PageAnswer = made[subject{of: fileKey(o.LandingPage.URL), rel: AnswerEvidence}].Value
	}
	return e
}

// ExplainTombstone explains what is left of an object that was deleted.
func ExplainTombstone(identifier string, o Object, budget linkset.Budget) Explanation {
	const before = "the record before it was deleted"
	var t Trace
	if o.LandingPage.URL != "" {
		t.Evidence = append(t.Evidence, Evidence{Rel: LandingPageEvidence, Value: o.LandingPage.URL, From: before, Rule: tombstoneRule})
	}
	if o.CiteAs != "" {
		t.Evidence = append(t.Evidence, Evidence{Rel: relCiteAs, Value: o.CiteAs, From: before, Rule: tombstoneRule})
	}
	e := Explain(identifier, o, Tombstone(o), t, budget)
	e.Reason = "deleted at the source: its link set answers 410, with what to cite if that was known"
	return e
}

// tombstoneRule is the name of what is left of an object that was deleted.
const tombstoneRule = "deleted at the source"

// subject is what evidence is for: a link, the media type of a file, or the
// landing page.
type subject struct{ of, rel, value string }

// made is the evidence for what is linked; the last is the one that counts.
func (t Trace) made() map[subject]Evidence {
	out := map[subject]Evidence{}
	for _, v := range t.Evidence {
		if !v.Rejected {
			out[v.subject()] = v
		}
	}
	return out
}

func (v Evidence) subject() subject {
	s := subject{rel: v.Rel}
	if v.Of != "" {
		s.of = fileKey(v.Of)
	}
	switch v.Rel {
	case LandingPageEvidence, MediaTypeEvidence, AnswerEvidence:
		return s
	}
	if target, err := linkset.Target(v.Value); err == nil {
		s.value = target
	}
	return s
}

// fileKey is equal for a file as the metadata writes it and as it is linked.
func fileKey(uri string) string {
	if target, err := linkset.Target(uri); err == nil {
		uri = target
	}
	return resourceKey(uri)
}

func explain(l linkset.Link, made map[subject]Evidence, page string, fits bool) ExplainedLink {
	x := ExplainedLink{Anchor: l.Anchor, Rel: l.Rel, Href: l.Href, Type: l.Type, Profile: l.Profile, Verdict: LinkSetOnly}
	if fits {
		x.Verdict = Linked
	}
	about := subject{rel: l.Rel, value: l.Href}
	if l.Anchor != page {
		about.of = fileKey(l.Anchor)
	}
	x.From, x.Rule = "fingerpost", follows(l.Rel)
	if v, ok := made[about]; ok {
		x.From, x.Rule = v.From, v.Rule
	}
	if v, ok := made[subject{of: fileKey(l.Href), rel: MediaTypeEvidence}]; ok && l.Rel == relItem && l.Type != "" {
		x.TypeFrom, x.TypeRule = v.From, v.Rule
	}
	if l.Rel == relItem {
		x.Answer = made[subject{of: fileKey(l.Href), rel: AnswerEvidence}].Value
	}
	return x
}

// follows names what asks for a link that no value of the metadata led to.
func follows(rel string) string {
	switch rel {
	case relType:
		return "FAIR Signposting, 2.1.1: a landing page"
	case relCollection:
		return "FAIR Signposting, 2.1.2"
	case relDescribedBy:
		return "the formats that are harvested"
	case relLinkSet:
		return "FAIR Signposting, 2.2"
	case relDescribes, relInbox:
		return "COAR Notify"
	}
	return ""
}

// reject lists what led to no link: what was rejected, and what a rule took
// although it is not linked in the end.
func (e *Explanation) reject(t Trace, made map[subject]Evidence) {
	linked, refused := map[subject]bool{}, map[subject]bool{}
	for _, l := range e.Links {
		linked[subject{rel: l.Rel, value: l.Href}] = true
	}
	for _, v := range t.Evidence {
		switch about := v.subject(); {
		case v.Rejected:
			refused[about] = true
			e.Rejected = append(e.Rejected, RejectedValue{Value: v.Value, From: v.From, Reason: v.Reason, Rule: v.Rule})
		case v.Rel == LandingPageEvidence:
			e.PageFrom, e.PageRule = v.From, v.Rule
		}
	}
	for _, v := range t.Evidence {
		about := v.subject()
		replaced := v.Rel == MediaTypeEvidence && made[about] != v
		taken := v.Of != "" || v.Rel == LandingPageEvidence || linked[about] || refused[about] || made[about] != v
		if v.Rejected || taken && !replaced {
			continue
		}
		e.Rejected = append(e.Rejected, RejectedValue{Value: v.Value, From: v.From, Reason: e.unlinked(v), Rule: v.Rule})
	}
}

// unlinked says why there is no link although a rule took a value.
func (e *Explanation) unlinked(v Evidence) string {
	_, err := linkset.Target(v.Value)
	switch {
	case v.Rel == MediaTypeEvidence:
		return "the file's server says another media type"
	case e.LandingPage == "":
		return "not considered, since there is no landing page"
	case err != nil:
		return fmt.Sprintf("cannot be written as a link: %v", err)
	case v.Rel == relItem:
		return "the same file, or the landing page, once more"
	}
	return "another value of the same kind was taken"
}

// byAnchor yields the links from one anchor after the other, which stand
// together.
func byAnchor(set linkset.LinkSet) func(func(linkset.LinkSet) bool) {
	return func(yield func(linkset.LinkSet) bool) {
		for len(set) > 0 {
			n := slices.IndexFunc(set, func(l linkset.Link) bool { return l.Anchor != set[0].Anchor })
			if n < 0 {
				n = len(set)
			}
			if !yield(set[:n:n]) {
				return
			}
			set = set[n:]
		}
	}
}

func headerUse(o Object, set linkset.LinkSet, budget linkset.Budget) HeaderUse {
	anchor, err := linkset.Anchor(o.LandingPage.URL)
	if err != nil {
		return HeaderUse{Dropped: []string{}}
	}
	kept, dropped := set.From(anchor).Fit(budget)
	if dropped == nil {
		dropped = []string{}
	}
	return HeaderUse{Bytes: kept.HeaderBytes(), Budget: budget.Bytes, Dropped: dropped}
}
