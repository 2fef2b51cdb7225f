package oaitest

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// An answer is a repository's answer to a request.
type answer struct {
	err  *oaipmh.Error
	body func(b []byte, baseURL string) []byte // appends what is inside the root
	page *page                                 // of a list, in place of body
	raw  []byte                                // the whole answer, in place of all else
}

// write renders the answer and sends it, with the fault in it.
func (r *Repository) write(w http.ResponseWriter, req *http.Request, a answer, f *Fault) {
	b := a.raw
	if b == nil {
		r.mu.Lock()
		b = r.render(req, a)
		r.mu.Unlock()
	}
	if f != nil {
		b = f.spoil(b)
	}
	header := w.Header()
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/xml; charset=UTF-8")
	}
	if r.Gzip && header.Get("Content-Encoding") == "" && strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(b)
		_ = z.Close()
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(b)))
	if f != nil && f.Kind == Drop {
		_, _ = w.Write(b[:len(b)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(b)
}

const rootTag = `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
`

func (r *contents) render(req *http.Request, a answer) []byte {
	baseURL := cmp.Or(r.BaseURL, "http://"+req.Host+req.URL.Path)
	b := make([]byte, 0, 4096)
	if a.page != nil {
		b = make([]byte, 0, 512+3200*len(a.page.records))
	}
	b = append(b, rootTag...)
	b = text.AppendElement(b, "responseDate", oaipmh.Second.Format(r.Now()))
	b = append(b, "<request"...)
	if a.err == nil || a.err.Code != oaipmh.BadVerb && a.err.Code != oaipmh.BadArgument { // OAI-PMH 3.2
		for _, key := range oaipmh.Arguments {
			if req.Form.Has(key) {
				b = append(text.AppendXML(append(b, " "+key+`="`...), req.Form.Get(key)), '"')
			}
		}
	}
	b = append(text.AppendXML(append(b, '>'), baseURL), "</request>\n"...)
	switch {
	case a.err != nil:
		b = fmt.Appendf(b, "<error code=%q>", a.err.Code)
		b = append(text.AppendXML(b, a.err.Message), "</error>\n"...)
	case a.page != nil:
		b = r.renderPage(b, a.page)
	default:
		b = a.body(b, baseURL)
	}
	return append(b, "</OAI-PMH>\n"...)
}

func (r *contents) identify(b []byte, baseURL string) []byte {
	earliest := oaipmh.Second.Format(firstDatestamp)
	if r.records.len() > 0 {
		earliest = r.records.header(0).Datestamp
	}
	if t, err := oaipmh.ParseDatestamp(earliest); err == nil {
		earliest = r.Granularity.Format(t)
	}
	b = append(b, "<Identify>\n"...)
	b = text.AppendElement(b, "repositoryName", r.Name)
	b = text.AppendElement(b, "baseURL", baseURL)
	b = text.AppendElement(b, "protocolVersion", "2.0")
	b = text.AppendElement(b, "adminEmail", "repository@example.org")
	b = text.AppendElement(b, "earliestDatestamp", earliest)
	b = text.AppendElement(b, "deletedRecord", string(r.DeletedRecord))
	b = text.AppendElement(b, "granularity", string(r.Granularity))
	return append(b, "</Identify>\n"...)
}

func (r *contents) listFormats(identifier string) answer {
	formats := r.formats()
	if identifier != "" {
		i, ok := r.records.find(identifier)
		if !ok {
			return protocolError(oaipmh.IDDoesNotExist, "there is no record %s", identifier)
		}
		formats = slices.DeleteFunc(formats, func(f oaipmh.MetadataFormat) bool { return !r.records.has(i, f.Prefix) })
	}
	if len(formats) == 0 {
		return protocolError(oaipmh.NoMetadataFormats, "there are none")
	}
	return answer{body: func(b []byte, _ string) []byte {
		b = append(b, "<ListMetadataFormats>\n"...)
		for _, f := range formats {
			b = append(b, "<metadataFormat>"...)
			b = text.AppendElement(b, "metadataPrefix", f.Prefix)
			b = text.AppendElement(b, "schema", f.Schema)
			b = text.AppendElement(b, "metadataNamespace", f.Namespace)
			b = append(b, "</metadataFormat>\n"...)
		}
		return append(b, "</ListMetadataFormats>\n"...)
	}}
}

func (r *contents) formats() []oaipmh.MetadataFormat {
	if r.recorded != nil {
		return []oaipmh.MetadataFormat{r.recorded.format}
	}
	return r.records.formats()
}

func (r *contents) offers(prefix string) bool {
	return slices.ContainsFunc(r.formats(), func(f oaipmh.MetadataFormat) bool { return f.Prefix == prefix })
}

func (r *contents) listSets() answer {
	named := map[string]bool{}
	for i := range min(r.records.len(), 1000) {
		for _, s := range r.records.header(i).Sets {
			named[s] = true
		}
	}
	if len(named) == 0 {
		return protocolError(oaipmh.NoSetHierarchy, "there are no sets")
	}
	return answer{body: func(b []byte, _ string) []byte {
		b = append(b, "<ListSets>\n"...)
		for _, s := range slices.Sorted(maps.Keys(named)) {
			b = append(b, "<set>"...)
			b = text.AppendElement(b, "setSpec", s)
			b = text.AppendElement(b, "setName", s)
			b = append(b, "</set>\n"...)
		}
		return append(b, "</ListSets>\n"...)
	}}
}

func (r *contents) getRecord(identifier, prefix string) answer {
	i, ok := r.records.find(identifier)
	switch {
	case !ok:
		return protocolError(oaipmh.IDDoesNotExist, "there is no record %s", identifier)
	case !r.records.has(i, prefix):
		return protocolError(oaipmh.CannotDisseminateFormat, "%s is not available in %s", identifier, prefix)
	}
	return answer{body: func(b []byte, _ string) []byte {
		b = append(b, "<GetRecord>\n"...)
		b = r.appendRecord(b, i, prefix)
		return append(b, "</GetRecord>\n"...)
	}}
}

func appendHeader(b []byte, h oaipmh.Header) []byte {
	b = append(b, "<header"...)
	if h.Deleted {
		b = append(b, ` status="deleted"`...)
	}
	b = append(b, '>')
	b = text.AppendElement(b, "identifier", h.Identifier)
	b = text.AppendElement(b, "datestamp", h.Datestamp)
	for _, s := range h.Sets {
		b = text.AppendElement(b, "setSpec", s)
	}
	return append(b, "</header>\n"...)
}

func (r *contents) appendRecord(b []byte, i int, prefix string) []byte {
	h := r.header(i)
	b = appendHeader(append(b, "<record>\n"...), h)
	if !h.Deleted {
		b = append(b, "<metadata>\n"...)
		b = r.records.append(b, i, prefix)
		b = append(b, "\n</metadata>\n"...)
	}
	return append(b, "</record>\n"...)
}

// header is that of record i with its datestamp in the repository's
// granularity.
func (r *contents) header(i int) oaipmh.Header {
	h := r.records.header(i)
	if r.Granularity == oaipmh.Day && len(h.Datestamp) > len("2006-01-02") {
		h.Datestamp = h.Datestamp[:len("2006-01-02")]
	}
	return h
}
