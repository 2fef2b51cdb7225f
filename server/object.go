package server

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/store"
)

// objectPage is the page of an object.
type objectPage struct {
	page
	Heading, Identifier string
	Authors             []string
	Year, Kind, Licence string
	Stamped, Changed    time.Time
	Deleted             bool
	Reason              string
	Arms                []arm
	Rejected            []bridge.RejectedValue
	Records             []shownRecord
}

// arm is one of the arms of a fingerpost: the links with one relation.
type arm struct {
	Name, Rel string
	Links     []bridge.ExplainedLink
}

// shownRecord is metadata as it was received.
type shownRecord struct {
	Prefix, XML string
	Cut         bool
}

const objectPageKind = "page"

// serveObject shows an object to people, and leads machines to its link set.
func (s documents) serveObject(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	if prefersLinkSet(r.Header.Get("Accept")) {
		return s.serveNegotiated(w, r, repo, v)
	}
	at := cacheKey{objectPageKind, s.urls.object(repo.ID, v.key)}
	d, err := s.ofObject(r.Context(), repo, v.key, at, func(o store.Object) (*document, error) { return s.objectPage(r.Context(), repo, o) })
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	d.serve(w, r, s.Now())
	return nil
}

// prefersLinkSet reports whether a client would rather have a link set than a
// page: who asks for anything is a person.
func prefersLinkSet(accept string) bool {
	page, _ := quality(accept, "text", "html")
	best := 0.0
	for _, subtype := range []string{"linkset+json", "linkset", "json"} {
		if q, specificity := quality(accept, "application", subtype); specificity == exact {
			best = max(best, q)
		}
	}
	return best > 0 && best >= page
}

func (s documents) objectPage(ctx context.Context, repo *repository, o store.Object) (*document, error) {
	records, err := s.store.Records(ctx, repo.ID, o.Identifier)
	if err != nil {
		return nil, err
	}
	explained, err := s.explained(ctx, repo, o)
	if err != nil {
		return nil, err
	}
	shown := objectPage{
		page: s.page(o.Identifier, &shownLink{repo.Name, s.urls.repository(repo.ID)}), Heading: cmp.Or(o.LandingPage.URL, o.Identifier), Identifier: o.Identifier,
		Kind: kindOf(o.Type), Licence: licenceName(o.License), Stamped: o.LastMod, Changed: repo.changed(o.Modified), Deleted: o.Deleted,
		Reason: explained.Reason, Arms: arms(explained.Links), Rejected: explained.Rejected, Records: shownRecords(records),
	}
	shown.describe(sourceOf(repo, o, records))
	if shown.Data, err = s.data(ctx, repo, o); err != nil {
		return nil, err
	}
	d := s.rendered("object", shown, shown.Changed)
	if d.links = append(d.links, repo.signpost(o).From(anchor(o.LandingPage.URL)).Rel("linkset").Header()...); o.Deleted {
		d.status = http.StatusGone
	}
	return d.sealed(), nil
}

// explained is what led to the links of an object; without reasons if the
// gateway does not explain.
func (s documents) explained(ctx context.Context, repo *repository, o store.Object) (bridge.Explanation, error) {
	if s.Explain != nil {
		return s.Explain(ctx, o)
	}
	var e bridge.Explanation
	for _, l := range repo.signpost(o).From(anchor(o.LandingPage.URL)) {
		e.Links = append(e.Links, bridge.ExplainedLink{Anchor: l.Anchor, Rel: l.Rel, Href: l.Href, Type: l.Type, Profile: l.Profile})
	}
	return e, nil
}

// describe takes title, authors and year from what the records state.
func (p *objectPage) describe(source description.Source) {
	d, err := description.Read(source)
	if err != nil {
		return // the page says what it can without them
	}
	if len(d.Titles) > 0 {
		p.Heading = d.Titles[0].Text
		p.Title = p.Heading
	}
	for _, a := range d.Creators {
		p.Authors = append(p.Authors, a.Name.Text)
	}
	p.Year, _, _ = strings.Cut(d.Issued.Text, "-")
}

// data is the JSON-LD of an object in its element; "" if its record states too
// little.
func (s documents) data(ctx context.Context, repo *repository, o store.Object) (template.HTML, error) {
	form, _ := description.Named("schema.jsonld")
	d, err := s.described(ctx, repo, o, form)
	if errors.As(err, new(refusal)) || err == nil && len(d.body) > maxEmbedded {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// JSON in ASCII without <, > and &: see Embedded.
	return template.HTML("<script type=\"application/ld+json\">\n" + string(d.body) + "</script>"), nil
}

// armNames are what the relations are called in a page, in its order.
var armNames = []struct{ rel, name string }{
	{"cite-as", "To cite it"}, {"item", "Its files"}, {"license", "Licence"}, {"author", "Authors"}, {"type", "What it is"},
	{"describedby", "Metadata"}, {"linkset", "All links"},
}

// arms are the links of the landing page by relation, before them the page.
func arms(links []bridge.ExplainedLink) (out []arm) {
	page := ""
	by := map[string][]bridge.ExplainedLink{}
	for _, l := range links {
		if page == "" {
			page = l.Anchor
		}
		if l.Anchor == page {
			by[l.Rel] = append(by[l.Rel], l)
		}
	}
	if page != "" {
		out = append(out, arm{"Landing page", "", []bridge.ExplainedLink{{Href: page}}})
	}
	for _, a := range armNames {
		if len(by[a.rel]) > 0 {
			out = append(out, arm{a.name, a.rel, by[a.rel]})
		}
		delete(by, a.rel)
	}
	for _, l := range links { // such as that to an inbox
		if len(by[l.Rel]) > 0 {
			out = append(out, arm{l.Rel, l.Rel, by[l.Rel]})
			delete(by, l.Rel)
		}
	}
	return out
}

// shownRecordLimit is how much of a record a page shows, in bytes.
const shownRecordLimit = 16 << 10

func shownRecords(records []store.Record) (out []shownRecord) {
	for _, r := range records {
		if r.Deleted {
			continue
		}
		text := string(r.Metadata[:min(len(r.Metadata), shownRecordLimit)])
		out = append(out, shownRecord{r.Prefix, strings.ToValidUTF8(text, ""), len(text) < len(r.Metadata)}) // the last letter may be cut
	}
	return out
}

var (
	capital = regexp.MustCompile(`([a-z])([A-Z])`)
	ccParts = regexp.MustCompile(`^https?://creativecommons\.org/(licenses|publicdomain)/([a-z+-]+)/([0-9.]+)(?:/([a-z]+))?`)
)

// kindOf is the last part of a type's address in words.
func kindOf(address string) string {
	name := address[strings.LastIndexAny(address, "/#")+1:]
	return strings.ToLower(capital.ReplaceAllString(name, "$1 $2"))
}

// licenceName is a Creative Commons licence by its short name, or the address
// of another.
func licenceName(address string) string {
	m := ccParts.FindStringSubmatch(address)
	switch {
	case m == nil:
		return address
	case m[2] == "zero":
		return strings.TrimSpace("CC0 " + m[3])
	case m[1] == "publicdomain":
		return "Public Domain Mark " + m[3]
	}
	return strings.TrimSpace("CC " + strings.ToUpper(m[2]) + " " + m[3] + " " + strings.ToUpper(m[4]))
}
