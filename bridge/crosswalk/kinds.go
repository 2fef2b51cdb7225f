package crosswalk

import "fingerpost/bridge/element"

// Scope is how much of a record is read.
type Scope uint8

const (
	// Links are the kinds that links are made of. Their values are cleaned up.
	Links Scope = iota
	// All is everything that the record states. The values are as stated, but
	// for white space.
	All
	// brief is Links where the rest of a record is read: of it, only what says
	// which documents can be made.
	brief
)

// Kind is what a statement is about, in the metadata's own terms.
type Kind uint8

const (
	// Dublin Core's: loose words, from which the decisions must find out
	// what is meant.
	Identifier Kind = iota // of the object, its page, its file, or its citation
	Relation
	Source
	Rights
	Type
	Format
	Creator // a name or an identifier, or both
	Date    // of publication, or of which nothing is said
	// Those of formats that say what they mean.
	CreatorID
	Page    // the page for people
	PID     // the object's identifier
	File    // a file of the object
	Licence // the licence, as a URI or a code
	Related // something else: Qualifier says what
	// Those of landing pages, which say what they say to people.
	Offered   // a file; Qualifier: "restricted" if the page says so
	Described // a document that describes the object
	// Those of which links need to know only that they are stated: without them
	// there are documents that cannot be made.
	Title       // Qualifier: "alternative", "subtitle", "translated" … as stated; "" is the title
	CreatorName // a creator's name, of which links need only the identifiers
	Publisher

	// The rest has no part in links: only All has it.

	Contributor // a name; Qualifier: the role
	ContributorID
	// What is said of the creator or contributor of the same Group; Qualifier: the
	// role of a contributor.
	FamilyName
	GivenName
	NameType // of a person or of an organisation
	Affiliation
	AffiliationID

	Description // Qualifier: "abstract", "methods", "table of contents" … as stated
	Subject     // Scheme: the vocabulary
	SubjectURI
	OtherDate // Qualifier: "submitted", "available" … as stated
	PublisherID
	Place // of publication
	Journal
	Event // such as a conference
	ISSN
	ISBN
	Volume
	Issue
	FirstPage
	LastPage
	Pages
	ArticleNumber
	Edition
	Citation
	Language
	Access
	RightsHolder
	// Of one funding, by Group.
	Funder
	FunderID
	Award
	AwardURI
	AwardTitle
	RelatedTitle // of the Related of the same Group
	Coverage     // Qualifier: "spatial", "temporal", or as stated
	Coordinates  // of one place, by Group; Qualifier: which
	Extent
	// Of the File of the same Group.
	FileName
	FileSize
	Version
	Degree // Qualifier: name, level, discipline or grantor
	Audience
	Note // anything else; Qualifier says what

	kinds       = iota
	lastOfLinks = Publisher
)

// kindNames are those of the kinds, in their order.
var kindNames = [kinds]string{
	"Identifier", "Relation", "Source", "Rights", "Type", "Format", "Creator", "Date",
	"CreatorID", "Page", "PID", "File", "Licence", "Related", "Offered", "Described", "Title", "CreatorName", "Publisher",
	"Contributor", "ContributorID", "FamilyName", "GivenName", "NameType", "Affiliation", "AffiliationID",
	"Description", "Subject", "SubjectURI", "OtherDate", "PublisherID", "Place", "Journal", "Event", "ISSN", "ISBN",
	"Volume", "Issue", "FirstPage", "LastPage", "Pages", "ArticleNumber", "Edition", "Citation", "Language", "Access", "RightsHolder",
	"Funder", "FunderID", "Award", "AwardURI", "AwardTitle", "RelatedTitle", "Coverage", "Coordinates", "Extent",
	"FileName", "FileSize", "Version", "Degree", "Audience", "Note",
}

func (k Kind) String() string { return kindNames[k] }

// Statement is one value that the metadata states.
type Statement struct {
	Kind
	Doc       uint8           // the place in Docs of the record it stands in
	Group     uint16          // equal for neighbours that are said of one person, funder, place or file
	At        element.Element // where it stands
	Attr      string          // the attribute of At whose value it is; "" is its text
	Value     string
	Scheme    string // what the metadata calls it: "DOI", "ORCID", a vocabulary; of a file: its class
	Qualifier string // which of its kind it is, as the metadata says; of a contributor: the role
	Lang      string // of the text; only with All
	Media     string // of a file: its media type as stated
	Licence   string // of a file: its own licence as stated
}

// InLinks reports whether links are made of a statement: of the others they need
// to know only that they are there.
func (s Statement) InLinks() bool { return s.Kind < Title }
