package description

import "fingerpost/bridge"

// Document is a form in which a description is published.
type Document struct {
	Name        string // of its file
	MediaType   string // of links to it
	Profile     string // of links to it; "" if it has none
	ContentType string // of the answer
	Needs       bridge.Documents

	build func(*Description) node
	write func(*node, []byte) []byte
}

// Documents are all of them. JSON-LD is first: a header that has no room for
// all links keeps the first.
var Documents = [...]Document{
	{"schema.jsonld", "application/ld+json", "https://schema.org/", "application/ld+json", bridge.Citation, schemaOrg, writeJSON},
	// The text of CDIF wants a word as the profile, FAIR Signposting a URI: so
	// there are two addresses.
	{"cdif.jsonld", "application/ld+json", "CDIF1.0", `application/ld+json; profile="CDIF1.0"`, bridge.CDIF, schemaOrg, writeJSON},
	{"datacite.json", "application/vnd.datacite.datacite+json", "", "application/vnd.datacite.datacite+json", bridge.DataCite, dataCite, writeJSON},
	{"csl.json", "application/vnd.citationstyles.csl+json", "", "application/vnd.citationstyles.csl+json", bridge.Citation, csl, writeJSON},
	{"citation.bib", "application/x-bibtex", "", "application/x-bibtex; charset=utf-8", bridge.Citation, bibTeX, writeBibTeX},
	{"citation.ris", "application/x-research-info-systems", "", "application/x-research-info-systems; charset=utf-8", bridge.Citation, ris, writeRIS},
	{"dcat.jsonld", "application/ld+json", dcatProfile, "application/ld+json", bridge.DCAT, dcat, writeJSON},
}

func writeJSON(n *node, b []byte) []byte { return append(n.json(b, 0), '\n') }

// Named returns the document with a name.
func Named(name string) (Document, bool) {
	for _, d := range Documents {
		if d.Name == name {
			return d, true
		}
	}
	return Document{}, false
}

// ProfileIn is the profile of a link to the document of an object.
func (d *Document) ProfileIn(complete bridge.Documents) string {
	if d.Name == "schema.jsonld" && complete&bridge.CDIF != 0 {
		return discoveryProfile
	}
	return d.Profile
}

// Complete says which documents the description is complete enough for.
func (d *Description) Complete() bridge.Documents { return d.complete }

func complete(d *Description) (out bridge.Documents) {
	for _, of := range []bridge.Documents{bridge.Citation, bridge.CDIF, bridge.DataCite, bridge.DCAT} {
		if len(missing(d, of)) == 0 {
			out |= of
		}
	}
	return out
}

// Render writes a document; false if the record does not state enough for it.
func (d *Description) Render(doc Document) ([]byte, bool) {
	if d.complete&doc.Needs == 0 {
		return nil, false
	}
	n := doc.build(d)
	return doc.write(&n, make([]byte, 0, 4096)), true
}

// Lines returns every value of a document with where it comes from.
func (d *Description) Lines(doc Document) []Line {
	if d.complete&doc.Needs == 0 {
		return nil
	}
	n := doc.build(d)
	return n.lines(nil, "")
}
