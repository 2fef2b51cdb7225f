package bridge

import "fingerpost/bridge/linkset"

// Explanation says why an object has the links it has, and what became of
// everything else its metadata says.
type Explanation struct {
	Identifier  string          `json:"identifier"`
	LandingPage string          `json:"landing_page"`
	PageFrom    string          `json:"-"` // the element that the landing page was made of
	PageRule    string          `json:"-"`
	Links       []ExplainedLink `json:"links"`
	Rejected    []RejectedValue `json:"rejected"`
	Header      HeaderUse       `json:"header"`
}

// ExplainedLink is a link, the element it was made of and the rule.
type ExplainedLink struct {
	Anchor  string `json:"anchor"`
	Rel     string `json:"rel"`
	Href    string `json:"href"`
	Type    string `json:"type"`
	Profile string `json:"profile"`
	From    string `json:"from"`
	Rule    string `json:"rule"`
}

// RejectedValue is a value that led to no link.
type RejectedValue struct {
	Value  string `json:"value"`
	From   string `json:"from"`
	Reason string `json:"reason"`
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
	made := t.made()
	for _, l := range set {
		x := ExplainedLink{Anchor: l.Anchor, Rel: l.Rel, Href: l.Href, Type: l.Type, Profile: l.Profile}
		if v, ok := made[[2]string{l.Rel, l.Href}]; ok {
			x.From, x.Rule = v.From, v.Rule
		} else {
			x.From, x.Rule = "fingerpost", follows(l)
		}
		e.Links = append(e.Links, x)
	}
	for _, v := range t.Evidence {
		if v.Rel == LandingPageEvidence && !v.Rejected {
			e.PageFrom, e.PageRule = v.From, v.Rule
		}
		if v.Rejected {
			e.Rejected = append(e.Rejected, RejectedValue{Value: v.Value, From: v.From, Reason: v.Reason})
		}
	}
	e.Header = headerUse(o, set, budget)
	return e
}

// made is the evidence for links, by relation type and target.
func (t Trace) made() map[[2]string]Evidence {
	out := map[[2]string]Evidence{}
	for _, v := range t.Evidence {
		if target, err := linkset.Target(v.Value); err == nil && !v.Rejected {
			out[[2]string{v.Rel, target}] = v
		}
	}
	return out
}

// follows names what asks for a link that no value of the metadata led to.
func follows(l linkset.Link) string {
	switch l.Rel {
	case relType:
		return "FAIR Signposting, 2.1.1: a landing page"
	case relCollection:
		return "FAIR Signposting, 2.1.2"
	case relDescribedBy:
		return "the formats that are held"
	case relLinkSet:
		return "FAIR Signposting, 2.2"
	case relDescribes, relInbox:
		return "COAR Notify"
	}
	return ""
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
