package verify

// A Group has the findings of a Report of one severity.
type Group struct {
	Severity Severity
	Title    string
	Rules    []Broken
}

// Broken is a rule with all that a page has against it.
type Broken struct {
	Code, Ruby, Remedy string
	Messages           []string
}

// titles are what people read instead of a severity, the worst first.
var titles = []Group{{Severity: Fail, Title: "Wrong"}, {Severity: Warn, Title: "Could be better"}, {Severity: Info, Title: "Worth knowing"}}

// Groups are the findings as people read them: by severity, then by rule, each
// with one remedy. A severity without findings is left out.
func (r Report) Groups() (out []Group) {
	for _, g := range titles {
		for _, f := range r.Findings {
			if f.Severity == g.Severity {
				g.add(f)
			}
		}
		if len(g.Rules) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// add adds a finding. Those of one rule follow each other.
func (g *Group) add(f Finding) {
	last := len(g.Rules) - 1
	if last < 0 || g.Rules[last].Code != f.Code {
		g.Rules = append(g.Rules, Broken{Code: f.Code, Ruby: f.Ruby, Remedy: f.Remedy})
		last++
	}
	g.Rules[last].Messages = append(g.Rules[last].Messages, f.Message)
}
