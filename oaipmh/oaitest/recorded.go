package oaitest

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"fingerpost/oaipmh"
)

// Verbatim returns a repository whose only page is a recorded answer, byte by
// byte, whatever is wrong with it; only the resumptionToken is put in. Its
// format is that which the first record shows. Records without an OAI-PMH root,
// or metadata alone, are wrapped in one. Dates and sets are not heeded.
func Verbatim(body []byte, o Options) (*Repository, error) {
	body = asAnswer(body)
	if !listVerb.Match(body) {
		return nil, errors.New("what is recorded is no answer with records")
	}
	metadata := firstMetadata(body)
	r := New(o)
	r.recorded = &recording{body, formatOf(prefixOf(metadata), metadata)}
	return r, nil
}

// recording is a page as it was recorded.
type recording struct {
	page   []byte
	format oaipmh.MetadataFormat
}

// lastToken is that of a list's last page. OAI-PMH 3.5.
const lastToken = "<resumptionToken/>"

// list gives the page as all of its list.
func (r *recording) list(verb string) answer {
	if verb == "ListIdentifiers" {
		return answer{body: func(b []byte, _ string) []byte { return appendHeaders(b, r.page) }}
	}
	return answer{raw: asLast(r.page)}
}

// asLast returns a recorded answer as the last answer to ListRecords. Nothing
// but the verb and the token is changed.
func asLast(body []byte) []byte {
	body = tokenPart.ReplaceAll(body, nil)
	body = verbElement.ReplaceAll(body, []byte("<${1}ListRecords"))
	ends := listEnd.FindAllIndex(body, -1)
	if ends == nil {
		return body
	}
	at := ends[len(ends)-1][0]
	return slices.Concat(body[:at], []byte(lastToken), body[at:])
}

// appendHeaders appends ListIdentifiers for the records of a recorded answer.
func appendHeaders(b, body []byte) []byte {
	b = append(b, "<ListIdentifiers>\n"...)
	p, _ := oaipmh.ReadPage(body, "")
	for _, r := range p.Records {
		b = appendHeader(b, r.Header)
	}
	return append(b, lastToken+"</ListIdentifiers>\n"...)
}

// prefixes are the names under which formats usually go.
var prefixes = map[string]string{
	"http://www.openarchives.org/OAI/2.0/oai_dc/": "oai_dc",
	"http://schema.datacite.org/oai/oai-1.0/":     "oai_datacite",
	"http://schema.datacite.org/oai/oai-1.1/":     "oai_datacite",
	"http://datacite.org/schema/kernel-4":         "datacite",
	"http://datacite.org/schema/kernel-3":         "datacite3",
	"http://datacite.org/schema/kernel-2.2":       "datacite2",
	"http://www.loc.gov/mods/v3":                  "mods",
	"http://www.loc.gov/METS/":                    "mets",
	"http://www.loc.gov/MARC21/slim":              "marc21",
	"http://www.isotc211.org/2005/gmd":            "iso19139",
	"http://www.dspace.org/xmlns/dspace/dim":      "dim",
}

var notInPrefix = regexp.MustCompile(`[^A-Za-z0-9_.!~*'()-]+`)

// prefixOf is the usual metadataPrefix of metadata, or one made from its
// namespace. Metadata without any is taken for oai_dc.
func prefixOf(metadata []byte) string {
	namespace := formatOf("", metadata).Namespace
	if prefix := prefixes[namespace]; prefix != "" {
		return prefix
	}
	trimmed := strings.Trim(namespace, "/#")
	name := notInPrefix.ReplaceAllString(trimmed[strings.LastIndexByte(trimmed, '/')+1:], "_")
	return cmp.Or(name, "oai_dc")
}

// firstMetadata is that of the first record of a recorded answer.
func firstMetadata(body []byte) []byte {
	p, _ := oaipmh.ReadPage(body, "")
	for _, r := range p.Records {
		if !r.Deleted {
			return r.Metadata
		}
	}
	return nil
}

var (
	answerRoot  = regexp.MustCompile(`<(?:[\w.-]+:)?OAI-PMH[\s>]`)
	prolog      = regexp.MustCompile(`^\s*<\?xml[^>]*\?>`)
	recordsRoot = regexp.MustCompile(`(?s)^\s*<records[^>]*>(.*)</records>\s*$`)
	recordRoot  = regexp.MustCompile(`^\s*<(?:[\w.-]+:)?record[\s>]`)
	verbElement = regexp.MustCompile(`<(/?(?:[\w.-]+:)?)(?:GetRecord|ListIdentifiers)\b`)
	listVerb    = regexp.MustCompile(`<(?:[\w.-]+:)?(?:GetRecord|ListIdentifiers|ListRecords)[\s>]`)
	tokenPart   = regexp.MustCompile(`(?s)<(?:[\w.-]+:)?resumptionToken\b[^>]*?(?:/>|>.*?</(?:[\w.-]+:)?resumptionToken\s*>)\s*`)
	listEnd     = regexp.MustCompile(`</(?:[\w.-]+:)?ListRecords\s*>`)
)

// asAnswer makes what is recorded an answer to ListRecords. A document that is
// no record is given a header.
func asAnswer(body []byte) []byte {
	if answerRoot.Match(body) {
		return body
	}
	inside := prolog.ReplaceAll(body, nil)
	if m := recordsRoot.FindSubmatch(inside); m != nil {
		inside = m[1]
	} else if !recordRoot.Match(inside) {
		header := appendHeader(nil, oaipmh.Header{Identifier: "oai:recorded:1", Datestamp: "2020-01-01"})
		inside = slices.Concat([]byte("<record>"), header, []byte("<metadata>"), inside, []byte("</metadata></record>"))
	}
	return slices.Concat([]byte(rootTag+"<ListRecords>\n"), inside, []byte("\n</ListRecords>\n</OAI-PMH>\n"))
}
