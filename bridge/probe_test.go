package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

func TestProbed(t *testing.T) {
	const file, doi = "https://repo.example.edu/1/paper.pdf", "https://doi.org/10.5555/1"
	tests := []struct {
		name   string
		stated string // media type; or, for a landing page, "page"
		probe  Probe
		want   string // "gone", a media type, or the landing page
	}{
		{"a file that is there", "application/pdf", Probe{200, "application/pdf", file}, "application/pdf"},
		{"a file that was not asked for", "application/pdf", Probe{}, "application/pdf"},
		{"a file that is missing", "application/pdf", Probe{404, "text/html", file}, "gone"},
		{"a file that was taken away", "", Probe{410, "", file}, "gone"},
		{"a file for members", "application/pdf", Probe{401, "text/html", file}, "application/pdf"},
		{"a server that is ill", "application/pdf", Probe{503, "text/plain", file}, "application/pdf"},
		{"a type that is wrong", "application/pdf", Probe{200, "application/epub+zip", file}, "application/epub+zip"},
		{"a type that is not stated", "", Probe{206, "text/CSV; charset=utf-8", file}, "text/csv"},
		{"a page to log in", "application/pdf", Probe{200, "text/html;charset=utf-8", "https://repo.example.edu/login"}, "application/pdf"},
		{"a page where nothing is stated", "", Probe{200, "text/html", file}, ""},
		{"a server that knows no type", "application/pdf", Probe{200, "application/octet-stream", file}, "application/pdf"},
		{"bytes, and nothing stated", "", Probe{200, "application/octet-stream", file}, "application/octet-stream"},
		{"a way to say download", "text/csv", Probe{200, "application/force-download", file}, "text/csv"},
		{"no media type", "text/csv", Probe{200, "pdf", file}, "text/csv"},
		{"an unknown tree", "text/csv", Probe{200, "none/none", file}, "text/csv"},

		{"a DOI that leads to the page", "page", Probe{200, "text/html", "https://repo.example.edu/record/1#top"}, "https://repo.example.edu/record/1"},
		{"a DOI that leads to another name of the repository", "page", Probe{200, "text/html", "https://www.archive.example.org/1"}, "https://www.archive.example.org/1"},
		{"a DOI that leads to a page whose name only sounds like it", "page", Probe{200, "text/html", "https://repo.example.edu/designing/404"}, "https://repo.example.edu/designing/404"},
		{"a DOI that leads to a publisher", "page", Probe{200, "text/html", "https://publisher.example/1"}, doi},
		{"a DOI that leads to the front page", "page", Probe{200, "text/html", "https://repo.example.edu/"}, doi},
		{"a DOI that leads to a login", "page", Probe{200, "text/html", "https://repo.example.edu/password-login?next=1"}, doi},
		{"a DOI that leads nowhere", "page", Probe{404, "text/html", "https://repo.example.edu/record/1"}, doi},
		{"a DOI that leads to what is no address", "page", Probe{200, "text/html", "javascript:alert(1)"}, doi},
	}
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Probe: true, Hosts: []string{"archive.example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Object{LandingPage: LandingPage{URL: "https://repo.example.edu/1"}, Items: []ContentResource{{URL: file, MediaType: test.stated}}}
			asked := file
			if test.stated == "page" {
				o, asked = Object{LandingPage: LandingPage{URL: doi, Resolve: true}}, doi
			}
			before := o.Unproven()
			var trace Trace
			o = m.Probed("oai:repo.example.edu:1", o, map[string]Probe{asked: test.probe}, &trace)
			got := "gone"
			switch {
			case test.stated == "page":
				got = o.LandingPage.URL
			case len(o.Items) > 0:
				got = o.Items[0].MediaType
			}
			if got != test.want || len(before) != 1 || before[0] != asked {
				t.Errorf("got %q, and %q to be asked about; want %q and %q", got, before, test.want, asked)
			}
			changed := got != test.stated && got != doi
			said, done := trace.Evidence[0], trace.Evidence[1:]
			if said.Rel != AnswerEvidence || said.Of != asked || said.Value == "" {
				t.Errorf("got %+v first, want what the server said about %s", said, asked)
			}
			if changed != (len(done) == 1) || changed && done[0].Rule != "probe" {
				t.Errorf("got evidence %+v, want some if the object changed: %v", done, changed)
			}
			if o.LandingPage.Resolve && got != doi {
				t.Errorf("a page that is known is still to be resolved")
			}
		})
	}
}

