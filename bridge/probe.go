package bridge

import (
	"fmt"
	"net/http"
	"strings"

	"fingerpost/bridge/identifier"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// Probe is a server's answer about a URL.
type Probe struct {
	Status    int    // behind all redirects; 0 if there was no answer, or KeptOut
	MediaType string // as the server said it; "" if it did not
	URL       string // of the last request: where the redirects led
}

// KeptOut is the Status where nobody was asked, since the host's robots.txt
// forbids it.
const KeptOut = -1

// Telling reports whether an answer says something about the file, and not
// only that the server would not or could not say it.
func (p Probe) Telling() bool {
	return p.Status >= 200 && p.Status < 500 && p.Status != http.StatusTooManyRequests
}

// words say what was answered.
func (p Probe) words() string {
	switch {
	case p.Status == KeptOut:
		return "was not asked: the robots.txt of its host forbids it"
	case p.URL == "":
		return "was not asked yet"
	case p.Status == 0:
		return "did not answer"
	}
	return strings.TrimSpace(fmt.Sprintf("answered %d %s", p.Status, p.MediaType))
}

// probeRule is the name of what follows from a Probe.
const probeRule = "probe"

func (p Probe) found() bool { return p.Status >= 200 && p.Status < 300 }

// Gone reports whether a server says that there is nothing.
func (p Probe) Gone() bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone
}

// Unproven returns the URLs that a Probe can tell more about: those of files,
// and of a landing page of which only a persistent identifier is known.
func (o Object) Unproven() []string {
	var out []string
	if o.LandingPage.Resolve {
		out = append(out, o.LandingPage.URL)
	}
	for _, item := range o.Items {
		out = append(out, item.URL)
	}
	return out
}

// Probed returns an object as Map made it, corrected by what servers answered,
// by URL: a file that is not there is dropped, a media type is the one that the
// server says, and a landing page is where its persistent identifier leads, if
// that is on the repository's own host. Any other answer changes nothing, and
// without Settings.Probe no answer does. What was changed goes to trace, which
// may be nil.
func (m Mapping) Probed(oaiIdentifier string, o Object, probes map[string]Probe, trace *Trace) Object {
	if !m.settings.Probe || len(probes) == 0 && trace == nil {
		return o
	}
	at := m.at(o.Origin)
	p := probing{hosts{identifier.SplitOAI(oaiIdentifier, at.platform.LocalPrefix).Host, at.hosts}, notes{trace: trace}}
	for _, url := range o.Unproven() {
		p.notes.append(Evidence{Rel: AnswerEvidence, Of: url, Value: probes[url].words(), From: "its server", Rule: probeRule})
	}
	if o.LandingPage.Resolve {
		o.LandingPage = p.page(o.LandingPage, probes[o.LandingPage.URL])
	}
	var items []ContentResource
	for _, item := range o.Items {
		if item, ok := p.file(item, probes[item.URL]); ok && !SameURL(item.URL, o.LandingPage.URL) {
			items = append(items, item)
		}
	}
	o.Items = items
	return o
}

// probing corrects an object by what servers answered.
type probing struct {
	hosts hosts
	notes notes
}

// page is the page to which a persistent identifier leads.
func (p probing) page(page LandingPage, answer Probe) LandingPage {
	address, ok := uri.Parse(answer.URL)
	if !answer.found() || !ok || !p.hosts.own(address.Host) || !isObject(address.Rest) {
		return page
	}
	url, _, _ := strings.Cut(answer.URL, "#")
	if _, err := linkset.Anchor(url); err != nil {
		return page
	}
	p.notes.acceptFrom("where "+page.URL+" leads", LandingPageEvidence, url, probeRule)
	return LandingPage{URL: url}
}

// isObject reports whether a redirect that ends at a path ends at an object:
// many that are broken end at the repository's front page, and those that are
// for members only at a page to log in.
func isObject(path string) bool {
	path = strings.ToLower(path)
	return strings.Trim(path, "/") != "" && !text.ContainsAny(path, "/login", "-login", "/signin", "/sign-in", "/shibboleth", "/sso")
}

// file is a file as its server has it; false if it is not there.
func (p probing) file(item ContentResource, answer Probe) (ContentResource, bool) {
	if answer.Gone() {
		p.notes.append(Evidence{
			Rel: relItem, Value: item.URL, From: "its server", Rule: probeRule, Rejected: true,
			Reason: fmt.Sprintf("the server answers %d: the file is not there", answer.Status),
		})
		return item, false
	}
	if t, ok := linkset.MediaType(answer.MediaType); ok && answer.found() && isBetter(t, item.MediaType) {
		item.MediaType = t
		p.notes.append(Evidence{Rel: MediaTypeEvidence, Of: item.URL, Value: t, From: "its server", Rule: probeRule})
	}
	return item, true
}

// isBetter reports whether the media type that a server says is to replace the
// one that the metadata says. A page is more often one to log in than a file,
// and a server that does not know a type says so in several ways.
func isBetter(said, stated string) bool {
	switch said {
	case stated, "text/html", "application/xhtml+xml", "binary/octet-stream", "application/force-download", "application/x-download", "application/download":
		return false
	case vocabulary.OctetStream:
		return stated == ""
	}
	return vocabulary.IsMediaType(said)
}
