package bridge

import (
	"fingerpost/oaipmh"
)

// Record is one record in one format, as the mapping takes it.
type Record struct {
	Prefix    string
	Datestamp string
	Sets      []string
	Metadata  []byte
}

// Learned is what a repository's records and answers taught about it.
type Learned struct {
	Platform    string   `json:"platform,omitempty"`     // "" = unknown: the generic procedure alone
	OwnPrefixes []string `json:"own_prefixes,omitempty"` // DOI and Handle prefixes that are its own
}

// Mapping says how the records of one repository become Objects.
type Mapping struct {
	BaseURL string // of its OAI-PMH interface
	Learned
	Settings
}

// Settings are what an administrator may say about a repository's mapping.
type Settings struct {
	// LandingPage is a template for the landing page, such as
	// "https://repo.example.edu/records/{local}"; "" reads it from the metadata.
	LandingPage string
	// Hosts are further names under which the repository is known.
	Hosts []string
	// CiteAs is "" (a persistent identifier only) or "landing_page".
	CiteAs string
	// CiteAsPublishedDOI allows a publisher's DOI where there is no own identifier.
	CiteAsPublishedDOI bool
}

var _ = oaipmh.Record{}
