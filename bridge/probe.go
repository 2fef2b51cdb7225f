package bridge

import (
	"fmt"
	"net/http"
	"strings"

	"fingerpost/bridge/linkset"
)

// Probe is what a server answered when it was asked about a URL.
type Probe struct {
	Status    int    // behind all redirects; 0 if there was no answer, or KeptOut
	MediaType string // as the server said it; "" if it did not
	URL       string // which was asked last: where the redirects led
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

func (p Probe) gone() bool {
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

// Probed returns an object as Map made it, put right by what servers answered,
// by the URL that was asked about: a file that is not there is dropped, a
// media type is the one that the server says, and a landing page is where its
// persistent identifier leads, if that is on the repository's own host.
// Anything else that was answered changes nothing; so does everything unless
// the Settings say Probe. What was changed goes to trace, which may be nil.
func (m Mapping) Probed(identifier string, o Object, probes map[string]Probe, trace *Trace) Object {
	if !m.settings.Probe || len(probes) == 0 && trace == nil {
		return o
	}
	if trace != nil {
		for _, uri := range o.Unproven() {
			trace.Evidence = append(trace.Evidence, Evidence{Rel: AnswerEvidence, Of: uri, Value: probes[uri].words(), From: "its server", Rule: probeRule})
		}
	}
	d := decision{mapping: &m, identifier: splitIdentifier(identifier, m.platform.localPrefix), trace: trace}
	if o.LandingPage.Resolve {
		o.LandingPage = d.resolved(o.LandingPage, probes[o.LandingPage.URL])
	}
	var items []ContentResource
	for _, item := range o.Items {
		if item, ok := d.proven(item, probes[item.URL]); ok && !SameURL(item.URL, o.LandingPage.URL) {
			items = append(items, item)
		}
	}
	o.Items = items
	return o
}

// resolved is the page to which a persistent identifier leads.
func (d *decision) resolved(page LandingPage, p Probe) LandingPage {
	address, ok := parseAddress(p.URL)
	if !p.found() || !ok || !d.ownHost(address.host) || !isPage(address.rest) {
		return page
	}
	uri, _, _ := strings.Cut(p.URL, "#")
	if _, err := linkset.Anchor(uri); err != nil {
		return page
	}
	d.acceptFrom("where "+page.URL+" leads", LandingPageEvidence, uri, probeRule)
	return LandingPage{URL: uri}
}

// isPage reports whether a redirect that ends at a path ends at an object:
// many that are broken end at the repository's front page, and those that are
// for members only where one logs in.
func isPage(path string) bool {
	path = strings.ToLower(path)
	return strings.Trim(path, "/") != "" && !containsAny(path, []string{"/login", "-login", "/signin", "/sign-in", "/shibboleth", "/sso"})
}

// proven is a file as its server has it; false if it is not there.
func (d *decision) proven(item ContentResource, p Probe) (ContentResource, bool) {
	if p.gone() {
		if d.trace != nil {
			d.trace.Evidence = append(d.trace.Evidence, Evidence{
				Rel: relItem, Value: item.URL, From: "its server", Rule: probeRule, Rejected: true,
				Reason: fmt.Sprintf("the server answers %d: the file is not there", p.Status),
			})
		}
		return item, false
	}
	if t, ok := linkset.MediaType(p.MediaType); ok && p.found() && isBetter(t, item.MediaType) {
		item.MediaType = t
		if trace := d.trace; trace != nil {
			trace.Evidence = append(trace.Evidence, Evidence{Rel: MediaTypeEvidence, Of: item.URL, Value: t, From: "its server", Rule: probeRule})
		}
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
	case octetStream:
		return stated == ""
	}
	return isMediaType(said)
}
