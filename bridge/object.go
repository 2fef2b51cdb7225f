// Package bridge turns a record into links: crosswalks read metadata into an
// Object, Signpost turns an Object into a LinkSet. It is pure: no input, no
// output, no clock.
package bridge

import "strings"

// Object is a scholarly object on the web, as FAIR Signposting models it: a
// landing page, content resources, and what is known about them. Only what
// the metadata states is in it.
type Object struct {
	LandingPage LandingPage       `json:"landing_page,omitzero"`
	CiteAs      string            `json:"cite_as,omitempty"` // persistent identifier as an HTTP URI
	License     string            `json:"license,omitempty"` // canonical URI
	Type        string            `json:"type,omitempty"`    // schema.org (or other) class URI
	Authors     []string          `json:"authors,omitempty"` // persistent identifiers as HTTP URIs
	Items       []ContentResource `json:"items,omitempty"`
	// Aliases are further persistent identifiers of the object, as HTTP URIs:
	// they find it, but are not linked.
	Aliases []string `json:"aliases,omitempty"`
	// DescribedBy is metadata that the repository has beside its OAI-PMH
	// interface, such as that of an RO-Crate.
	DescribedBy []MetadataResource `json:"describedby,omitempty"`
	Year        int                `json:"year,omitempty"`      // of publication; 0 if not stated
	Documents   Documents          `json:"documents,omitempty"` // those that can be made of its records
	// Origin is the base URL of the repository whose object it is, where a mirror of
	// that was harvested; "" elsewhere.
	Origin string `json:"origin,omitempty"`
}

// detach gives o's texts memory of their own: those that the metadata states are
// parts of it, and gone when its memory is used again.
func (o *Object) detach() {
	for text := range o.texts {
		*text = strings.Clone(*text)
	}
}

// texts yields every text of o.
func (o *Object) texts(yield func(*string) bool) {
	more := yield(&o.LandingPage.URL) && yield(&o.CiteAs) && yield(&o.License) && yield(&o.Type)
	each := func(list []string) {
		for i := range list {
			more = more && yield(&list[i])
		}
	}
	documents := func(list []MetadataResource) {
		for i := range list {
			m := &list[i]
			more = more && yield(&m.URL) && yield(&m.MediaType) && yield(&m.Profile)
		}
	}
	each(o.Authors)
	each(o.Aliases)
	documents(o.DescribedBy)
	for i := range o.Items {
		item := &o.Items[i]
		more = more && yield(&item.URL) && yield(&item.MediaType) && yield(&item.Type) && yield(&item.CiteAs) &&
			yield(&item.License) && yield(&item.Profile)
		each(item.Authors)
		documents(item.DescribedBy)
	}
}

// LandingPage is the page for people. Its URL is the anchor of the object's
// links, byte for byte as the repository prints it.
type LandingPage struct {
	URL string `json:"url,omitempty"`
	// Resolve is set where only a persistent identifier is known, so that the
	// page's own address is what that identifier redirects to.
	Resolve bool `json:"resolve,omitempty"`
	// IsContent is set where the identifier leads to the content itself, such
	// as an article in HTML, so that there is no page about it.
	IsContent bool `json:"is_content,omitempty"`
}

// ContentResource is a file of the object. What is empty is not known, or does
// not differ from the object's.
type ContentResource struct {
	URL       string `json:"url"`
	MediaType string `json:"media_type,omitempty"`
	Type      string `json:"type,omitempty"`
	CiteAs    string `json:"cite_as,omitempty"`
	License   string `json:"license,omitempty"`
	Profile   string `json:"profile,omitempty"` // what it is beyond its media type, as a URI
	// Restricted is set where the landing page says that not everybody may open it.
	Restricted bool `json:"restricted,omitempty"`

	Authors     []string           `json:"authors,omitempty"`
	DescribedBy []MetadataResource `json:"describedby,omitempty"`
}

// MetadataResource is a document that describes the object.
type MetadataResource struct {
	URL       string `json:"url"`
	MediaType string `json:"media_type,omitempty"`
	Profile   string `json:"profile,omitempty"` // the namespace of its format, as a URI
}
