package bridge

import (
	"slices"

	"fingerpost/bridge/linkset"
)

// The relation types of the FAIR Signposting Profile, 1.3, and what goes with
// them. No other file of the gateway says which of them an Object's parts get.
const (
	relCiteAs      = "cite-as"
	relType        = "type"
	relAuthor      = "author"
	relLicense     = "license"
	relItem        = "item"
	relCollection  = "collection"
	relDescribedBy = "describedby"
	relDescribes   = "describes"
	relLinkSet     = "linkset"
	relInbox       = "http://www.w3.org/ns/ldp#inbox" // Linked Data Notifications; COAR Notify

	aboutPage     = "https://schema.org/AboutPage"
	profilePage   = "https://schema.org/ProfilePage"
	person        = "https://schema.org/Person"
	typeHTML      = "text/html"
	typeJSONLinks = "application/linkset+json"
	typeTextLinks = "application/linkset"
)

// Gateway is the gateway's own addresses for an object; "" where it has none.
type Gateway struct {
	LinkSetJSON string
	LinkSetText string
	Inbox       string // where COAR Notify notifications about it go
	// Documents are made of what the records state. They come before all others
	// that describe the object: a header that is full keeps the first.
	Documents []MetadataResource
}

// Signpost returns all links of an object: those of its landing page first,
// then those of every file, then those of every metadata document. A link
// whose target cannot be written on the wire is left out; an object whose
// landing page cannot be an anchor has no links.
//
// A landing page is an anchor as the repository prints it, for clients compare
// it with the address they asked for. Files and metadata are anchors as they
// are targets, so that a client can join the two.
func Signpost(o Object, metadata []MetadataResource, g Gateway) linkset.LinkSet {
	var w links
	w.object(o, metadata, g)
	return w.list
}

// SignpostFrom returns those links of an object whose context is anchor, as
// Signpost(o, metadata, g).From(anchor) would at several times the cost.
func SignpostFrom(anchor string, o Object, metadata []MetadataResource, g Gateway) linkset.LinkSet {
	w := links{only: anchor}
	w.object(o, metadata, g)
	return w.list
}

// Tombstone returns the links of an object that was deleted: its identifier
// is still what to cite it as.
func Tombstone(o Object) linkset.LinkSet {
	anchor, err := linkset.Anchor(o.LandingPage.URL)
	if err != nil {
		return nil
	}
	w := links{anchor: anchor}
	w.add(relCiteAs, target(o.CiteAs), "", "")
	return w.list
}

// links collects links from one anchor after the other.
type links struct {
	only   string // the one anchor whose links are wanted; "": of all
	anchor string
	list   linkset.LinkSet
}

func (w *links) object(o Object, metadata []MetadataResource, g Gateway) {
	anchor, err := linkset.Anchor(o.LandingPage.URL)
	if err != nil {
		return
	}
	if len(o.DescribedBy)+len(g.Documents) > 0 {
		metadata = slices.Concat(g.Documents, o.DescribedBy, metadata)
	}
	t := targets{make([]string, 0, len(o.Items)), make([]string, 0, len(metadata))}
	for _, item := range o.Items {
		t.items = append(t.items, target(item.URL))
	}
	for _, m := range metadata {
		t.metadata = append(t.metadata, target(m.URL))
	}
	page := target(anchor)
	g = Gateway{LinkSetJSON: target(g.LinkSetJSON), LinkSetText: target(g.LinkSetText), Inbox: target(g.Inbox)}
	if w.from(anchor) {
		w.landingPage(o, metadata, t, g)
	}
	for i, item := range o.Items {
		if t.items[i] != "" && item.URL != o.LandingPage.URL && w.from(t.items[i]) {
			w.item(o, item, page, g)
		}
	}
	for _, m := range t.metadata {
		if m != "" && w.from(m) {
			w.add(relDescribes, page, typeHTML, "") // the way back: COAR Notify
		}
	}
}

// targets are what links of an object lead to, and others come from.
type targets struct{ items, metadata []string }

// target is raw as the target of a link; "" if it cannot be written.
func target(raw string) string {
	if raw == "" {
		return ""
	}
	t, err := linkset.Target(raw)
	if err != nil {
		return ""
	}
	return t
}

// from begins the links of an anchor, and reports whether they are wanted.
func (w *links) from(anchor string) bool {
	w.anchor = anchor
	return w.only == "" || w.only == anchor
}

// add adds a link, unless it has no target.
func (w *links) add(rel, target, mediaType, profile string) {
	if target != "" {
		w.list = append(w.list, linkset.Link{Anchor: w.anchor, Rel: rel, Href: target, Type: mediaType, Profile: profile})
	}
}

// landingPage adds the links of FAIR Signposting, 2.1.1 and 2.2.1.
func (w *links) landingPage(o Object, metadata []MetadataResource, t targets, g Gateway) {
	n := 6 + len(o.Authors) + len(o.Items) + len(metadata) // links of most pages
	if w.only == "" {
		n += 4*len(o.Items) + len(metadata)
	}
	w.list = make(linkset.LinkSet, 0, n)
	w.add(relCiteAs, target(o.CiteAs), "", "")
	w.add(relType, target(o.Type), "", "")
	if kind := pageType(o); kind != o.Type {
		w.add(relType, kind, "", "")
	}
	for _, a := range o.Authors {
		w.add(relAuthor, target(a), "", "")
	}
	w.add(relLicense, target(o.License), "", "")
	for i, item := range o.Items {
		if item.URL != o.LandingPage.URL {
			w.add(relItem, t.items[i], item.MediaType, item.Profile)
		}
	}
	for i, m := range metadata {
		w.add(relDescribedBy, t.metadata[i], m.MediaType, m.Profile)
	}
	w.own(g)
}

// pageType is the class of the landing page itself; "" if it is the content.
// FAIR Signposting, 2.1.1.
func pageType(o Object) string {
	switch {
	case o.LandingPage.IsContent:
		return ""
	case o.Type == person:
		return profilePage
	}
	return aboutPage
}

// item adds the links of a content resource: FAIR Signposting, 2.1.2 and
// 2.2.2. What it shares with the object is not repeated.
func (w *links) item(o Object, item ContentResource, landingPage string, g Gateway) {
	w.add(relCollection, landingPage, typeHTML, "")
	if item.Type != o.Type {
		w.add(relType, target(item.Type), "", "")
	}
	if item.CiteAs != o.CiteAs {
		w.add(relCiteAs, target(item.CiteAs), "", "")
	}
	if !slices.Equal(item.Authors, o.Authors) {
		for _, a := range item.Authors {
			w.add(relAuthor, target(a), "", "")
		}
	}
	if item.License != o.License {
		w.add(relLicense, target(item.License), "", "")
	}
	for _, m := range item.DescribedBy {
		w.add(relDescribedBy, target(m.URL), m.MediaType, m.Profile)
	}
	w.own(g)
}

// own adds the gateway's links. They make the link set discoverable: FAIR
// Signposting, 2.2. JSON comes first, since clients take the first.
func (w *links) own(g Gateway) {
	w.add(relLinkSet, g.LinkSetJSON, typeJSONLinks, "")
	w.add(relLinkSet, g.LinkSetText, typeTextLinks, "")
	w.add(relInbox, g.Inbox, "", "")
}
