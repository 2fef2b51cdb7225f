// Package bridge turns a record into links: crosswalks read metadata into an
// Object, Signpost turns an Object into a LinkSet. It is pure: no input, no
// output, no clock.
package bridge

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
	Year    int      `json:"year,omitempty"` // of publication; 0 if not stated
}

// LandingPage is the page for people. Its URL is the anchor of the object's
// links, byte for byte as the repository prints it.
type LandingPage struct {
	URL string `json:"url,omitempty"`
	// Resolve is set where only a persistent identifier is known, so that the
	// page's own address is what that identifier redirects to.
	Resolve bool `json:"resolve,omitempty"`
}

// ContentResource is a file of the object. MediaType, Type, CiteAs and
// License are "" where they are not known or do not differ from the object's.
type ContentResource struct {
	URL       string `json:"url"`
	MediaType string `json:"media_type,omitempty"`
	Type      string `json:"type,omitempty"`
	CiteAs    string `json:"cite_as,omitempty"`
	License   string `json:"license,omitempty"`
}

// MetadataResource is a document that describes the object.
type MetadataResource struct {
	URL       string
	MediaType string
	Profile   string // the namespace of its format, as a URI
}
