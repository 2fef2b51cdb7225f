package provider

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

const root = `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
`

// answer renders the answer to a request. OAI-PMH 3.2. A request that is malformed
// is not repeated in it.
func (q *query) answer(malformed *refusal) (b []byte, err error) {
	b = append(make([]byte, 0, 4096), root...)
	b = text.AppendElement(b, "responseDate", oaipmh.Second.Format(q.Now()))
	b = append(b, "<request"...)
	for _, name := range oaipmh.Arguments {
		if value, ok := q.args[name]; ok && malformed == nil {
			b = append(text.AppendXML(append(b, " "+name+`="`...), value), '"')
		}
	}
	b = append(text.AppendXML(append(b, '>'), q.mirror.BaseURL), "</request>\n"...)
	refused, before := malformed, len(b)
	if refused == nil {
		b, refused, err = q.verb(append(b, "<"+q.args["verb"]+">\n"...))
	}
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		b = append(b[:before], `<error code="`+string(refused.code)+`">`+refused.message+"</error>\n"...)
	default:
		b = append(b, "</"+q.args["verb"]+">\n"...)
	}
	return append(b, "</OAI-PMH>\n"...), nil
}

// verb adds what is inside the element of a verb. With a refusal, what it returns
// has no meaning beyond what was there.
func (q *query) verb(b []byte) ([]byte, *refusal, error) {
	switch q.args["verb"] {
	case "Identify":
		return q.identify(b)
	case "ListMetadataFormats":
		return q.listFormats(b)
	case "ListSets":
		return q.listSets(b)
	case "GetRecord":
		return q.getRecord(b)
	}
	return q.list(b)
}

var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is valid
	return z
}}

// send sends an answer, compressed if it may be.
func send(w http.ResponseWriter, r *http.Request, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/xml; charset=utf-8")
	h.Set("Cache-Control", "no-store") // it has the time of day in it
	h.Set("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		var out bytes.Buffer
		z := zippers.Get().(*gzip.Writer)
		z.Reset(&out)
		_, _ = z.Write(body) // into memory
		_ = z.Close()
		zippers.Put(z)
		h.Set("Content-Encoding", "gzip")
		body = out.Bytes()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails only if the client has gone
	}
}

// acceptsGzip reports whether an Accept-Encoding header names gzip, and does not
// refuse it. RFC 9110, 12.5.3.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, parameter, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(parameter), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}

// overloaded sends a harvester away for a while. OAI-PMH 3.1.2.2.
func overloaded(w http.ResponseWriter) {
	const sentence = "Too many harvesters ask at the same time. Ask again later.\n"
	h := w.Header()
	h.Set("Retry-After", retryAfter)
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(sentence)))
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, sentence)
}