// The page to which a persistent identifier leads is no file of itself.
func TestTheProbedPageIsNoFile(t *testing.T) {
	const doi, page, file = "https://doi.org/10.5555/1", "https://repo.example.edu/record/1", "https://repo.example.edu/record/1/a.pdf"
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Probe: true})
	if err != nil {
		t.Fatal(err)
	}
	o := Object{LandingPage: LandingPage{URL: doi, Resolve: true}, Items: []ContentResource{{URL: page + "/"}, {URL: file}}}
	o = m.Probed("oai:repo.example.edu:1", o, map[string]Probe{doi: {200, "text/html", page}}, nil)
	if o.LandingPage.URL != page || len(o.Items) != 1 || o.Items[0].URL != file {
		t.Errorf("got %+v, want the page and its one file", o)
	}
}

func TestProbedOnlyWhereAsked(t *testing.T) {
	o := Object{LandingPage: LandingPage{URL: "https://repo.example.edu/1"}, Items: []ContentResource{{URL: "https://repo.example.edu/1.pdf"}}}
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	got := m.Probed("oai:repo.example.edu:1", o, map[string]Probe{o.Items[0].URL: {Status: 404}}, nil)
	if diff := cmp.Diff(o, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	with, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Probe: true})
	if err != nil || with.Version() == m.Version() {
		t.Errorf("got the same version and error %v, want objects to be made anew when probing is switched on or off", err)
	}
}

// A rejected file shows in the explanation, and a type that was put right.
func TestProbeIsExplained(t *testing.T) {
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Probe: true})
	if err != nil {
		t.Fatal(err)
	}
	o := Object{LandingPage: LandingPage{URL: "https://repo.example.edu/1"}, Items: []ContentResource{{URL: "https://repo.example.edu/1.pdf"}, {URL: "https://repo.example.edu/2.pdf"}}}
	var trace Trace
	o = m.Probed("oai:repo.example.edu:1", o, map[string]Probe{"https://repo.example.edu/1.pdf": {Status: 404}, "https://repo.example.edu/2.pdf": {Status: 200, MediaType: "application/pdf"}}, &trace)
	e := Explain("oai:repo.example.edu:1", o, Signpost(o, nil, Gateway{}), trace, linkset.Budget{})
	if len(e.Rejected) != 1 || e.Rejected[0].Value != "https://repo.example.edu/1.pdf" || !strings.Contains(e.Rejected[0].Reason, "404") {
		t.Errorf("got %+v rejected, want the missing file with the reason", e.Rejected)
	}
	if x := e.Links[1]; x.Rel != relItem || x.TypeFrom != "its server" || x.TypeRule != "probe" {
		t.Errorf("got %+v, want the file that is there, its media type from its server", x)
	}
}

// Whatever was answered is told with the file, and so is that nothing was.
func TestAnswersAreExplained(t *testing.T) {
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Probe: true})
	if err != nil {
		t.Fatal(err)
	}
	const file, doi = "https://repo.example.edu/1.pdf", "https://doi.org/10.5555/1"
	for want, probe := range map[string]Probe{
		"was not asked yet": {},
		"was not asked: the robots.txt of its host forbids it": {Status: KeptOut, URL: file},
		"did not answer":                   {URL: file},
		"answered 503":                     {Status: 503, URL: file},
		"answered 200 application/unknown": {Status: 200, MediaType: "application/unknown", URL: file},
	} {
		o := Object{LandingPage: LandingPage{URL: doi, Resolve: true}, Items: []ContentResource{{URL: file, MediaType: "application/pdf"}}}
		var probes map[string]Probe
		if probe.URL != "" {
			probes = map[string]Probe{file: probe, doi: {Status: probe.Status, MediaType: probe.MediaType, URL: doi}}
		}
		var trace Trace
		o = m.Probed("oai:repo.example.edu:1", o, probes, &trace)
		e := Explain("oai:repo.example.edu:1", o, Signpost(o, nil, Gateway{}), trace, linkset.Budget{})
		if e.PageAnswer != want || e.Links[1].Rel != relItem || e.Links[1].Answer != want {
			t.Errorf("got %q of the page and %+v, want %q", e.PageAnswer, e.Links[1], want)
		}
	}
}
