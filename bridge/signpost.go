package bridge

import "fingerpost/bridge/linkset"

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
	typeHTML      = "text/html"
	typeJSONLinks = "application/linkset+json"
	typeTextLinks = "application/linkset"
)

// Gateway is the gateway's own addresses for an object; "" where it has none.
type Gateway struct {
	LinkSetJSON string
	LinkSetText string
	Inbox       string // where COAR Notify notifications about it go
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
	w := links{list: make(linkset.LinkSet, 0, 12+4*len(o.Items)+2*len(metadata))}
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
	w.add(relCiteAs, o.CiteAs, "", "")
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
	if w.from(anchor) {
		w.landingPage(o, metadata, g)
	}
	for _, item := range o.Items {
		w.item(o, item, anchor, g)
	}
	for _, m := range metadata {
		w.metadata(m, anchor)
	}
}

// from begins the links of an anchor, and tells whether they are wanted.
func (w *links) from(anchor string) bool {
	w.anchor = anchor
	return w.only == "" || w.only == anchor
}

func (w *links) add(rel, href, mediaType, profile string) {
	if href == "" {
		return
	}
	target, err := linkset.Target(href)
	if err != nil {
		return
	}
	w.list = append(w.list, linkset.Link{Anchor: w.anchor, Rel: rel, Href: target, Type: mediaType, Profile: profile})
}

// landingPage adds the links of FAIR Signposting, 2.1.1 and 2.2.1.
func (w *links) landingPage(o Object, metadata []MetadataResource, g Gateway) {
	w.add(relCiteAs, o.CiteAs, "", "")
	w.add(relType, o.Type, "", "")
	if o.Type != aboutPage {
		w.add(relType, aboutPage, "", "")
	}
	for _, a := range o.Authors {
		w.add(relAuthor, a, "", "")
	}
	w.add(relLicense, o.License, "", "")
	for _, item := range o.Items {
		if item.URL != o.LandingPage.URL {
			w.add(relItem, item.URL, item.MediaType, "")
		}
	}
	for _, m := range metadata {
		w.add(relDescribedBy, m.URL, m.MediaType, m.Profile)
	}
	w.linkSets(g)
	w.add(relInbox, g.Inbox, "", "")
}

// item adds the links of a content resource: FAIR Signposting, 2.1.2 and
// 2.2.2. What it shares with the object is not repeated.
func (w *links) item(o Object, item ContentResource, landingPage string, g Gateway) {
	anchor, err := linkset.Target(item.URL)
	if err != nil || item.URL == o.LandingPage.URL || !w.from(anchor) {
		return
	}
	w.add(relCollection, landingPage, typeHTML, "")
	if item.Type != o.Type {
		w.add(relType, item.Type, "", "")
	}
	if item.CiteAs != o.CiteAs {
		w.add(relCiteAs, item.CiteAs, "", "")
	}
	if item.License != o.License {
		w.add(relLicense, item.License, "", "")
	}
	w.linkSets(g)
	w.add(relInbox, g.Inbox, "", "")
}

// metadata adds the way back from a metadata document: COAR Notify.
func (w *links) metadata(m MetadataResource, landingPage string) {
	anchor, err := linkset.Target(m.URL)
	if err != nil || !w.from(anchor) {
		return
	}
	w.add(relDescribes, landingPage, typeHTML, "")
}

// linkSets makes the link set discoverable: FAIR Signposting, 2.2. JSON comes
// first, since clients take the first.
func (w *links) linkSets(g Gateway) {
	w.add(relLinkSet, g.LinkSetJSON, typeJSONLinks, "")
	w.add(relLinkSet, g.LinkSetText, typeTextLinks, "")
}
