package bridge

// Documents says which documents the metadata states enough for.
type Documents int

const (
	Citation Documents = 1 << iota // schema.org, CSL-JSON, BibTeX, RIS: a title
	CDIF                           // and something about rights
	DataCite                       // and a creator, a publisher, a sure year, a type
)
