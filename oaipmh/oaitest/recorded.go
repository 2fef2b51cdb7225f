package oaitest

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"fingerpost/oaipmh"
)

// Recorded returns a repository whose records are those of the recorded
// answers in fsys: every file *.xml below it that holds an answer to
// ListRecords or GetRecord, a bare record, or records in some other element.
// What cannot be read as a record is left out. Formats are told by the
// namespaces that the records show.
func Recorded(fsys fs.FS, o Options) (*Repository, error) {
	var records []Record
	index := map[string]int{}
	err := walk(fsys, func(name string, body []byte) {
		p, err := oaipmh.ReadPage(asAnswer(name, body), "")
		if err != nil {
			return
		}
		for _, r := range p.Records {
			i, met := index[r.Identifier]
			if !met {
				i = len(records)
				index[r.Identifier] = i
				records = append(records, Record{Header: r.Header, Formats: map[string]string{}})
			}
			if !r.Deleted {
				records[i].Formats[prefixOf(r.Metadata)] = string(r.Metadata)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("no record in any *.xml of the folder")
	}
	return New(o, records...), nil
}

// Verbatim returns a repository whose pages are the files *.xml below fsys,
// byte by byte, whatever is wrong with them. Each list, one per format, has
// the files as its pages whose first record shows that format, in the order
// of their names; only the resumptionToken is put in. Files without an
// OAI-PMH root are wrapped in one, answers to other verbs and errors are left
// out. Dates and sets are not heeded.
func Verbatim(fsys fs.FS, o Options) (*Repository, error) {
	rec := &recording{pages: map[string][][]byte{}}
	err := walk(fsys, func(name string, body []byte) {
		body = asAnswer(name, body)
		if !listVerb.Match(body) {
			return
		}
		prefix := prefixOf(firstMetadata(body))
		rec.pages[prefix] = append(rec.pages[prefix], body)
		if !slices.ContainsFunc(rec.offered, func(f oaipmh.MetadataFormat) bool { return f.Prefix == prefix }) {
			rec.offered = append(rec.offered, formatOf(prefix, firstMetadata(body)))
		}
	})
	if err != nil {
		return nil, err
	}
	if len(rec.offered) == 0 {
		return nil, fmt.Errorf("no *.xml in the folder")
	}
	slices.SortFunc(rec.offered, func(a, b oaipmh.MetadataFormat) int { return cmp.Compare(a.Prefix, b.Prefix) })
	r := New(o)
	r.pages = rec
	return r, nil
}

func walk(fsys fs.FS, fn func(name string, body []byte)) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".xml") {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err == nil {
			fn(name, body)
		}
		return err
	})
}

// recording is a repository of verbatim pages.
type recording struct {
	pages   map[string][][]byte // by prefix
	offered []oaipmh.MetadataFormat
}

func (r *recording) formats() []oaipmh.MetadataFormat { return slices.Clone(r.offered) }

// list gives a file as a page of its list.
func (r *recording) list(verb string, start position) answer {
	pages := r.pages[start.prefix]
	n := start.number
	if n < 1 || n > len(pages) {
		return protocolError(oaipmh.BadResumptionToken, "there is no page %d", n)
	}
	token := "<resumptionToken/>"
	if n < len(pages) {
		next := start
		next.number++
		token = string(escapedElement(nil, "resumptionToken", next.token()))
	}
	if verb == "ListIdentifiers" {
		return answer{body: func(b []byte, _ string) []byte { return appendHeaders(b, pages[n-1], token) }}
	}
	return answer{raw: withToken(pages[n-1], token), number: n}
}

// withToken returns a recorded answer as an answer to ListRecords with the
// token given. No other byte is changed.
func withToken(body []byte, token string) []byte {
	body = tokenPart.ReplaceAll(body, nil)
	body = verbElement.ReplaceAll(body, []byte("<${1}ListRecords"))
	ends := listEnd.FindAllIndex(body, -1)
	if ends == nil {
		return body
	}
	at := ends[len(ends)-1][0]
	return slices.Concat(body[:at], []byte(token), body[at:])
}

// appendHeaders appends ListIdentifiers for the records of a recorded answer.
func appendHeaders(b, body []byte, token string) []byte {
	b = append(b, "<ListIdentifiers>\n"...)
	p, _ := oaipmh.ReadPage(body, "")
	for _, r := range p.Records {
		b = appendHeader(b, r.Header)
	}
	return append(append(b, token...), "</ListIdentifiers>\n"...)
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

// asAnswer makes a recorded file an answer to ListRecords. A document that is
// no record is given a header with the file's name.
func asAnswer(name string, body []byte) []byte {
	if answerRoot.Match(body) {
		return body
	}
	inside := prolog.ReplaceAll(body, nil)
	if m := recordsRoot.FindSubmatch(inside); m != nil {
		inside = m[1]
	} else if !recordRoot.Match(inside) {
		header := appendHeader(nil, oaipmh.Header{Identifier: "oai:recorded:" + name, Datestamp: "2020-01-01"})
		inside = slices.Concat([]byte("<record>"), header, []byte("<metadata>"), inside, []byte("</metadata></record>"))
	}
	return slices.Concat([]byte(rootTag+"<ListRecords>\n"), inside, []byte("\n</ListRecords>\n</OAI-PMH>\n"))
}
