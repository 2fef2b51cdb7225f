package bridge

import (
	"slices"
	"testing"

	"fingerpost/bridge/linkset"
)

// What the header has no room for is in the link set only, and said to be.
func TestExplainSaysWhatTheHeaderDrops(t *testing.T) {
	o := Object{
		LandingPage: LandingPage{URL: "https://repo.example.edu/12"}, CiteAs: "https://doi.org/10.5555/12",
		Items: []ContentResource{{URL: "https://repo.example.edu/12/a.pdf", MediaType: "application/pdf"}},
	}
	set := Signpost(o, nil, Gateway{LinkSetJSON: "https://links.example.org/12.json"})
	all := Explain("oai:repo.example.edu:12", o, set, Trace{}, linkset.Budget{Lines: 10, Bytes: 4096})
	if len(all.Header.Dropped) != 0 || all.Header.Budget != 4096 || all.Header.Bytes == 0 {
		t.Errorf("with room for all the header is %+v", all.Header)
	}
	few := Explain("oai:repo.example.edu:12", o, set, Trace{}, linkset.Budget{Lines: 3})
	if !slices.Equal(few.Header.Dropped, []string{"item"}) || few.Header.Bytes >= all.Header.Bytes {
		t.Errorf("with room for few the header is %+v", few.Header)
	}
	for i, l := range few.Links {
		want := Linked
		if l.Rel == "item" {
			want = LinkSetOnly
		}
		if l.Anchor == o.LandingPage.URL && l.Verdict != want {
			t.Errorf("%s %s is %q, want %q", l.Rel, l.Href, l.Verdict, want)
		}
		if all.Links[i].Verdict != Linked {
			t.Errorf("%s %s is %q although there is room", l.Rel, l.Href, all.Links[i].Verdict)
		}
	}
}

// A value that a rule took is not always linked: Explain says why.
func TestExplainSaysWhatIsNotLinked(t *testing.T) {
	const page, doi = "https://repo.example.edu/12", "https://doi.org/10.5555/12"
	cited := Object{LandingPage: LandingPage{URL: page}, CiteAs: doi}
	for _, test := range []struct {
		name   string
		object Object
		took   Evidence
		reason string // "": it is linked
	}{
		{"what is linked", cited, Evidence{Rel: relCiteAs, Value: doi}, ""},
		{"an object without a page", Object{}, Evidence{Rel: relCiteAs, Value: doi}, "not considered, since there is no landing page"},
		{"what cannot be written", cited, Evidence{Rel: relLicense, Value: "urn:licence"}, `cannot be written as a link: "urn:licence" is neither an http nor an https URI`},
		{"the page as its own file", cited, Evidence{Rel: relItem, Value: page}, "the same file, or the landing page, once more"},
		{"another licence", cited, Evidence{Rel: relLicense, Value: "https://example.org/terms"}, "another value of the same kind was taken"},
	} {
		e := Explain("oai:repo.example.edu:12", test.object, Signpost(test.object, nil, Gateway{}), Trace{Evidence: []Evidence{test.took}}, linkset.Budget{})
		got := ""
		if len(e.Rejected) > 0 {
			got = e.Rejected[0].Reason
		}
		if got != test.reason {
			t.Errorf("%s: %q, want %q", test.name, got, test.reason)
		}
	}
}

func TestExplainTombstone(t *testing.T) {
	page := LandingPage{URL: "https://repo.example.edu/12"}
	for _, o := range []Object{{}, {LandingPage: page}, {LandingPage: page, CiteAs: "https://doi.org/10.5555/12"}} {
		e := ExplainTombstone("oai:repo.example.edu:12", o, linkset.Budget{})
		if linked := len(e.Links) == 1; linked != (o.CiteAs != "") || len(e.Rejected) > 0 || e.Reason == "" {
			t.Errorf("what is left of %+v is explained as %+v", o, e)
		}
		if from := e.PageRule != ""; from != (o.LandingPage.URL != "") {
			t.Errorf("the page of %+v has the rule %q", o, e.PageRule)
		}
	}
}
